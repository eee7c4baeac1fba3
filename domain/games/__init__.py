"""Every game that can be played, by its id, and every event that can stand in a record."""

from typing import Any, Union

from domain.games.dollar_prize.rules import GAME as DOLLAR_PRIZE
from domain.games.grouping_bw.rules import GAME as GROUPING_BW
from domain.games.together.rules import GAME as TOGETHER
from domain.games.twelve_chips.rules import GAME as TWELVE_CHIPS
from domain.match_events import MatchEvent
from domain.match_state import AnyGame
from domain.tournament_events import TournamentEvent

GAMES: dict[str, AnyGame] = {
    game.id: game for game in (DOLLAR_PRIZE, TWELVE_CHIPS, TOGETHER, GROUPING_BW)
}

AnyEvent: Any = Union[MatchEvent, TournamentEvent, *(game.Event for game in GAMES.values())]
