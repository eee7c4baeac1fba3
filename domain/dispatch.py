"""A fold made of small functions, one for each kind of event."""

from collections.abc import Callable
from typing import Any, TypeVar, get_args, get_type_hints

from domain.events import Event

S = TypeVar("S")


def by_kind(*handlers: Callable[[S, Any], S]) -> Callable[[S, Event], S]:
    """An `evolve` that passes each event to the function for its kind. It accepts every event,
    whether or not the rules would allow it.

    The annotation of a handler's second parameter says which events it takes: one class or a union.
    An event without a handler leaves the state as it is. Raises TypeError if a handler takes no
    kind of event, or two take the same.
    """
    table: dict[type[Event], Callable[[S, Any], S]] = {}
    for handler in handlers:
        for kind in _kinds(handler):
            if kind in table:
                raise TypeError(f"{handler.__name__}: another handler takes {kind.__name__}")
            table[kind] = handler

    def evolve(state: S, event: Event) -> S:
        handler = table.get(type(event))
        return state if handler is None else handler(state, event)

    return evolve


def _kinds(handler: Callable[..., Any]) -> tuple[type[Event], ...]:
    """The classes in the annotation of the handler's second parameter."""
    hints = [hint for name, hint in get_type_hints(handler).items() if name != "return"]
    kinds = get_args(hints[1]) or hints[1:] if len(hints) == 2 else ()
    if not kinds or not all(isinstance(kind, type) and issubclass(kind, Event) for kind in kinds):
        raise TypeError(f"{handler.__name__} does not say which events it takes")
    return tuple(kinds)
