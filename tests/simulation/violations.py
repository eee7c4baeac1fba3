"""What can be wrong with a history."""

from typing import Literal

from msgspec import Struct

ViolationKind = Literal[
    "acknowledged before it is on record", "acknowledged and not on record", "recorded twice",
    "two answers", "order", "stale", "seen before it is on record", "seen otherwise", "gap",
    "record", "ledger", "settled twice", "not done", "error", "given twice", "ended and works",
]  # fmt: skip


class Violation(Struct, frozen=True):
    """Something that must never happen."""

    kind: ViolationKind
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"
