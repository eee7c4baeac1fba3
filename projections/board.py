"""The contract of a board: the view of one audience of one game, folded from its own events."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from domain.events import Event
from projections.disclosure import Viewer

B = TypeVar("B")


@dataclass(frozen=True)
class Boards(Generic[B]):
    """The view of a game.

    `View` is the Struct sent as `view`; fields that an audience does not have are UNSET.
    `initial(options, seats, viewer)` is the view when the match has just started and no event of
    the game has happened. `evolve(board, event, viewer, at)` gets only events that the viewer may
    see, those of the match itself included, with the time of each, and ignores the others.
    """

    View: type[B]
    initial: Callable[[Any, int, Viewer], B]
    evolve: Callable[[B, Event, Viewer, int], B]
