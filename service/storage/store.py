"""The event store: what is on the record of every match, through the library's own contracts."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import pairwise
from time import perf_counter
from typing import Any, Protocol, runtime_checkable
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
from msgspec import Struct

from domain.encoding import decode, decode_all, encode
from domain.events import Event, Record, stored_name
from service import logs
from service.watcher import NOBODY, Watcher

OTHER_VERSION = 0xF << 76

LATEST = 1_000
"""So many records at the end of the log are among them."""

MOST_GROWN = 2_000
"""Behind more records than this it is not told one by one which streams have grown."""

ALONG = 32
"""What lies this far apart is read together, with what is between: that takes less than asking once
more."""

Row = tuple[str, int, str, bytes]
"""Stream (its id in hexadecimal, as it is stored), version, stored name, encoded record."""


Length = tuple[str, int]
"""A stream, its id in hexadecimal, and how many events it has."""


class Recorded(Struct, frozen=True):
    """A record in its place, as the library's mapper and event store know it."""

    originator_id: UUID
    originator_version: int
    at: int
    event: Event


class RecordMapper(Mapper[UUID]):
    """Between records and stored events: the topic is the event's stored name."""

    def to_stored_event(self, domain_event: Any) -> StoredEvent:
        recorded: Recorded = domain_event
        return StoredEvent(
            recorded.originator_id,
            recorded.originator_version,
            stored_name(type(recorded.event)),
            encode(Record(recorded.at, recorded.event)),
        )

    def to_domain_event(self, stored_event: StoredEvent) -> Any:
        record = decode(stored_event.state)
        return Recorded(
            UUID(str(stored_event.originator_id)),
            stored_event.originator_version,
            record.at,
            record.event,
        )


@runtime_checkable
class QuickRecorder(Protocol):
    """What our own recorders add to the library's."""

    def insert_rows(
        self, rows: Sequence[Row], unchanged: Sequence[Length] = ()
    ) -> Sequence[int]: ...

    def select_states(
        self, originator_id: UUID, gt: int = 0, lte: int | None = None
    ) -> list[bytes]: ...

    def select_grown(self, position: int, limit: int) -> tuple[int, list[UUID]]: ...


class _MessagePack(Transcoder):
    """Named only because an application wants one; records are encoded by their mapper."""

    def encode(self, obj: Any) -> bytes:
        return msgspec.msgpack.encode(obj)

    def decode(self, data: bytes) -> Any:
        return msgspec.msgpack.decode(data)


