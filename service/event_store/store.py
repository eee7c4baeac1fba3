"""The event store: the records of every match, stored through the library's own contracts."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from time import perf_counter
from typing import Any, NamedTuple, Protocol, runtime_checkable
from uuid import UUID

import msgspec
from eventsourcing.application import Application
from eventsourcing.persistence import (
    AggregateRecorder,
    IntegrityError,
    Mapper,
    StoredEvent,
    Transcoder,
)
from eventsourcing.utils import Environment, EnvType
from msgspec import Struct

from domain.encoding import decode, decode_all, encode
from domain.events import Event, Record, stored_name
from service.event_store.digests import TOPIC, Digest, StoredRow, StoredRows
from service.event_store.stream_ids import INTERNAL, MATCH
from service.observability import logs
from service.observability.instrumentation import NO_INSTRUMENTATION, Instrumentation

LATEST_RECORDS = 1_000
"""Records at the end of the log in which the latest time is looked for."""

MAX_GROWN = 2_000
"""Records read at most to name the grown streams; with as many, all streams count as grown."""


NO_ROWS = 2**62
"""A position behind the end of every record."""


class Row(NamedTuple):
    """A record as it is stored. `stream` is the stream's id in hexadecimal, `topic` the stored
    name of the event, `state` the encoded record."""

    stream: str
    version: int
    topic: str
    state: bytes


Length = tuple[str, int]
"""The id of a stream in hexadecimal, and its number of events."""


class Recorded(Struct, frozen=True):
    """A record with its stream and version, in the shape of the library's domain events."""

    originator_id: UUID
    originator_version: int
    record: Record[Event]


class RecordMapper(Mapper[UUID]):
    """Maps records to stored events and back: the topic is the event's stored name."""

    def to_stored_event(self, domain_event: Any) -> StoredEvent:
        recorded: Recorded = domain_event
        return StoredEvent(
            recorded.originator_id,
            recorded.originator_version,
            stored_name(type(recorded.record.event)),
            encode(recorded.record),
        )

    def to_domain_event(self, stored_event: StoredEvent) -> Any:
        return Recorded(
            UUID(str(stored_event.originator_id)),
            stored_event.originator_version,
            decode(stored_event.state),
        )


@runtime_checkable
class QuickRecorder(Protocol):
    """The methods that our own recorders add to the library's."""

    def insert_rows(
        self, rows: Sequence[Row], unchanged: Sequence[Length] = (), digests: Sequence[Row] = ()
    ) -> Sequence[int]: ...

    def select_rows(
        self, originator_id: UUID, gt: int = 0, lte: int | None = None
    ) -> StoredRows: ...

    def select_states(
        self, originator_id: UUID, gt: int = 0, lte: int | None = None
    ) -> list[bytes]: ...

    def select_states_at(self, originator_id: UUID, versions: Sequence[int]) -> list[bytes]: ...

    def select_grown(self, position: int, limit: int) -> tuple[int, list[UUID]]: ...


@runtime_checkable
class MarkedRecorder(Protocol):
    """A recorder with a high-water mark beside its log."""

    def sync_mark(self) -> None: ...

    @property
    def mark_unsynced(self) -> float: ...


class _MessagePack(Transcoder):
    """The transcoder that the library requires; records are encoded by their mapper."""

    def encode(self, obj: Any) -> bytes:
        return msgspec.msgpack.encode(obj)

    def decode(self, data: bytes) -> Any:
        return msgspec.msgpack.decode(data)


