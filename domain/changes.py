"""Changes a frozen state by many events at the cost of one copy."""

from typing import Any, Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

S = TypeVar("S", bound=Struct)


class Changes(Generic[S]):
    """The changes that events make to a state, which itself stays as it is.

    A changed part is copied once, however many events change it. Copied for every event, a long
    record would take time quadratic in its length.
    """

    def __init__(self, before: S) -> None:
        self._before = before
        self._parts: dict[str, Any] = {}

    def now(self, part: str) -> Any:
        """A part that is replaced as a whole, as it is now."""
        return self._parts.get(part, getattr(self._before, part))

    def put(self, part: str, value: object) -> None:
        """Replaces a part of the state."""
        self._parts[part] = value

    def sequence(self, part: str) -> list[Any]:
        """A part that is a tuple; the fold may change it in place."""
        if part not in self._parts:
            self._parts[part] = list(getattr(self._before, part))
        found: list[Any] = self._parts[part]
        return found

    def mapping(self, part: str) -> dict[Any, Any]:
        """A part that is a mapping; the fold may change it in place."""
        if part not in self._parts:
            self._parts[part] = dict(getattr(self._before, part))
        found: dict[Any, Any] = self._parts[part]
        return found

    def after(self) -> S:
        """The state after all changes. Call this once: it must not change afterwards."""
        made = {p: tuple(v) if isinstance(v, list) else v for p, v in self._parts.items()}
        return replace(self._before, **made)
