"""Reads the rows of a stream once, in pages, and judges each by what stands in it and next to
it."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple
from uuid import UUID

from domain.encoding import UPCASTERS, decode, decode_all
from domain.events import Event, Record, stored_name
from service.checking.findings import Finding, Part
from service.event_store.integrity.checked_records import undecoded
from service.event_store.integrity.digests import (
    RecordAltered,
    StoredRow,
    begin_digest,
    compare,
    extend_digest,
    has_digest,
)
from service.event_store.reading import StoreReader, StreamHead, VersionedRow
from service.event_store.recorder import NO_LIMIT

PAGE = 100
"""Rows that are read, and in memory, at once."""

MAX_FINDINGS = 5
"""Maximum findings in the rows of one stream; more would say nothing new."""

Pause = Callable[[], None]
"""Called often between two pieces of work: a slow check waits in it. It may raise
Stopped."""


class Stopped(Exception):
    """The check is given up; raised by a pause."""


class RowPage(NamedTuple):
    """Rows that follow one another, and their records."""

    records: list[Record[Event]]
    rows: list[StoredRow]


class StreamRows:
    """The rows of a stream. `broken`: one is missing or cannot be decoded, so that nothing that
    follows from the rows as a whole can be judged."""

    def __init__(self, reader: StoreReader, stream: UUID, head: StreamHead, pause: Pause) -> None:
        self.findings: list[Finding] = []
        self.broken = False
        self.count = 0
        self.first: Event | None = None
        self._reader = reader
        self._stream = stream
        self._head = head
        self._pause = pause
        self._digest = begin_digest(stream)
        self._digested = False
        self._at = 0

    def pages(self) -> Iterator[RowPage]:
        """The rows in order up to the first that is missing or cannot be decoded; the rest is read
        and judged, too, before the iterator ends."""
        last = 0
        while page := self._reader.rows(self._stream, last, self._head.last, PAGE):
            self._pause()
            self._check_versions(last, page)
            last = page[-1].version
            rows = [row for _, row in page]
            if not self.count:
                self._digested = has_digest(rows[0])
            self._digest = extend_digest(self._digest, rows)
            records = self._decode_page(page)
            self._pause()
            if not self.broken:
                if self.first is None:
                    self.first = records[0].event
                yield RowPage(records, rows)
            self.count += len(page)
        if self.count != self._head.rows and not self.broken:
            self._find("rows", "a row has a position that no row can have")
        if not self.broken:
            try:
                compare(self._stream, self._digest, self._head.digest, digested=self._digested)
            except RecordAltered as error:
                self._find("digests", error.what, error.position)

    def _check_versions(self, last: int, page: Sequence[VersionedRow]) -> None:
        for expected, (version, _) in enumerate(page, last + 1):
            if version != expected:
                self._break_off("gaps", _missing(expected, version), expected)
                return

    def _decode_page(self, page: Sequence[VersionedRow]) -> list[Record[Event]]:
        """The records of a page; fewer if one cannot be decoded."""
        try:
            records = decode_all([row.state for _, row in page])
        except Exception:  # noqa: BLE001  an upcaster may raise anything for damaged fields
            records = [
                record
                for versioned in page
                if (record := self._decoded_alone(versioned)) is not None
            ]
        if len(records) == len(page):
            for (version, row), record in zip(page, records, strict=True):
                self._check_beside(version, row, record)
        return records

    def _decoded_alone(self, versioned: VersionedRow) -> Record[Event] | None:
        version, row = versioned
        try:
            return decode(row.state)
        except Exception as error:  # noqa: BLE001  as above
            self._break_off("rows", f"{undecoded(row)} ({type(error).__name__})", version)
            return None

    def _check_beside(self, version: int, row: StoredRow, record: Record[Event]) -> None:
        """Compares a record with the stored name next to it, and its time with the one before."""
        name = row.topic.decode(errors="replace")
        if name != stored_name(type(record.event)) and name not in UPCASTERS:
            self._find("rows", f"it is stored under the name of another event: {name!r}", version)
        if record.at < self._at:
            self._find("times", "its time is before that of the row before it", version)
        self._at = record.at

    def _break_off(self, part: Part, text: str, position: int) -> None:
        self.broken = True
        self._find(part, text, position)

    def _find(self, part: Part, text: str, position: int | None = None) -> None:
        if len(self.findings) < MAX_FINDINGS:
            self.findings.append(Finding(part, text, str(self._stream), position))


def read_records(reader: StoreReader, stream: UUID, pause: Pause) -> list[Record[Event]]:
    """All records of a stream. May raise anything for a damaged one."""
    records: list[Record[Event]] = []
    while page := reader.rows(stream, len(records), NO_LIMIT, PAGE):
        pause()
        records += decode_all([row.state for _, row in page])
    return records


def _missing(first: int, next_version: int) -> str:
    if next_version <= first:
        return "a row stands twice or has a position that no row can have"
    count = next_version - first
    return "it is missing" if count == 1 else f"it and the {count - 1:,} after it are missing"
