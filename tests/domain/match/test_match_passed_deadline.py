"""A deadline that has passed is not in force any more, whatever is awaited after it."""

from domain.match.commands import PassDeadline
from domain.match.events import AwaitingChanged, DeadlinePassed
from tests.support.instants import NOON, SECOND
from tests.support.tables import toy_game
from tests.support.tables.directing import START, close_phase, enter_draw
from tests.support.tables.match_table import MatchTable, seated
from tests.support.tables.toy_game import BiddingBegan


def bidding() -> MatchTable:
    options = toy_game.Options(bid_seconds=60)
    table = seated(toy_game.GAME, options=options, clock="rules").when(START)
    return table.when(enter_draw("lots", ((3, 1, 5, 2, 4),)))


def test_a_passed_deadline_is_gone_though_the_same_seats_are_awaited() -> None:
    bidding().when(PassDeadline(), NOON + 60 * SECOND).then(
        DeadlinePassed("bids"), BiddingBegan(late=True), AwaitingChanged((0, 1))
    )


def test_a_deadline_passes_once() -> None:
    table = bidding().when(PassDeadline(), NOON + 60 * SECOND)
    table.conflicts(PassDeadline(), "nothing_to_close")


def test_a_phase_is_closed_once() -> None:
    table = bidding().when(close_phase(), NOON + 30 * SECOND)
    table.conflicts(close_phase(), "nothing_to_close")
