"""Deadlines of a match: when they are set, unchanged, passed, stopped, resumed and moved.

Played with the toy game Blind Bid, chance by hand: bids for 60 s, thanks by 13:00.
"""

from dataclasses import replace as game_with
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from domain.encoding import decode, encode
from domain.events import Record
from domain.game import Awaits
from domain.match.commands import MoveDeadline, PassDeadline
from domain.match.deadlines import DAY, HOUR, Absence, After, Deadline, TimeOfDay, due, due_after
from domain.match.decide import decide
from domain.match.events import (
    AwaitingChanged,
    DeadlinePassed,
    DeadlineSet,
    MatchPaused,
    MatchResumed,
    PhaseClosed,
)
from tests.support.instants import NOON, SECOND
from tests.support.tables import toy_game
from tests.support.tables.bidding import LOTS, TIMED, timed_bidding
from tests.support.tables.directing import START, close_phase
from tests.support.tables.match_table import MatchTable, judged_again, replayed, seated
from tests.support.tables.toy_game import Bid, BiddingBegan, BidsRevealed, LotsWon, NobodyThanked


def test_a_deadline_counts_from_the_input_that_set_it() -> None:
    table = seated(toy_game.GAME, options=TIMED, clock="rules").when(START)
    table.when(LOTS, NOON + 5 * SECOND)
    assert table.new_events[-1] == AwaitingChanged((0, 1), None, "bids", NOON + 65 * SECOND)


def test_without_a_clock_a_deadline_is_a_phase_and_never_armed() -> None:
    table = timed_bidding(clock="none")
    assert table.new_events[-1] == AwaitingChanged((0, 1), None, "bids", None)
    table.conflicts(PassDeadline(), "nothing_to_close")
    assert table.when(close_phase()).new_events[0] == PhaseClosed("bids")


def test_a_deadline_without_a_wait_is_never_armed_under_any_clock() -> None:
    table = seated(toy_game.GAME, clock="rules").when(START).when(LOTS)
    assert table.match.awaiting == AwaitingChanged((0, 1), None, "bids", None)
    table.accepted(0, Bid(4)).when(close_phase())
    assert table.match.awaiting == AwaitingChanged((0,), None, "thanks", None)


def test_the_same_deadline_keeps_its_instant_when_others_are_awaited() -> None:
    def still_missing(state: toy_game.State) -> Awaits:
        awaits = toy_game.awaits(state)
        missing = tuple(seat for seat in awaits.seats if state.bids[seat] is None)
        return replace(awaits, seats=missing) if state.phase == "bid" else awaits

    table = timed_bidding(game_with(toy_game.GAME, awaits=still_missing))
    table.accepted(0, Bid(4), at=NOON + 30 * SECOND)
    assert table.new_events[-1] == AwaitingChanged((1,), None, "bids", NOON + 60 * SECOND)


def test_a_deadline_of_another_name_is_a_new_one() -> None:
    def renamed(state: toy_game.State) -> Awaits:
        awaits = toy_game.awaits(state)
        if state.phase != "bid":
            return awaits
        count = sum(bid is not None for bid in state.bids)
        return replace(awaits, deadline=Deadline(f"bid/{count}", After(60)))

    table = timed_bidding(game_with(toy_game.GAME, awaits=renamed))
    table.accepted(0, Bid(4), at=NOON + 30 * SECOND)
    assert table.new_events[-1] == AwaitingChanged((0, 1), None, "bid/1", NOON + 90 * SECOND)


def test_nothing_passes_before_its_instant() -> None:
    table = timed_bidding()
    table.at = NOON + 60 * SECOND - 1
    table.conflicts(PassDeadline(), "nothing_to_close")


