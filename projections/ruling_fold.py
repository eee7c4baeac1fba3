"""Rulings as somebody sees them: the fold that those of a match and of a tournament share."""

from collections.abc import Sequence
from typing import Any, Generic, Literal, Protocol, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from projections.timestamps import Timestamp


class Shown(Protocol):
    """What every ruling has that is shown."""

    @property
    def ruling(self) -> str | None: ...
    @property
    def status(self) -> str: ...
    @property
    def by(self) -> tuple[str | None, ...] | UnsetType: ...
    @property
    def proposed(self) -> Timestamp | UnsetType: ...


S = TypeVar("S", bound=Shown)


class Seen(Generic[S]):
    """The rulings in the order in which the reader learnt of them. `open` is the place of the one
    that the last record was about, None if it was about none. A ruling that was pending keeps what
    its fields `kept` say once it is carried out."""

    def __init__(self, kept: Sequence[str]) -> None:
        self.rulings: list[S] = []
        self.open: int | None = None
        self._kept = kept
        self._places: dict[str, int] = {}

    def place(self, ruling: str) -> int | None:
        """The place of the ruling of this id, if the reader was told of it."""
        return self._places.get(ruling)

    def put(self, place: int, shown: S) -> None:
        """Shows a ruling as it is now; what follows is about it."""
        self.rulings[place], self.open = shown, place
        if shown.ruling is not None:
            self._places[shown.ruling] = place

    def append(self, shown: S) -> None:
        """Shows one more ruling."""
        self.rulings.append(shown)
        self.put(len(self.rulings) - 1, shown)

    def change(self, place: int | None, **fields: Any) -> None:
        """Shows the ruling at a place with these fields, if there is one."""
        if place is not None:
            self.put(place, msgspec.structs.replace(self.rulings[place], **fields))  # type: ignore[type-var]  # a Struct

    def directed(self, by: str | None) -> None:
        """Who proposed the ruling, or who carried it out."""
        if self.open is not None:
            self.change(self.open, by=(*(self.rulings[self.open].by or ()), by))

    def carried_out(self, ruling: str, **fields: Any) -> None:
        """The last ruling has this id: it stands where it was proposed, if it was pending."""
        place, last = self.place(ruling), len(self.rulings) - 1
        self.change(last, ruling=ruling, **fields)
        if place is None:
            return
        pending, told = self.rulings[place], self.rulings.pop()
        by = pending.by if told.by is UNSET else (*(pending.by or ()), *(told.by or ()))
        self.put(place, told)
        self.change(place, by=by, **{name: getattr(pending, name) for name in self._kept})

    def given_up(self, ruling: str, status: Literal["lapsed", "withdrawn"]) -> None:
        """A pending ruling is not pending any more: who gave it up is not shown."""
        self.change(self.place(ruling), status=status, lapses=UNSET)
        self.open = None
