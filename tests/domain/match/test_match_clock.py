"""Deadlines of a match: when they are set, unchanged, passed, stopped and resumed.

Played with the toy game Blind Bid, chance by hand: bids for 60 s, thanks by 13:00.
"""

from dataclasses import replace as game_with
from typing import Any

from msgspec.structs import replace

from domain.game import Awaits
from domain.match.commands import PassDeadline
from domain.match.deadlines import After, Deadline
from domain.match.events import (
    AwaitingChanged,
    ClockRule,
    DeadlinePassed,
    MatchPaused,
    MatchResumed,
    PhaseClosed,
)
from domain.match.state import AnyGame
from tests.support.instants import NOON, SECOND
from tests.support.tables import toy_game
from tests.support.tables.directing import START, close_phase, enter_draw
from tests.support.tables.match_table import MatchTable, seated
from tests.support.tables.toy_game import Bid, BiddingBegan, BidsRevealed, LotsWon, NobodyThanked

HOUR = 3600 * SECOND
LOTS = enter_draw("lots", ((3, 1, 5, 2, 4),))
TIMED = toy_game.Options(bid_seconds=60, thank_by="13:00")


def bidding(game: AnyGame = toy_game.GAME, clock: ClockRule = "rules") -> MatchTable:
    """Bids are accepted from noon on."""
    return seated(game, options=TIMED, clock=clock).when(START).when(LOTS)


def test_a_deadline_counts_from_the_input_that_set_it() -> None:
    table = seated(toy_game.GAME, options=TIMED, clock="rules").when(START)
    table.when(LOTS, NOON + 5 * SECOND)
    assert table.new_events[-1] == AwaitingChanged((0, 1), None, "bids", NOON + 65 * SECOND)


def test_without_a_clock_a_deadline_is_a_phase_and_never_armed() -> None:
    table = bidding(clock="none")
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

    table = bidding(game_with(toy_game.GAME, awaits=still_missing))
    table.accepted(0, Bid(4), at=NOON + 30 * SECOND)
    assert table.new_events[-1] == AwaitingChanged((1,), None, "bids", NOON + 60 * SECOND)


def test_a_deadline_of_another_name_is_a_new_one() -> None:
    def renamed(state: toy_game.State) -> Awaits:
        awaits = toy_game.awaits(state)
        if state.phase != "bid":
            return awaits
        count = sum(bid is not None for bid in state.bids)
        return replace(awaits, deadline=Deadline(f"bid/{count}", After(60)))

    table = bidding(game_with(toy_game.GAME, awaits=renamed))
    table.accepted(0, Bid(4), at=NOON + 30 * SECOND)
    assert table.new_events[-1] == AwaitingChanged((0, 1), None, "bid/1", NOON + 90 * SECOND)


def test_nothing_passes_before_its_instant() -> None:
    table = bidding()
    table.at = NOON + 60 * SECOND - 1
    table.conflicts(PassDeadline(), "nothing_to_close")


def test_at_its_instant_a_deadline_passes_and_the_next_counts_from_there() -> None:
    """13:00 is less than an hour on from 12:01, so it is tomorrow's."""
    table = bidding().accepted(0, Bid(4), at=NOON + 30 * SECOND)
    table.when(PassDeadline(), NOON + 60 * SECOND).then(
        DeadlinePassed("bids"),
        BidsRevealed((4, 0)),
        LotsWon((0,)),
        AwaitingChanged((0,), None, "thanks", NOON + 25 * HOUR),
    )


def test_a_passed_deadline_is_gone_though_the_same_seats_are_awaited() -> None:
    bidding().when(PassDeadline(), NOON + 60 * SECOND).then(
        DeadlinePassed("bids"), BiddingBegan(late=True), AwaitingChanged((0, 1))
    )


def test_the_clock_closes_exactly_what_a_moderator_would() -> None:
    after_close: list[list[Any]] = []
    for command in (PassDeadline(), close_phase()):
        table = bidding().accepted(1, Bid(2)).when(command, NOON + 60 * SECOND)
        after_close.append(table.effect[1:])
    assert after_close[0] == after_close[1]


def test_the_last_deadline_ends_the_match() -> None:
    table = bidding().accepted(0, Bid(4)).accepted(1, Bid(2))
    table.when(PassDeadline(), NOON + HOUR)
    assert table.new_events[:2] == [DeadlinePassed("thanks"), NobodyThanked()]
    assert (table.match.status, table.due) == ("ended", None)


def test_a_pause_stores_the_remaining_time_and_no_deadline_is_in_force() -> None:
    table = bidding().pause(NOON + 20 * SECOND)
    table.then(MatchPaused(40 * SECOND), AwaitingChanged((0, 1), None, "bids", None))
    table.at = NOON + HOUR
    table.conflicts(PassDeadline(), "nothing_to_close")


def test_after_a_pause_the_deadline_is_as_far_off_as_before() -> None:
    table = bidding().pause(NOON + 20 * SECOND).resume(NOON + HOUR)
    due = NOON + HOUR + 40 * SECOND
    table.then(MatchResumed(), AwaitingChanged((0, 1), None, "bids", due))
    assert table.accepted(0, Bid(4), at=NOON + HOUR + 10 * SECOND).due == due
