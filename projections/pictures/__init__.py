"""The public view of a match as a small picture. A module of this package may define the `PICTURE`
of a game; a game without one is shown by its seats."""

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Struct

from domain.games import GAMES
from domain.registry import module_values
from projections.boards import BOARDS
from projections.svg_shapes import plain

PICTURES: dict[str, Callable[[Any], str]] = module_values(__name__, __path__, "PICTURE", GAMES)
"""What draws the board of a game, by its id."""


class _Shown(Struct, frozen=True):
    game: str
    seats: tuple[str, ...]
    view: msgspec.Raw


_view_decoder = msgspec.json.Decoder(_Shown)
_boards = {game: msgspec.json.Decoder(boards.view | None) for game, boards in BOARDS.items()}


def picture_of(view: bytes) -> str:
    """The board of a view of the public, as it is sent, in SVG."""
    match_view = _view_decoder.decode(view)
    board = _boards[match_view.game].decode(match_view.view)
    draw = PICTURES.get(match_view.game)
    return plain(len(match_view.seats)) if draw is None or board is None else draw(board)