class Store(Application[UUID]):
    """All matches' records, and beside them the dealer's secrets and the keyrings.

    Everything here blocks: the event loop calls it from a thread.
    """

    name = "arbiter"
    watcher: Watcher = NOBODY

    def __init__(self, env: dict[str, str]) -> None:
        try:
            super().__init__(env)
            self.secrets: AggregateRecorder = self.factory.aggregate_recorder("secrets")
            self.keyrings: AggregateRecorder = self.factory.aggregate_recorder("keys")
        except BaseException:
            # Connections that have been begun would be tried for as long as nobody says otherwise.
            with suppress(AttributeError):
                self.factory.close()
            raise

    def construct_transcoder(self) -> Transcoder:
        return _MessagePack()

    def construct_mapper(self) -> Mapper[UUID]:
        return RecordMapper(self.construct_transcoder())

    def append(self, rows: Sequence[Row], unchanged: Sequence[Length] = ()) -> None:
        """Puts rows on the record in one transaction, on disk when this returns.

        Raises IntegrityError if another writer was first with one of the versions, or if one of the
        streams that must be `unchanged` has grown: then nothing has been recorded. Raises other
        PersistenceErrors of the library if the store fails: then nobody knows.
        """
        if isinstance(self.recorder, QuickRecorder):
            if rows or unchanged:
                self.recorder.insert_rows(rows, unchanged)
            return
        for stream, length in unchanged:
            if self.recorder.select_events(UUID(stream), gt=length, limit=1):
                raise IntegrityError(f"stream {stream} has grown")
        if rows:
            stored = [StoredEvent(UUID(row[0]), *row[1:]) for row in rows]
            once(self.recorder, stored)

    def end(self) -> int:
        """Where the log ends now."""
        return self.recorder.max_notification_id() or 0

    def grown(self, position: int) -> tuple[int, set[UUID] | None]:
        """Where the log ends, and the streams that have grown behind a position; None for those if
        they are more than can be told at once."""
        if isinstance(self.recorder, QuickRecorder):
            end, streams = self.recorder.select_grown(position, MOST_GROWN)
            return end, None if len(streams) == MOST_GROWN else set(streams)
        end = self.end()
        return end, set() if end == position else None

    def latest(self) -> int | None:
        """The latest time under which anything stands near the end of the log; None if it is empty.

        Records of different matches may stand a little out of the order of their times.
        """
        end = self.recorder.max_notification_id()
        if end is None:
            return None
        last = self.recorder.select_notifications(max(1, end - LATEST + 1), LATEST)
        return max((at for stored in last if (at := _at(stored.state)) is not None), default=None)

    def read(self, match: UUID, after: int = 0, upto: int | None = None) -> list[Record[Event]]:
        """The records of a match behind position `after`, up to `upto`, in order."""
        return decode_all(self.states(match, after, upto))

    def states(self, match: UUID, after: int = 0, upto: int | None = None) -> list[bytes]:
        """What is stored of those records, byte for byte."""
        began = perf_counter()
        found = self._states(match, after, upto)
        self.watcher.read(perf_counter() - began)
        return found

    def _states(self, match: UUID, after: int, upto: int | None) -> list[bytes]:
        if isinstance(self.recorder, QuickRecorder):
            return self.recorder.select_states(match, after, upto)
        stored = self.recorder.select_events(match, gt=after, lte=upto)
        return [event.state for event in stored]

    def read_at(self, match: UUID, positions: Sequence[int]) -> list[Record[Event]]:
        """The records of a match at these ascending positions, and no others."""
        states: list[bytes] = []
        for some in stretches(positions):
            there = self.states(match, some[0] - 1, some[-1])
            states += [there[position - some[0]] for position in some]
        return decode_all(states)


def _at(state: bytes) -> int | None:
    """The time of a record; None if it cannot be read, which concerns nobody but its match."""
    try:
        return decode(state).at
    except msgspec.DecodeError:
        logs.failed("record_unreadable", RecordUnreadable())
        return None


def once(recorder: AggregateRecorder, stored: Sequence[StoredEvent]) -> None:
    """Inserts as the library does, but tries it once. Where the library tries again by itself, an
    insert whose answer was lost finds its own rows and takes them for another writer's: what they
    say would be judged again, and recorded twice."""
    insert = type(recorder).insert_events
    getattr(insert, "__wrapped__", insert)(recorder, stored)


class RecordUnreadable(Exception):
    """What is stored is no record."""


def beside(stream: UUID) -> UUID:
    """The stream beside a match's, of what has been signed of it; and back again. Its id is of
    another version: 8 where that of a match is 7 (RFC 9562)."""
    return UUID(int=stream.int ^ OTHER_VERSION)


def stretches(positions: Sequence[int]) -> list[Sequence[int]]:
    """Ascending numbers in parts, between which more lies than is worth reading along."""
    ends = [n for n, (one, next_) in enumerate(pairwise(positions), 1) if next_ - one > ALONG]
    starts = [0, *ends] if positions else []
    return [positions[start:end] for start, end in zip(starts, [*ends, None], strict=False)]


def rows(match: UUID, after: int, records: Iterable[Record[Event]]) -> list[Row]:
    """The records as they will lie in the store, behind position `after` of their match."""
    stream = match.hex
    return [
        (stream, position, stored_name(type(record.event)), encode(record))
        for position, record in enumerate(records, after + 1)
    ]
