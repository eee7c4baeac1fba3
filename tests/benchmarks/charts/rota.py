"""Many matches played by few players: which match is next, and its next action."""

from collections import deque
from collections.abc import Callable, Sequence
from uuid import UUID

from msgspec import Struct

from domain.commands import Act
from tests.benchmarks.load import Turn
from tests.benchmarks.plain import pennies


class Playing(Struct):
    """A match of Dollar Prize and its turn; its players take only pennies."""

    id: UUID
    keys: list[str]
    turn: Turn

    @property
    def over(self) -> bool:
        """Whether the match is over."""
        return self.turn.to_act is None

    @property
    def act(self) -> Act:
        """The action of the seat whose turn it is."""
        assert self.turn.to_act is not None
        return pennies(self.turn.to_act, self.turn.phase, self.turn.placed)

    def tell(self, turn: Callable[[], Turn]) -> None:
        """Sets the turn after that action."""
        self.turn = turn()


class Refusing(Struct):
    """A match in which a seat repeats the same refused action."""

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
    """Matches in turn: a free player gets the one that has waited longest. A finished match is
    replaced by another, so that equally many are played all the time."""

    def __init__(self, slots: Sequence[Slot], count: int) -> None:
        running = [slot for slot in slots if not slot.over]
        self._waiting = deque(running[:count])
        self._reserve = deque(running[count:])
        self._in_use: dict[int, Slot] = {}
        self.short = len(running) < count

    def take(self) -> Slot | None:
        """The next match; nobody else gets it until it is back. None if all are in use."""
        if not self._waiting:
            return None
        slot = self._waiting.popleft()
        self._in_use[id(slot)] = slot
        return slot

    def back(self, slot: Slot) -> None:
        """Puts a match behind the others; if no match is left to replace a finished one, the rota
        is `short` from now on."""
        self._in_use.pop(id(slot), None)
        if not slot.over:
            self._waiting.append(slot)
        elif self._reserve:
            self._waiting.append(self._reserve.popleft())
        else:
            self.short = True

    @property
    def in_use(self) -> list[Slot]:
        """The matches that are not back yet."""
        return list(self._in_use.values())
