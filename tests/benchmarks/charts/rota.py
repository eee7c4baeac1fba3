"""Many matches played by few: who takes which, and what is done there."""

from collections import deque
from collections.abc import Callable, Sequence
from uuid import UUID

from msgspec import Struct

from domain.commands import Act
from tests.benchmarks.load import Turn
from tests.benchmarks.plain import pennies


class Playing(Struct):
    """A match of Dollar Prize and how it stands; its players take nothing but pennies."""

    id: UUID
    keys: list[str]
    turn: Turn

    @property
    def over(self) -> bool:
        """Whether nobody is to act any more."""
        return self.turn.to_act is None

    @property
    def act(self) -> Act:
        """What the seat whose turn it is does."""
        assert self.turn.to_act is not None
        return pennies(self.turn.to_act, self.turn.phase, self.turn.placed)

    def tell(self, turn: Callable[[], Turn]) -> None:
        """How it stands after that."""
        self.turn = turn()


class Refusing(Struct):
    """A match in which a seat tries the same thing again and again, and is refused."""

    id: UUID
    keys: list[str]
    act: Act

    @property
    def over(self) -> bool:
        """Never."""
        return False

    def tell(self, turn: Callable[[], Turn]) -> None:
        """Nothing has changed."""


Slot = Playing | Refusing


class Rota:
    """So many matches in turn: whoever is free takes the one that has waited longest. In the place
    of one that is over comes another, so that equally many are played all the time."""

    def __init__(self, slots: Sequence[Slot], count: int) -> None:
        running = [slot for slot in slots if not slot.over]
        self._waiting = deque(running[:count])
        self._reserve = deque(running[count:])
        self._taken: dict[int, Slot] = {}
        self.short = len(running) < count

    def take(self) -> Slot | None:
        """The next match; it is nobody else's until it is back. None if all are taken."""
        if not self._waiting:
            return None
        slot = self._waiting.popleft()
        self._taken[id(slot)] = slot
        return slot

    def back(self, slot: Slot) -> None:
        """Puts a match behind the others; where none is left for one that is over, it is `short`
        from now on."""
        self._taken.pop(id(slot), None)
        if not slot.over:
            self._waiting.append(slot)
        elif self._reserve:
            self._waiting.append(self._reserve.popleft())
        else:
            self.short = True

    @property
    def taken(self) -> list[Slot]:
        """Those that are not back yet."""
        return list(self._taken.values())
