"""Rulings in the order in which a reader learnt of them, each as it is by now."""

from typing import Generic, Protocol, TypeVar


class WithRuling(Protocol):
    """A ruling as it is shown."""

    @property
    def ruling(self) -> str | None:
        """Its id, if the reader was told it."""


R = TypeVar("R", bound=WithRuling)


class RulingsInOrder(Generic[R]):
    """The rulings so far; `open` is the place of the one that the last records were about."""

    def __init__(self) -> None:
        self.rulings: list[R] = []
        self.open: int | None = None
        self._places: dict[str, int] = {}

    def place(self, ruling: str) -> int | None:
        """The place of the ruling of this id, if the reader was told of it."""
        return self._places.get(ruling)

    def put(self, place: int, shown: R) -> None:
        """Shows a ruling as it is now; what follows is about it."""
        self.rulings[place], self.open = shown, place
        if shown.ruling is not None:
            self._places[shown.ruling] = place

    def append(self, shown: R) -> None:
        """Shows one more ruling."""
        self.rulings.append(shown)
        self.put(len(self.rulings) - 1, shown)
