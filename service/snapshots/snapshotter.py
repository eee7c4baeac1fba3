"""The snapshotter: makes snapshots in the background, and reads them.

A match that has grown by `EVERY` events is folded in a thread that often pauses, starting from the
previous snapshot if there is one. A snapshot is stored only if it decodes to what was encoded. A
sample of the snapshots that are read is compared with the fold of all records.
"""

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter, sleep
from typing import NamedTuple, ParamSpec, Protocol, TypeVar
from uuid import UUID

from domain.encoding import decode_all
from domain.events import Event, Record
from domain.live import undoes
from projections.audience_projection import AudienceProjection
from projections.disclosure import Viewer
from projections.lines import checksum
from service.event_store.digests import (
    Digest,
    RecordAltered,
    StoredRow,
    StoredRows,
    begun,
    checked,
    extended,
)
from service.event_store.store import Store
from service.observability import logs
from service.snapshots.codec import (
    MATCH_PART,
    MatchSnapshot,
    UnusableSnapshot,
    decode_audience,
    decode_match,
    digest_in,
    mark,
    part_name,
    record_digest,
)
from service.snapshots.snapshot_builder import History, SnapshotBuilder
from service.snapshots.table import SnapshotTable, StoredPart

EVERY = 1_000
"""Events between two snapshots of a match."""

LOOK_SECONDS = 1.0
"""Seconds between two searches for matches that have grown."""

SAMPLE = 64
"""One in this many snapshot reads is verified against the fold of all records."""

MAX_TO_VERIFY = 8
"""Maximum matches that wait for verification; the rest are not verified."""

BATCH = 100
"""Records that are folded at a time."""

WORK_SECONDS, REST_SECONDS = 0.001, 0.002
"""Seconds of work, and of the pause after it, which leaves the interpreter to the event loop."""

P = ParamSpec("P")
T = TypeVar("T")


class SnapshotDiffers(Exception):
    """A snapshot differs from the fold of the records."""


class Stopped(Exception):
    """The instance is stopping."""


class _AudiencePart(NamedTuple):
    """An audience's projection, and the mark of the record that it includes."""

    last: bytes
    projection: AudienceProjection


class UsableSnapshot(NamedTuple):
    """A match's snapshot, the stored rows from its last one on, and the digest after them."""

    part: MatchSnapshot
    rows: list[StoredRow]
    digest: Digest


class GrowingMatches(Protocol):
    """The matches in memory, from which the snapshotter chooses."""

    def grown(self, by: int) -> list[tuple[UUID, int]]:
        """Matches with at least `by` events since their latest snapshot, and their lengths."""

    def snapshot_made(self, match_id: UUID, position: int) -> None:
        """Notes the position of the match's latest snapshot."""

    def invalidate(self, match_id: UUID) -> None:
        """Discards the match's state in memory, which may be wrong."""


