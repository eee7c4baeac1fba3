"""Records as batches: an input and its consequences, each of which says how far back it stands."""

from domain.events import Event, batch, batch_starts, batches, numbered
from domain.match.events import AwaitingChanged, MatchPaused, PhaseClosed
from domain.rulings.events import ActionAdmitted, SeatReapplied

INPUT, EFFECT, OTHER = PhaseClosed("bids"), AwaitingChanged(), MatchPaused()
AGAIN_0 = SeatReapplied(0, 3)


def backs(*events: Event, behind: int = 0) -> list[int]:
    return [record.back for record in batch(events, 7, behind)]


def test_what_is_added_counts_back_to_the_input_that_it_follows_from() -> None:
    assert backs(EFFECT, OTHER, behind=3) == [3, 4]


def test_what_follows_from_an_input_that_is_given_again_follows_from_the_ruling() -> None:
    assert backs(INPUT, AGAIN_0, EFFECT, ActionAdmitted(1, 3), EFFECT) == [0, 1, 2, 3, 4]


def test_nothing_is_no_batch() -> None:
    assert batch([], 7) == []
    assert list(batches([])) == []
    assert list(batch_starts([])) == []
    assert numbered([]) == []


def test_a_part_of_a_record_may_begin_with_consequences() -> None:
    rest, other = batch([INPUT, EFFECT, OTHER], 7)[1:], batch([INPUT], 8)
    assert list(batches([*rest, *other])) == [rest, other]
