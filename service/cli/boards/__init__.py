"""Boards for the terminal, by game, drawn from the view as sent.

Each module of this package has the `draw` of a game. A game without one is drawn as a plain table.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from rich.console import RenderableType

from domain.games import GAMES
from domain.registry import offered
from service.cli import plain_board

Drawing = Callable[[Mapping[str, Any], Sequence[str]], RenderableType]

_OWN: dict[str, Drawing] = offered(__name__, __path__, "draw", GAMES)

DRAWINGS: dict[str, Drawing] = {
    game: _OWN.get(game, partial(plain_board.draw, rules.title)) for game, rules in GAMES.items()
}
