"""The contract of a board: the view of one audience of one game, folded from its own events."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, get_type_hints

from msgspec import Struct

from domain.dispatch import by_kind
from domain.events import Event
from projections.disclosure import Viewer

S = TypeVar("S")


def as_it_is(state: S) -> S:
    """The default `show`: all that is folded is shown."""
    return state


@dataclass(frozen=True)
class Boards(Generic[S]):
    """The view of a game.

    `State` is the Struct that is folded. `initial(options, seats, viewer)` is the state when the
    match has just started and no event of the game has happened. `evolve(state, event, viewer, at)`
    gets only events that the viewer may see, those of the match itself included, with the time of
    each, and ignores the others. `show(state)` makes the Struct sent as `view`; fields that an
    audience does not have are UNSET. A state that holds nothing to hide is its own view.
    """

    State: type[S]
    initial: Callable[[Any, int, Viewer], S]
    evolve: Callable[[S, Event, Viewer, int], S]
    show: Callable[[S], Any] = as_it_is

    @property
    def view(self) -> type[Struct]:
        """The Struct that `show` returns, by its annotation."""
        shown = self.State if self.show is as_it_is else get_type_hints(self.show).get("return")
        assert isinstance(shown, type), "`show` says what it returns"
        return shown


def on_events(*handlers: Callable[[S, Any], S]) -> Callable[[S, Event, Viewer, int], S]:
    """An `evolve` of functions for each kind of event, to which neither viewer nor time matters."""
    evolve = by_kind(*handlers)
    return lambda state, event, _viewer, _at: evolve(state, event)
