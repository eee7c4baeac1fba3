"""Changing a frozen state by many events at the price of one copy."""

from typing import Any, Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

S = TypeVar("S", bound=Struct)


class Changes(Generic[S]):
    """What events make of a state that stays as it is.

    A part that is changed is copied once, however many events change it: copied for each of them,
    a long record would take time that grows with its square.
    """

    def __init__(self, before: S) -> None:
        self._before = before
        self._parts: dict[str, Any] = {}

    def put(self, part: str, value: object) -> None:
        """Replaces a part of the state."""
        self._parts[part] = value

    def add(self, part: str, value: object) -> None:
        """Puts a value at the end of a part that is a tuple."""
        if part not in self._parts:
            self._parts[part] = list(getattr(self._before, part))
        self._parts[part].append(value)

    def mapping(self, part: str) -> dict[Any, Any]:
        """A part that is a mapping, to be changed in place by whoever folds."""
        if part not in self._parts:
            self._parts[part] = dict(getattr(self._before, part))
        found: dict[Any, Any] = self._parts[part]
        return found

    def after(self) -> S:
        """The state after all changes. To be asked once: what it holds must not change again."""
        made = {p: tuple(v) if isinstance(v, list) else v for p, v in self._parts.items()}
        return replace(self._before, **made)