class Store(Application[UUID]):
    """The records of all matches, and beside them the secrets of matches and the keyrings.

    All methods block: the event loop calls them in a thread.
    """

    name = "arbiter"
    instrumentation: Instrumentation = NO_INSTRUMENTATION

    def __init__(self, env: dict[str, str]) -> None:
        try:
            super().__init__(env)
            self.secrets: AggregateRecorder = self.factory.aggregate_recorder("secrets")
            self.keyrings: AggregateRecorder = self.factory.aggregate_recorder("keys")
            self._digests: AggregateRecorder | None = None
            if not isinstance(self.recorder, QuickRecorder):
                self._digests = self.factory.aggregate_recorder("digest_log")
        except BaseException:
            # An unclosed pool would go on trying to connect.
            with suppress(AttributeError):
                self.factory.close()
            raise

    def construct_env(self, name: str, env: EnvType | None = None) -> Environment:
        """The settings are those that it is given: the library would add the process's own."""
        return Environment(name, env)

    def construct_transcoder(self) -> Transcoder:
        return _MessagePack()

    def construct_mapper(self) -> Mapper[UUID]:
        return RecordMapper(self.construct_transcoder())

    def append(
        self,
        rows: Sequence[Row],
        unchanged: Sequence[Length] = (),
        digests: Sequence[Row] = (),
    ) -> None:
        """Appends rows in one transaction; they are on disk when this returns. `digests` are those
        of streams that grow, after these rows: see `digest_row`.

        Raises IntegrityError, and records nothing, if another writer was first with one of the
        versions, or if a stream in `unchanged` has grown. After any other PersistenceError of the
        library the rows may or may not be stored.
        """
        if isinstance(self.recorder, QuickRecorder):
            if rows or unchanged:
                self.recorder.insert_rows(rows, unchanged, digests)
            return
        for stream, length in unchanged:
            if self.recorder.select_events(UUID(stream), gt=length, limit=1):
                raise IntegrityError(f"stream {stream} has grown")
        if rows:
            insert_once(self.recorder, _stored(rows))
        if digests and self._digests is not None:
            # In a transaction of its own. If that fails, the next digest covers these rows, too.
            insert_once(self._digests, _stored(digests))

    def sync_mark(self) -> None:
        """Brings the high-water mark to disk, if the store has one and it has changed."""
        if isinstance(self.recorder, MarkedRecorder):
            self.recorder.sync_mark()

    @property
    def mark_unsynced(self) -> float:
        """For how many seconds the high-water mark has waited to be on disk; 0 without one."""
        return self.recorder.mark_unsynced if isinstance(self.recorder, MarkedRecorder) else 0.0

    def end(self) -> int:
        """The position of the last record in the log."""
        return self.recorder.max_notification_id() or 0

    def grown(self, position: int) -> tuple[int, set[UUID] | None]:
        """The end of the log, and the streams that have grown since `position`; None for the
        streams if there are MAX_GROWN new records or more, or the recorder cannot name them."""
        if isinstance(self.recorder, QuickRecorder):
            end, streams = self.recorder.select_grown(position, MAX_GROWN)
            return end, None if len(streams) == MAX_GROWN else set(streams)
        end = self.end()
        return end, set() if end == position else None

    def latest(self) -> int | None:
        """The latest time of the records near the end of the log; None if the log is empty.

        Records of different matches may be slightly out of the order of their times.
        """
        end = self.recorder.max_notification_id()
        if end is None:
            return None
        last = self.recorder.select_notifications(max(1, end - LATEST_RECORDS + 1), LATEST_RECORDS)
        return max(
            (at for stored in last if (at := _time_of(stored.state)) is not None), default=None
        )

    def read(self, match: UUID, after: int = 0, upto: int | None = None) -> list[Record[Event]]:
        """The records of a match after position `after`, up to `upto`, in order."""
        return decode_all(self.states(match, after, upto))

    def states(self, match: UUID, after: int = 0, upto: int | None = None) -> list[bytes]:
        """The stored bytes of the records of a match after position `after`, up to `upto`."""
        start = perf_counter()
        found = self._states(match, after, upto)
        self.instrumentation.read(perf_counter() - start)
        return found

    def _states(self, match: UUID, after: int, upto: int | None) -> list[bytes]:
        if isinstance(self.recorder, QuickRecorder):
            return self.recorder.select_states(match, after, upto)
        stored = self.recorder.select_events(match, gt=after, lte=upto)
        return [event.state for event in stored]

    def rows(self, match: UUID, after: int = 0, upto: int | None = None) -> StoredRows:
        """The rows of a match after position `after`, up to `upto`, and the digest stored of its
        record at that moment. They are not checked: see `digests.checked`."""
        start = perf_counter()
        found = self._rows(match, after, upto)
        self.instrumentation.read(perf_counter() - start)
        return found

    def _rows(self, match: UUID, after: int, upto: int | None) -> StoredRows:
        if isinstance(self.recorder, QuickRecorder):
            return self.recorder.select_rows(match, after, upto)
        # The digest first: the rows that it covers are there before it, and others are left out.
        head = self.digest_head(match)
        covered = 0 if head is None else head.length
        last = covered if upto is None else min(upto, covered)
        stored = self.recorder.select_events(match, gt=after, lte=last)
        return StoredRows([StoredRow(one.topic.encode(), one.state) for one in stored], head)

    def digest_head(self, match: UUID) -> Digest | None:
        """The digest stored of a match's record; None if there is none."""
        if self._digests is None:
            return self.rows(match, NO_ROWS).head
        last = self._digests.select_events(match, desc=True, limit=1)
        return Digest(last[0].originator_version, last[0].state) if last else None

    def states_at(self, match: UUID, positions: Sequence[int]) -> list[bytes]:
        """The stored bytes of a match's records at these ascending positions, and of no others:
        what lies between may be hidden from the reader."""
        start = perf_counter()
        found = self._states_at(match, positions)
        self.instrumentation.read(perf_counter() - start)
        return found

    def _states_at(self, match: UUID, positions: Sequence[int]) -> list[bytes]:
        if isinstance(self.recorder, QuickRecorder):
            return self.recorder.select_states_at(match, positions)
        return [
            event.state
            for position in positions
            for event in self.recorder.select_events(match, gt=position - 1, lte=position)
        ]


def _time_of(state: bytes) -> int | None:
    """The time of a record; None, with a log line, if it cannot be decoded: only its own match is
    affected."""
    try:
        return decode(state).at
    except Exception:  # noqa: BLE001  an upcaster may raise anything for damaged fields
        logs.failure("record_unreadable", RecordUnreadable())
        return None


def insert_once(recorder: AggregateRecorder, stored: Sequence[StoredEvent]) -> None:
    """Inserts like the library, but without its retries. A retry after a lost answer would find its
    own rows and report them as another writer's: the command would be decided again and recorded
    twice."""
    insert = type(recorder).insert_events
    getattr(insert, "__wrapped__", insert)(recorder, stored)


class RecordUnreadable(Exception):
    """The stored bytes are not a record."""


def digest_row(match: UUID, digest: Digest) -> Row:
    """The digest of a match's record as it is appended."""
    return Row(match.hex, digest.length, TOPIC, digest.value)


def _stored(rows: Sequence[Row]) -> list[StoredEvent]:
    return [StoredEvent(UUID(row.stream), row.version, row.topic, row.state) for row in rows]


def paired_stream(stream: UUID) -> UUID:
    """The stream of a match's signed checkpoints, from the match's stream; and the other way
    round."""
    return UUID(int=stream.int ^ (MATCH ^ INTERNAL) << 76)


def rows(match: UUID, after: int, records: Iterable[Record[Event]]) -> list[Row]:
    """The rows of records that follow position `after` of their match."""
    stream = match.hex
    return [
        Row(stream, position, stored_name(type(record.event)), encode(record))
        for position, record in enumerate(records, after + 1)
    ]
