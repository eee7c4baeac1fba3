"""Compares the stored snapshot of a match with what folding its rows gives."""

from collections.abc import Callable, Sequence
from uuid import UUID

from domain.events import Event, Record
from projections.lines import checksum
from service.checking.findings import Finding
from service.checking.rows import Page, Pause, Stopped
from service.event_store.digests import StoredRow, begun, extended
from service.event_store.reading import SnapshotRow
from service.snapshots.codec import (
    MATCH_PART,
    encode_audience,
    encode_match,
    mark,
    part_name,
    shape,
)
from service.snapshots.snapshot_builder import History, SnapshotBuilder
from service.snapshots.table import content_digest


class SnapshotComparison:
    """The parts of a match's snapshot, which may be of different positions. `checked` counts those
    that were compared. Parts that another release has made are ignored, as it ignores them.
    `history` reads the first rows again, where the match was rewound."""

    def __init__(
        self, match: UUID, parts: Sequence[SnapshotRow], pause: Pause, history: History
    ) -> None:
        self.findings: list[Finding] = []
        self.checked = 0
        self._match = match
        self._parts = [part for part in parts if bytes(part.shape) == shape()]
        self._pause = pause
        self._builder = SnapshotBuilder(match, history)
        self._digest = begun(match)
        self._records: list[Record[Event]] = []
        self._rows: list[StoredRow] = []
        self._failed = False

    def add(self, page: Page) -> None:
        """Folds the next rows as far as a snapshot needs them, and compares."""
        if not self._parts or self._failed:
            return
        self._records += page.records
        self._rows += page.rows
        try:
            self._compare_reached()
        except Stopped:
            raise
        except Exception as error:  # noqa: BLE001  what is no match may make any fold fail
            self._failed = True
            self._find(f"its rows cannot be folded ({type(error).__name__})")

    def end(self, *, broken: bool) -> None:
        """Notes the end of the rows; with `broken` ones nothing can be said of later snapshots."""
        if self._failed or broken:
            return
        for part in self._parts:
            self._find(f"the part of {part.part} is of {part.position:,} rows, which there are not")

    def _compare_reached(self) -> None:
        while self._parts:
            needed = self._parts[0].position - self._builder.position
            if needed > len(self._records):
                self._fold(_last_input(self._records))
                return
            self._fold(needed)
            while self._parts and self._parts[0].position <= self._builder.position:
                self._compare(self._parts.pop(0))

    def _fold(self, count: int) -> None:
        if not count:
            return
        rows = self._rows[:count]
        self._digest = extended(self._digest, rows)
        last = mark(rows[-1].state, self._digest)
        checksums = [checksum(row.state) for row in rows]
        self._builder.add(self._records[:count], checksums, last, self._pause)
        del self._records[:count], self._rows[:count]

    def _compare(self, part: SnapshotRow) -> None:
        self._pause()
        name, position, content = part.part, part.position, bytes(part.content)
        digest = content_digest(self._match, name, position, shape(), content)
        expected = self._expected(name)
        if bytes(part.digest) != digest:
            self._find(f"the part of {name} after {position:,} rows has changed since it was made")
        elif expected is None:
            self._find(f"there is no audience {name} for a part of it")
        elif expected() != content:
            self._find(f"the part of {name} after {position:,} rows differs from the fold of them")
        self.checked += 1

    def _expected(self, name: str) -> Callable[[], bytes] | None:
        builder = self._builder
        if name == MATCH_PART:
            return lambda: encode_match(builder.match_part())
        for viewer, projection in builder.projections.items():
            if part_name(viewer) == name:
                return lambda: encode_audience(builder.last, projection)
        return None

    def _find(self, text: str) -> None:
        self.findings.append(Finding("snapshots", text, str(self._match)))


def _last_input(records: Sequence[Record[Event]]) -> int:
    """The number of records before the last input, which are whole commands; 0 if that is the
    first record, or none is an input."""
    for end in range(len(records) - 1, 0, -1):
        if records[end].back == 0:
            return end
    return 0
