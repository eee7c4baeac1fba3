"""Bots, by game: they know their seat's view and menu, and nothing else.

Each module of this package has the `choose` of a game, and may define `TABLES`, the sizes of the
tables that `arbiter demo` plays in turn. A game without one is played with any action of the menu.
"""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from domain.games import GAMES
from domain.registry import modules, offered
from service.cli.any_action import any_action

Choose = Callable[[Mapping[str, Any], Sequence[Mapping[str, Any]], int, Random], dict[str, Any]]

_OWN: dict[str, Choose] = offered(__name__, __path__, "choose", GAMES)
_MODULES = modules(__name__, __path__)

BOTS: dict[str, Choose] = {game: _OWN.get(game, any_action) for game in GAMES}

TABLES: dict[str, Sequence[int]] = {
    game: getattr(_MODULES.get(game), "TABLES", rules.seats) for game, rules in GAMES.items()
}
"""The sizes of each game's tables, in turn."""