class Snapshotter:
    """Makes, reads and verifies snapshots. Everything but `run` blocks."""

    def __init__(self, store: Store, table: SnapshotTable) -> None:
        self._store = store
        self._table = table
        self._thread = ThreadPoolExecutor(1, "snapshots")
        self._stopped = threading.Event()
        self._read = 0
        self._to_verify: set[UUID] = set()
        self._worked_since = 0.0

    async def run(self, matches: GrowingMatches) -> None:
        """Makes and verifies snapshots for as long as the service runs."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            for match_id, length in matches.grown(EVERY):
                made = await self._in_thread(self.make, match_id, length)
                # After a failure the next attempt waits for as many new events again.
                matches.snapshot_made(match_id, length if made is None else made)
            while self._to_verify:
                match_id = self._to_verify.pop()
                if await self._in_thread(self.verify, match_id) is False:
                    matches.invalidate(match_id)

    def close(self) -> None:
        """Interrupts the snapshot that is being made, and closes the table."""
        self._stopped.set()
        self._thread.shutdown()
        self._table.close()

    # Reading snapshots.

    def match(self, match_id: UUID) -> UsableSnapshot | None:
        """The match's snapshot, and the stored rows from its last one on; None if there is no
        snapshot that this log continues. Where it does not, snapshot or log may be damaged."""
        try:
            part = self._match_part(match_id)
            if part is None:
                return None
            rows, head = self._store.rows(match_id, part.position - 1)
            self._check_last(part.last, rows)
            covered = digest_in(part.position, part.last)
            digest = checked(match_id, covered, StoredRows(rows[1:], head))
        except (UnusableSnapshot, RecordAltered) as error:
            self.drop(match_id, error)
            return None
        self._read += 1
        if self._read % SAMPLE == 0 and len(self._to_verify) < MAX_TO_VERIFY:
            self._to_verify.add(match_id)
        return UsableSnapshot(part, rows, digest)

    def projection(
        self, match_id: UUID, viewer: Viewer, found: UsableSnapshot
    ) -> AudienceProjection | None:
        """The audience's projection from its snapshot, which may be a later or earlier one than the
        match's; None without a snapshot that this log continues. Later events are still to be
        added."""
        try:
            audience = self._audience_part(match_id, viewer)
            if audience is None or audience.projection.end > found.digest.length:
                return None
            if audience.projection.end < found.part.position:
                if not self._continue(match_id, audience, found.part):
                    return None
            elif audience.last != _mark_at(audience.projection.end, found):
                raise UnusableSnapshot
        except UnusableSnapshot as error:
            self.drop(match_id, error)
            return None
        return audience.projection

    def _continue(self, match_id: UUID, audience: _AudiencePart, part: MatchSnapshot) -> bool:
        """Adds the events up to the match's snapshot to an earlier one of an audience; returns
        False if one of them undoes something. Raises UnusableSnapshot if both are not of one
        record."""
        projection = audience.projection
        rows = self._store.rows(match_id, projection.end, part.position).rows
        digest = extended(digest_in(projection.end, audience.last), rows)
        if digest != digest_in(part.position, part.last):
            raise UnusableSnapshot
        states = [row.state for row in rows]
        records = decode_all(states)
        if undoes(record.event for record in records):
            return False
        projection.read(records, list(map(checksum, states)))
        return True

    def _match_part(self, match_id: UUID) -> MatchSnapshot | None:
        stored = self._stored_part(match_id, MATCH_PART)
        return None if stored is None else decode_match(stored.position, stored.content)

    def _audience_part(self, match_id: UUID, viewer: Viewer) -> _AudiencePart | None:
        stored = self._stored_part(match_id, part_name(viewer))
        if stored is None:
            return None
        last, projection = decode_audience(stored.position, stored.content)
        if projection.viewer != viewer:
            raise UnusableSnapshot
        return _AudiencePart(last, projection)

    def _stored_part(self, match_id: UUID, part: str) -> StoredPart | None:
        try:
            return self._table.find(match_id, part)
        except Exception as error:  # noqa: BLE001  the records are folded instead
            logs.failure("snapshot_not_read", error, match=str(match_id))
            return None

    def _check_last(self, last: bytes, rows: Sequence[StoredRow]) -> None:
        """Raises UnusableSnapshot if the log does not continue a snapshot, which can happen after
        the log was restored from a backup."""
        if not rows or not last.startswith(record_digest(rows[0].state)):
            raise UnusableSnapshot

    def drop(self, match_id: UUID, why: Exception) -> None:
        """Deletes the snapshot of a match, which does not fit its record, and logs why."""
        logs.failure("snapshot_unfit", why, match=str(match_id))
        try:
            self._table.drop(match_id)
        except Exception as error:  # noqa: BLE001  the next read finds and drops it again
            logs.failure("snapshot_not_deleted", error, match=str(match_id))

    # Making snapshots.

    def make(self, match_id: UUID, length: int) -> int:
        """Stores a snapshot of the first `length` events, which must be whole commands, and returns
        its position. If one is stored that is almost as long, or longer, returns its position.

        Raises UnusableSnapshot if a part does not decode to what was encoded.
        """
        self._worked_since = perf_counter()
        stored = self._stored_part(match_id, MATCH_PART)
        if stored is not None and stored.position > length - EVERY:
            return stored.position
        builder = self._resumed(match_id, length) or self._builder(match_id)
        self._fold(builder, length)
        for part, content in builder.parts():
            self._pause()
            self._table.write(match_id, builder.position, [(part, content)])
        return builder.position

    def verify(self, match_id: UUID) -> bool:
        """Whether a match's snapshot equals the fold of its records; if not, it is deleted."""
        self._worked_since = perf_counter()
        stored = self._stored_part(match_id, MATCH_PART)
        if stored is None:
            return True
        builder = self._builder(match_id)
        self._fold(builder, stored.position)
        for part, content in builder.parts():
            self._pause()
            stored = self._stored_part(match_id, part)
            if stored is None or stored.position != builder.position:
                continue
            if stored.content != content:
                self.drop(match_id, SnapshotDiffers())
                return False
        return True

    def _resumed(self, match_id: UUID, length: int) -> SnapshotBuilder | None:
        """A builder that continues the stored snapshot; None if the snapshot is incomplete, or is
        beyond `length`."""
        try:
            part = self._match_part(match_id)
            if part is None or part.position > length:
                return None
            self._check_last(
                part.last, self._store.rows(match_id, part.position - 1, part.position).rows
            )
            builder = SnapshotBuilder.from_snapshot(match_id, part, self._history(match_id))
            for viewer in list(builder.projections):
                self._pause()
                found = self._audience_part(match_id, viewer)
                if found is None or (found.last, found.projection.end) != (
                    part.last,
                    part.position,
                ):
                    return None
                builder.projections[viewer] = found.projection
        except UnusableSnapshot as error:
            self.drop(match_id, error)
            return None
        return builder

    def _builder(self, match_id: UUID) -> SnapshotBuilder:
        return SnapshotBuilder(match_id, self._history(match_id))

    def _history(self, match_id: UUID) -> History:
        """The first records of a match, up to a position."""

        def first(upto: int) -> list[Record[Event]]:
            self._pause()
            return decode_all([row.state for row in self._store.rows(match_id, 0, upto).rows])

        return first

    def _fold(self, builder: SnapshotBuilder, length: int) -> None:
        digest = begun(builder.match_id)
        if builder.position:
            digest = digest_in(builder.position, builder.last)
        for records, rows in self._batches(builder.match_id, builder.position, length):
            digest = extended(digest, rows)
            checksums = [checksum(row.state) for row in rows]
            builder.add(records, checksums, mark(rows[-1].state, digest), self._pause)

    def _batches(
        self, match_id: UUID, after: int, upto: int
    ) -> Iterator[tuple[list[Record[Event]], list[StoredRow]]]:
        """The records after a position in batches of whole commands, and their rows."""
        records: list[Record[Event]] = []
        rows: list[StoredRow] = []
        while after < upto:
            found = self._store.rows(match_id, after, min(after + BATCH, upto)).rows
            if not found:
                raise UnusableSnapshot
            after += len(found)
            rows += found
            records += decode_all([row.state for row in found])
            end = len(records) if after == upto else _last_input(records)
            if end:
                yield records[:end], rows[:end]
                del records[:end], rows[:end]

    def _pause(self) -> None:
        """Pauses if it is time. Raises Stopped when the instance is stopping."""
        if self._stopped.is_set():
            raise Stopped
        if perf_counter() - self._worked_since >= WORK_SECONDS:
            sleep(REST_SECONDS)
            self._worked_since = perf_counter()

    async def _in_thread(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
        """Calls it in the thread; logs a failure, and returns None then."""
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._thread, lambda: call(*args, **kwargs))
        except Stopped:
            return None
        except Exception as error:  # noqa: BLE001  a match works without a snapshot
            logs.failure("snapshot_not_made", error)
            return None


def _mark_at(position: int, found: UsableSnapshot) -> bytes:
    """The mark of the record up to a position at or after the snapshot of the match."""
    part, rows, _ = found
    later = position - part.position
    return mark(
        rows[later].state, extended(digest_in(part.position, part.last), rows[1 : later + 1])
    )


def _last_input(records: list[Record[Event]]) -> int:
    """The number of records before the last input; 0 if no record after the first is an input."""
    for end in range(len(records) - 1, 0, -1):
        if records[end].back == 0:
            return end
    return 0
