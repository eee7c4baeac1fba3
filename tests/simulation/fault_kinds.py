"""The faults of a simulation: their kinds, and those in force."""

from random import Random
from typing import Literal, get_args

from msgspec import Struct

from tests.simulation.virtual_loop import VirtualLoop

FaultKind = Literal[
    "failed write", "lost answer", "stalled write", "full disk", "failed read", "stalled read",
    "crash", "torn write", "crash after commit", "restart", "frozen", "clock ahead",
    "lock lost", "lost notification",
    "lost request", "lost reply", "slow network",
]  # fmt: skip
"""What goes wrong.

- `failed write`, `failed read`: the store does nothing and reports an error
- `lost answer`: the store commits and reports an error
- `stalled write`, `stalled read`: the store takes seconds
- `full disk`: every write of every instance fails
- `crash`: an instance and its memory are gone, whatever it was doing
- `torn write`: it dies before its transaction is committed, of which nothing stays
- `crash after commit`: it dies before it hears that its transaction was committed
- `restart`: it is stopped as an operator stops it
- `frozen`: it stands still for seconds and does not notice
- `clock ahead`: its clock jumps forward
- `lock lost`: it loses the leader lock and hears of it late, so that two lead
- `lost notification`: what instances tell one another does not arrive
- `lost request`, `lost reply`, `slow network`: between clients and an instance
"""

FAULT_KINDS: tuple[FaultKind, ...] = get_args(FaultKind)

EVERYWHERE: frozenset[FaultKind] = frozenset({"full disk"})
"""Faults that concern all instances."""

AT_AN_INSTANT: frozenset[FaultKind] = frozenset(
    {"crash", "restart", "frozen", "clock ahead", "lock lost"}
)
"""Faults that happen once, to the whole instance."""


class Fault(Struct, frozen=True):
    """A fault that begins `at` microseconds after the start and lasts for `length`, on one
    instance. While it lasts, a share `odds` of what it could concern is hit."""

    at: int
    kind: FaultKind
    instance: int
    length: int
    odds: float


class ActiveFaults:
    """The faults in force at the loop's time; none once `healed`."""

    def __init__(self, faults: tuple[Fault, ...], loop: VirtualLoop, chance: Random) -> None:
        self._loop = loop
        self._chance = chance
        self._by_kind: dict[FaultKind, list[Fault]] = {}
        for fault in faults:
            self._by_kind.setdefault(fault.kind, []).append(fault)
        self.healed = False

    def hits(self, kind: FaultKind, instance: int) -> bool:
        """Whether a fault of this kind hits what the instance is doing now."""
        if self.healed or kind not in self._by_kind:
            return False
        now = self._loop.micros
        return any(
            fault.at <= now < fault.at + fault.length
            and (fault.instance == instance or kind in EVERYWHERE)
            and self._chance.random() < fault.odds
            for fault in self._by_kind[kind]
        )
