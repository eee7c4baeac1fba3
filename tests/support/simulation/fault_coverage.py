"""Which faults hit the write side in which of its states: a table."""

from collections import Counter
from collections.abc import Iterable

from tests.support.simulation.fault_kinds import FAULT_KINDS

STATES = (
    "idle", "reading", "queued", "deciding", "conflict", "creating", "deadline",
    "tournament", "settling", "signing", "leading",
)  # fmt: skip
"""States of an instance's write side. Several may hold at once.

- `idle`: no command waits
- `reading`: a match is being read for its commands
- `queued`: a command waits to be decided
- `deciding`: decided commands are being committed
- `conflict`: a command lost a race and is decided again
- `creating`, `deadline`, `tournament`, `settling`, `signing`: this kind of rows is committed
- `leading`: the instance reports deadlines, settles and signs
"""


LOST_RACE = "lost race"
"""No fault but what instances do to one another: the versions of a transaction were taken."""


class Coverage(Counter[tuple[str, str]]):
    """How often a fault hit a state; the key is the pair of them."""

    def note(self, fault: str, states: Iterable[str]) -> None:
        """Counts a fault and the states that it hit."""
        self.update((fault, state) for state in states)

    def table(self) -> str:
        """The counts, a row for each fault and a column for each state."""
        rows = [["", *STATES]]
        rows += [
            [kind, *(_shown(self[kind, state]) for state in STATES)]
            for kind in (LOST_RACE, *FAULT_KINDS)
        ]
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        return "\n".join(
            "  ".join(
                cell.rjust(width) if column else cell.ljust(width)
                for column, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        )


def _shown(count: int) -> str:
    return str(count) if count else "."
