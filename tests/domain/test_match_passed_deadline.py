"""A deadline that has passed is not in force any more, whatever is awaited after it."""

from domain.commands import ClosePhase, EnterDraw, PassDeadline, Start
from domain.match_events import AwaitingChanged, DeadlinePassed
from tests import toy
from tests.match_table import NOON, SECOND, MatchTable, seated
from tests.toy import BiddingBegan


def bidding() -> MatchTable:
    options = toy.Options(bid_seconds=60)
    table = seated(toy.GAME, options=options, clock="rules").when(Start())
    return table.when(EnterDraw("lots", ((3, 1, 5, 2, 4),)))


def test_a_passed_deadline_is_gone_though_the_same_seats_are_awaited() -> None:
    bidding().when(PassDeadline(), NOON + 60 * SECOND).then(
        DeadlinePassed("bids"), BiddingBegan(late=True), AwaitingChanged((0, 1))
    )


def test_a_deadline_passes_once() -> None:
    table = bidding().when(PassDeadline(), NOON + 60 * SECOND)
    table.conflicts(PassDeadline(), "nothing_to_close")


def test_a_phase_is_closed_once() -> None:
    table = bidding().when(ClosePhase(), NOON + 30 * SECOND)
    table.conflicts(ClosePhase(), "nothing_to_close")
