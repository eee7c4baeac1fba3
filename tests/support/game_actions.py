"""Actions of any game as they are sent, where the game's own tests name none."""

from collections.abc import Sequence
from random import Random

import msgspec

from domain.games import GAMES
from tests.support.game_support import Json
from tests.support.games import SUPPORT
from tests.support.tables.game_strategies import as_sent, received, universe

SOME = 40


def refused(game: str) -> Sequence[Json]:
    """Actions that are refused to a seat that the match does not wait for."""
    return SUPPORT[game].refused or any_actions(game)[:2]


def any_actions(game: str) -> list[Json]:
    """Some actions that the game understands."""
    rules = GAMES[game]
    every = [as_sent(action) for action in universe(rules)]
    understood = [sent for sent in every if _is_understood(game, sent)]
    return Random(game).sample(understood, min(SOME, len(understood)))


def _is_understood(game: str, sent: Json) -> bool:
    try:
        received(GAMES[game], sent)
    except msgspec.ValidationError:
        return False
    return True
