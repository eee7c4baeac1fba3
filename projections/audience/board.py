"""The contract of a board: the view of one audience of one game, folded from its own events."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from msgspec import Struct

from domain.events import Event
from projections.audience.disclosure import Viewer

S = TypeVar("S")


@dataclass(frozen=True)
class Boards(Generic[S]):
    """The view of a game, which is sent as the Struct `view`.

    `initial(options, seats, viewer)` is the state when the match has just started and no event of
    the game has happened. `evolve(state, event, viewer, at)` gets only events that the viewer may
    see, those of the match itself included, with the time of each, and ignores the others.
    `show(state)` makes the view of it; fields that an audience does not have are UNSET. A state
    that holds nothing to hide is its own view.
    """

    view: type[Struct]
    initial: Callable[[Any, int, Viewer], S]
    evolve: Callable[[S, Event, Viewer, int], S]
    show: Callable[[S], Any] = lambda state: state
