"""The rounds of the scrub: matches in play within a day, everything within its days, and the age
of what was not judged for longest."""

import msgspec

from service.checking.scrub import (
    DAY,
    HOUR,
    Round,
    Rounds,
    decoded,
    first_rounds,
)
from tests.support.instants import NOON

WEEK = 7 * DAY


def finished(rounds: Rounds, now: int) -> str:
    """The name of the round that is due, which is then complete; empty if none is."""
    due = rounds.next(now, WEEK)
    if due is None:
        return ""
    due.complete = True
    return "in play" if due is rounds.in_play else "whole"


def test_matches_in_play_come_first_and_then_the_whole_store() -> None:
    rounds = first_rounds(NOON)
    assert [finished(rounds, NOON) for _ in range(3)] == ["in play", "whole", ""]


def test_a_round_begins_after_half_of_its_time() -> None:
    rounds, due = first_rounds(NOON), list[tuple[int, str]]()
    for hour in range(24 * 8):
        while name := finished(rounds, NOON + hour * HOUR):
            due.append((hour, name))
    assert [hour for hour, name in due if name == "in play"] == list(range(0, 24 * 8, 12))
    assert [hour for hour, name in due if name == "whole"] == [0, 84, 168]


def test_the_age_counts_from_the_beginning_of_the_last_complete_round() -> None:
    one = Round(NOON, NOON)
    assert one.oldest(NOON + HOUR) == HOUR, "nothing was judged yet"
    one.complete = True
    one.begin(NOON + 12 * HOUR)
    assert one.oldest(NOON + 13 * HOUR) == 13 * HOUR, "the end of the store waits since then"
    one.complete = True
    assert one.oldest(NOON + 14 * HOUR) == 2 * HOUR


def test_rounds_are_stored_and_what_cannot_be_read_begins_anew() -> None:
    rounds = Rounds(Round(1, 2, "ab", complete=True), Round(3, 4, "cd"))
    assert decoded(msgspec.json.encode(rounds), NOON) == rounds
    assert decoded(None, NOON) == decoded(b"nothing", NOON) == first_rounds(NOON)
