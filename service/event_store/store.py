"""The event store: the records of every match, stored through the library's own contracts."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from time import perf_counter
from typing import TypeVar, cast
from uuid import UUID

from eventsourcing.persistence import AggregateRecorder, InfrastructureFactory
from eventsourcing.utils import Environment

from domain.encoding import decode, decode_all, encode
from domain.events import Event, Record, stored_name
from service.event_store.database import Database, NotMigrated, SQLiteDatabase, lacks, may_create
from service.event_store.integrity.digests import TOPIC, Digest, StoredRows
from service.event_store.recorder import (
    KEYRINGS,
    NO_LIMIT,
    SECRETS,
    Length,
    LogRecorder,
    Row,
    StoreFactory,
)
from service.event_store.stream_ids import INTERNAL, MATCH
from service.observability import logs
from service.observability.instrumentation import NO_INSTRUMENTATION, Instrumentation

T = TypeVar("T")

LATEST_RECORDS = 1_000
"""Records at the end of the log in which the latest time is looked for."""

MAX_GROWN = 2_000
"""Records read at most to name the grown streams; with as many, all streams count as grown."""


class Store:
    """The log of all matches, and next to it the secrets of matches, the keyrings, and the tables
    of everything that is given the store: one database, opened once, by the library's factory and
    recorders.

    All methods block: the event loop calls them in a thread.
    """

    instrumentation: Instrumentation = NO_INSTRUMENTATION
    is_damaged: Callable[[], bool] = staticmethod(lambda: False)
    """Whether it is known that stored bytes are damaged; then nothing is added to them."""

    def __init__(self, env: Mapping[str, str]) -> None:
        """The settings are those that it is given, without the process's own."""
        self.env = Environment("arbiter", dict(env))
        self._factory = InfrastructureFactory.construct(self.env)
        try:
            recorder = self._factory.application_recorder()
            self.secrets: AggregateRecorder = self._factory.aggregate_recorder(SECRETS)
            self.keyrings: AggregateRecorder = self._factory.aggregate_recorder(KEYRINGS)
        except BaseException:
            # An unclosed pool would go on trying to connect.
            self.close()
            raise
        assert isinstance(recorder, LogRecorder), "settings name no other module"
        self.recorder = recorder

    def close(self) -> None:
        """Closes the store."""
        self._factory.close()

    def open_database(
        self,
        statements: Iterable[str] = (),
        names: Iterable[str] = (),
        open_file: Callable[[str], SQLiteDatabase] = SQLiteDatabase,
    ) -> Database:
        """The database of the log, for tables with these names, which the statements create. The
        embedded store opens a connection of its own for them, by `open_file`; its caller closes it.

        Raises NotMigrated if a table is missing and the settings say `CREATE_TABLE=no`.
        """
        database = cast(StoreFactory, self._factory).database(open_file)
        if may_create(self.env):
            database.create(statements)
            return database
        if name := lacks(database, *names):
            raise NotMigrated(name)
        return database

    def append(
        self, rows: Sequence[Row], unchanged: Sequence[Length] = (), digests: Sequence[Row] = ()
    ) -> None:
        """Appends rows in one transaction; they are on disk when this returns. `digests` are those
        of streams that grow, after these rows: see `digest_row`.

        Raises IntegrityError, and records nothing, if another writer was first with one of the
        versions, or if a stream in `unchanged` has grown. After any other PersistenceError of the
        library the rows may or may not be stored.
        """
        if rows or unchanged:
            self.recorder.insert_rows(rows, unchanged, digests)

    def end(self) -> int:
        """The position of the last record in the log."""
        return self.recorder.max_notification_id() or 0

    def grown(self, position: int) -> tuple[int, set[UUID] | None]:
        """The end of the log, and the streams that have grown since `position`; None for the
        streams if there are MAX_GROWN new records or more."""
        end, streams = self.recorder.select_grown(position, MAX_GROWN)
        return end, None if len(streams) == MAX_GROWN else set(streams)

    def latest(self) -> int | None:
        """The latest time of the records near the end of the log; None if the log is empty.

        Records of different matches may be slightly out of the order of their times.
        """
        end = self.end()
        last = self.recorder.select_notifications(max(1, end - LATEST_RECORDS + 1), LATEST_RECORDS)
        return max((at for row in last if (at := _time_of(row.state)) is not None), default=None)

    def read(self, match: UUID, after: int = 0, upto: int | None = None) -> list[Record[Event]]:
        """The records of a match after position `after`, up to `upto`, in order."""
        return decode_all(self.states(match, after, upto))

    def states(self, match: UUID, after: int = 0, upto: int | None = None) -> list[bytes]:
        """The stored bytes of the records of a match after position `after`, up to `upto`."""
        return self._timed(lambda: self.recorder.select_states(match, after, upto))

    def rows(self, match: UUID, after: int = 0, upto: int | None = None) -> StoredRows:
        """The rows of a match after position `after`, up to `upto`, and the digest stored of its
        record at that moment. They are not checked: see `digests.checked`."""
        return self._timed(lambda: self.recorder.select_rows(match, after, upto))

    def digest_head(self, match: UUID) -> Digest | None:
        """The digest stored of a match's record; None if there is none."""
        return self.rows(match, NO_LIMIT).head

    def states_at(self, match: UUID, positions: Sequence[int]) -> list[bytes]:
        """The stored bytes of a match's records at these ascending positions, and of no others:
        what lies between may be hidden from the reader."""
        return self._timed(lambda: self.recorder.select_states_at(match, positions))

    def _timed(self, read: Callable[[], T]) -> T:
        start = perf_counter()
        result = read()
        self.instrumentation.read(perf_counter() - start)
        return result


def _time_of(state: bytes) -> int | None:
    """The time of a record; None, with a log line, if it cannot be decoded: only its own match is
    affected."""
    try:
        return decode(state).at
    except Exception:  # noqa: BLE001  an upcaster may raise anything for damaged fields
        logs.failure("record_unreadable", RecordUnreadable())
        return None


class RecordUnreadable(Exception):
    """The stored bytes are not a record."""


def digest_row(match: UUID, digest: Digest) -> Row:
    """The digest of a match's record as it is appended."""
    return Row(match.hex, digest.length, TOPIC, digest.value)


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
