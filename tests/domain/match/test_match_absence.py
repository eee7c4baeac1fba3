"""Rulings, section 8: when the service was away, every deadline in force is moved by that time.

Played with the toy game Blind Bid, chance by hand: bids for 60 s, thanks by 13:00.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.encoding import decode, encode
from domain.events import Record
from domain.match.commands import MoveDeadline, PassDeadline
from domain.match.deadlines import DAY, HOUR, Absence, After, TimeOfDay, due, due_after
from domain.match.decide import decide
from domain.match.events import AwaitingChanged, ClockRule, DeadlinePassed, DeadlineSet
from tests.support.instants import NOON, SECOND
from tests.support.tables import toy_game
from tests.support.tables.directing import START, enter_draw
from tests.support.tables.match_table import MatchTable, judged_again, replayed, seated
from tests.support.tables.toy_game import Bid

DUE = NOON + 60 * SECOND
TIMED = toy_game.Options(bid_seconds=60, thank_by="13:00")
LOTS = enter_draw("lots", ((3, 1, 5, 2, 4),))


def bidding(clock: ClockRule = "rules") -> MatchTable:
    """Bids are accepted from noon on."""
    return seated(toy_game.GAME, options=TIMED, clock=clock).when(START).when(LOTS)


def away(table: MatchTable, begun: int, ended: int) -> MatchTable:
    """The service is away between these instants."""
    return table.when(MoveDeadline(Absence(begun, ended)), ended)


def cannot_move(table: MatchTable, begun: int, ended: int, at: int) -> None:
    with pytest.raises(AssertionError):
        decide(table.game, table.match, MoveDeadline(Absence(begun, ended)), at)


def test_rule_8_a_deadline_in_force_is_moved_by_the_length_of_the_absence() -> None:
    begun, ended = NOON + 20 * SECOND, NOON + 50 * SECOND
    away(bidding(), begun, ended).then(
        DeadlineSet("bids", DUE + 30 * SECOND, "absence", begun, ended),
        AwaitingChanged((0, 1), None, "bids", DUE + 30 * SECOND),
    )


def test_rule_8_nobody_is_judged_by_a_clock_that_they_could_not_reach() -> None:
    """The deadline lay in the absence; what was left of it is left still."""
    table = away(bidding(), NOON + 20 * SECOND, NOON + HOUR)
    table.conflicts(PassDeadline(), "nothing_to_close")
    table.accepted(0, Bid(4), at=NOON + HOUR + 39 * SECOND)
    passed = table.when(PassDeadline(), NOON + HOUR + 40 * SECOND)
    assert passed.new_events[0] == DeadlinePassed("bids")


def test_rule_8_a_deadline_moved_over_its_time_of_day_does_not_lose_a_day() -> None:
    wait = TimeOfDay(24, "14:00")
    before, moved = NOON + 2 * HOUR, NOON + 2 * HOUR + 30 * 60 * SECOND
    assert due_after(wait, before, moved) == before + DAY
    assert due(wait, moved) == before + 2 * DAY


def test_rule_8_a_wait_that_would_be_over_before_it_begins_counts_from_its_beginning() -> None:
    assert due_after(After(60), NOON, NOON + 30 * SECOND) == NOON + 90 * SECOND
    assert due_after(After(60), NOON, NOON + 60 * SECOND) == NOON + 120 * SECOND
    assert due_after(After(60), NOON, NOON + HOUR) == NOON + HOUR + 60 * SECOND


def test_rule_8_a_paused_match_is_left_alone() -> None:
    table = bidding().pause(NOON + 20 * SECOND)
    cannot_move(table, NOON + 30 * SECOND, NOON + HOUR, NOON + HOUR)
    assert table.resume(NOON + HOUR).due == NOON + HOUR + 40 * SECOND


def test_rule_8_without_a_deadline_in_force_nothing_is_moved() -> None:
    cannot_move(bidding(clock="none"), NOON, NOON + HOUR, NOON + HOUR)
    cannot_move(seated(toy_game.GAME, options=TIMED), NOON, NOON + HOUR, NOON + HOUR)


@pytest.mark.parametrize(
    ("begun", "ended", "at"),
    [
        (DUE, DUE + HOUR, DUE + HOUR),  # the deadline was reached before the absence
        (NOON + SECOND, NOON + SECOND, NOON + SECOND),
        (NOON + 2 * SECOND, NOON + SECOND, NOON + SECOND),
        (NOON, NOON + HOUR, NOON + HOUR - 1),
        (NOON, NOON + HOUR, NOON + HOUR + 1),
    ],
)
def test_rule_8_an_absence_has_a_length_and_is_recorded_at_its_end(
    begun: int, ended: int, at: int
) -> None:
    cannot_move(bidding(), begun, ended, at)


def test_rule_8_a_deadline_moved_is_stored_with_both_instants() -> None:
    stored = encode(Record(NOON, 0, DeadlineSet("bids", 7, "absence", 1, 2)))
    assert b"\xa4from\x01\xa2to\x02" in stored
    assert decode(stored) == Record(NOON, 0, DeadlineSet("bids", 7, "absence", 1, 2))


@given(st.lists(st.tuples(st.integers(0, 90), st.integers(1, 10**6)), max_size=8))
def test_rule_8_over_any_absences_the_time_that_could_be_used_is_the_same(
    spells: list[tuple[int, int]],
) -> None:
    """Each spell is seconds in service, then microseconds away. The bids pass after exactly 60 s in
    service, and a record of absences folds and is judged again to the same."""
    table, at, served = bidding(), NOON, 0
    for seconds, length in spells:
        if served + seconds * SECOND >= 60 * SECOND:
            break
        served += seconds * SECOND
        at += seconds * SECOND
        away(table, at, at + length)
        at += length
    assert table.due == at + 60 * SECOND - served
    table.accepted(0, Bid(4)).when(PassDeadline(), table.due)
    assert table.due == NOON + 25 * HOUR
    assert replayed(toy_game.GAME, table.records) == table.match
    assert judged_again(toy_game.GAME, table.records).records == table.records
