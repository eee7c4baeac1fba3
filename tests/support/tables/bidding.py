"""Matches of the toy game Blind Bid in which all seats may bid; chance is by hand."""

from domain.match.events import ClockRule
from domain.match.state import AnyGame
from tests.support.instants import NOON
from tests.support.tables import toy_game
from tests.support.tables.directing import START, enter_draw
from tests.support.tables.match_table import MatchTable, seated

LOTS = enter_draw("lots", ((3, 1, 5, 2, 4),))
TIMED = toy_game.Options(bid_seconds=60, thank_by="13:00")


def bidding(
    options: toy_game.Options | None = None,
    seats: int = 2,
    game: AnyGame = toy_game.GAME,
    clock: ClockRule = "none",
    begin: int = NOON,
) -> MatchTable:
    return seated(game, seats, options, clock=clock).when(START, begin).when(LOTS)


def timed_bidding(
    game: AnyGame = toy_game.GAME, clock: ClockRule = "rules", begin: int = NOON
) -> MatchTable:
    """Bids are accepted for 60 s, thanks until 13:00."""
    return bidding(TIMED, 2, game, clock, begin)
