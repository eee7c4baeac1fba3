"""Records as batches: an input and its consequences, each of which says how far back it stands."""

from domain.events import Event, Numbered, Record, batch, batch_starts, batches, numbered
from domain.match.events import ActionReceived, AwaitingChanged, MatchPaused, PhaseClosed
from domain.rulings.events import ActionAdmitted, SeatReapplied

INPUT, EFFECT, OTHER = PhaseClosed("bids"), AwaitingChanged(), MatchPaused()
AGAIN_0 = SeatReapplied(0, 3)


def backs(*events: Event, behind: int = 0) -> list[int]:
    return [record.back for record in batch(events, 7, behind)]


def test_consequences_count_back_to_their_input() -> None:
    assert batch([INPUT, EFFECT, OTHER], 7) == [
        Record(7, 0, INPUT),
        Record(7, 1, EFFECT),
        Record(7, 2, OTHER),
    ]


def test_what_is_added_counts_back_to_the_input_that_it_follows_from() -> None:
    assert backs(EFFECT, OTHER, behind=3) == [3, 4]


def test_what_follows_from_an_input_that_is_given_again_follows_from_the_ruling() -> None:
    assert backs(INPUT, AGAIN_0, EFFECT, ActionAdmitted(1, 3), EFFECT) == [0, 1, 2, 3, 4]


def test_nothing_is_no_batch() -> None:
    assert batch([], 7) == []
    assert list(batches([])) == []
    assert list(batch_starts([])) == []
    assert numbered([]) == []


def test_a_record_is_cut_before_each_input() -> None:
    one, other = batch([INPUT, EFFECT], 7), batch([ActionReceived(1, {})], 8)
    assert list(batch_starts([*one, *other, *one])) == [0, 2, 3]
    assert list(batches([*one, *other, *one])) == [one, other, one]


def test_a_part_of_a_record_may_begin_with_consequences() -> None:
    rest, other = batch([INPUT, EFFECT, OTHER], 7)[1:], batch([INPUT], 8)
    assert list(batches([*rest, *other])) == [rest, other]


def test_every_record_has_its_position_and_that_of_its_input() -> None:
    played = [*batch([INPUT, AGAIN_0, EFFECT], 7), *batch([INPUT], 8)]
    assert numbered(played) == [
        Numbered(1, 1, played[0]),
        Numbered(2, 1, played[1]),
        Numbered(3, 1, played[2]),
        Numbered(4, 4, played[3]),
    ]
