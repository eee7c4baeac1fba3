"""Every game that can be played, by its id, and every event that can stand in a record."""

from typing import Any, Union

from domain.games.dollar_prize.rules import GAME as DOLLAR_PRIZE
from domain.games.grouping_bw.rules import GAME as GROUPING_BW
from domain.games.together.rules import GAME as TOGETHER
from domain.games.twelve_chips.rules import GAME as TWELVE_CHIPS
from domain.learning import learn
from domain.log_events import LogEvent
from domain.match_events import MatchCreated, MatchEvent
from domain.match_state import AnyGame
from domain.tournament_events import TournamentEvent

GAMES: dict[str, AnyGame] = {
    game.id: game for game in (DOLLAR_PRIZE, TWELVE_CHIPS, TOGETHER, GROUPING_BW)
}

OLDER: dict[tuple[str, int], AnyGame] = {}
"""Rules by which nothing new is played, and some old match was, by game and version: they stay as
they are."""


def rules_of(created: MatchCreated) -> AnyGame:
    """The rules to which a match is pinned. Raises KeyError for rules that are not here."""
    game = GAMES.get(created.game)
    if game is not None and game.rules_version == created.rules_version:
        return game
    return OLDER[created.game, created.rules_version]


RULES = (*GAMES.values(), *OLDER.values())
"""All rules by which there are matches."""

_EVENTS = tuple(game.Event for game in RULES)

AnyEvent: Any = Union[MatchEvent, TournamentEvent, LogEvent, *_EVENTS]

learn(type_ for game in RULES for type_ in (game.Options, game.Action))