def test_at_its_instant_a_deadline_passes_and_the_next_counts_from_there() -> None:
    """13:00 is less than an hour on from 12:01, so it is tomorrow's."""
    table = timed_bidding().accepted(0, Bid(4), at=NOON + 30 * SECOND)
    table.when(PassDeadline(), NOON + 60 * SECOND).then(
        DeadlinePassed("bids"),
        BidsRevealed((4, 0)),
        LotsWon((0,)),
        AwaitingChanged((0,), None, "thanks", NOON + 25 * HOUR),
    )


def test_a_passed_deadline_is_gone_though_the_same_seats_are_awaited() -> None:
    timed_bidding().when(PassDeadline(), NOON + 60 * SECOND).then(
        DeadlinePassed("bids"), BiddingBegan(late=True), AwaitingChanged((0, 1))
    )


def test_the_clock_closes_exactly_what_a_moderator_would() -> None:
    after_close: list[list[Any]] = []
    for command in (PassDeadline(), close_phase()):
        table = timed_bidding().accepted(1, Bid(2)).when(command, NOON + 60 * SECOND)
        after_close.append(table.effect[1:])
    assert after_close[0] == after_close[1]


def test_the_last_deadline_ends_the_match() -> None:
    table = timed_bidding().accepted(0, Bid(4)).accepted(1, Bid(2))
    table.when(PassDeadline(), NOON + HOUR)
    assert table.new_events[:2] == [DeadlinePassed("thanks"), NobodyThanked()]
    assert (table.match.status, table.due) == ("ended", None)


def test_a_pause_stores_the_remaining_time_and_no_deadline_is_in_force() -> None:
    table = timed_bidding().pause(NOON + 20 * SECOND)
    table.then(MatchPaused(40 * SECOND), AwaitingChanged((0, 1), None, "bids", None))
    table.at = NOON + HOUR
    table.conflicts(PassDeadline(), "nothing_to_close")


def test_after_a_pause_the_deadline_is_as_far_off_as_before() -> None:
    table = timed_bidding().pause(NOON + 20 * SECOND).resume(NOON + HOUR)
    due = NOON + HOUR + 40 * SECOND
    table.then(MatchResumed(), AwaitingChanged((0, 1), None, "bids", due))
    assert table.accepted(0, Bid(4), at=NOON + HOUR + 10 * SECOND).due == due


# Rulings, section 8: when the service was away, every deadline in force is moved by that time.

DUE = NOON + 60 * SECOND


def away(table: MatchTable, begun: int, ended: int) -> MatchTable:
    """The service is away between these instants."""
    return table.when(MoveDeadline(Absence(begun, ended)), ended)


def cannot_move(table: MatchTable, begun: int, ended: int, at: int) -> None:
    with pytest.raises(AssertionError):
        decide(table.game, table.match, MoveDeadline(Absence(begun, ended)), at)


def test_rule_8_a_deadline_in_force_is_moved_by_the_length_of_the_absence() -> None:
    begun, ended = NOON + 20 * SECOND, NOON + 50 * SECOND
    away(timed_bidding(), begun, ended).then(
        DeadlineSet("bids", DUE + 30 * SECOND, "absence", begun, ended),
        AwaitingChanged((0, 1), None, "bids", DUE + 30 * SECOND),
    )


def test_rule_8_nobody_is_judged_by_a_clock_that_they_could_not_reach() -> None:
    """The deadline lay in the absence; what was left of it is left still."""
    table = away(timed_bidding(), NOON + 20 * SECOND, NOON + HOUR)
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
    table = timed_bidding().pause(NOON + 20 * SECOND)
    cannot_move(table, NOON + 30 * SECOND, NOON + HOUR, NOON + HOUR)
    assert table.resume(NOON + HOUR).due == NOON + HOUR + 40 * SECOND


def test_rule_8_without_a_deadline_in_force_nothing_is_moved() -> None:
    cannot_move(timed_bidding(clock="none"), NOON, NOON + HOUR, NOON + HOUR)
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
    cannot_move(timed_bidding(), begun, ended, at)


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
    table, at, served = timed_bidding(), NOON, 0
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
