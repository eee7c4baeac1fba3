"""A store in memory that several simulated instances share, after the library's own contracts.

A transaction happens at one instant: all of it or nothing. Each process has a connection of its
own, through which calls can fail as they do with a real store.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol, TypeVar
from uuid import UUID

from eventsourcing.persistence import (
    AggregateRecorder,
    ApplicationRecorder,
    InfrastructureFactory,
    IntegrityError,
    Notification,
    ProcessRecorder,
    StoredEvent,
    Subscription,
    TrackingRecorder,
)
from eventsourcing.popo import POPOAggregateRecorder, POPOApplicationRecorder

from service.event_store.database import MEMORY, Cursor, Database, SQLiteDatabase
from service.event_store.integrity.digests import Digest, StoredRow, StoredRows
from service.event_store.recorder import Length, LogRecorder, LogRow, Row

T = TypeVar("T")

MODULE = __name__
CONNECTION = "SIMULATED_CONNECTION"
"""The setting that names the connection of a process."""


class Connection(Protocol):
    """A process's connection to the store: makes each call fail or not. `topics` are the stored
    names of what is written."""

    store: "SharedStore"

    def write(self, topics: Sequence[str], call: Callable[[], T]) -> T: ...

    def writing(self, topics: Sequence[str]) -> AbstractContextManager[None]: ...

    def read(self, call: Callable[[], T]) -> T: ...


NOTICES = "notice"
"""What stands for the stored names of rows that are next to the log."""

CONNECTIONS: dict[str, Connection] = {}
"""The connections of this process's simulations, by name."""


class MemoryLog(POPOApplicationRecorder, LogRecorder):
    """The library's recorder in memory, with the methods that our own recorders add."""

    def __init__(self) -> None:
        super().__init__()
        self._digests: dict[UUID, Digest] = {}

    def length(self, stream: str) -> int:
        """The number of events of a stream."""
        return len(self._stored_events_index[stream])

    def insert_rows(
        self, rows: Sequence[Row], unchanged: Sequence[Length] = (), digests: Sequence[Row] = ()
    ) -> Sequence[int]:
        for stream, length in unchanged:
            if self.length(str(UUID(stream))) > length:
                raise IntegrityError(f"stream {stream} has grown")
        lengths: dict[str, int] = {}
        for row in rows:
            before = lengths.get(row.stream, self.length(str(UUID(row.stream))))
            if row.version != before + 1:
                raise IntegrityError(f"version {row.version} is not the next of {row.stream}")
            lengths[row.stream] = row.version
        stored = [StoredEvent(UUID(row.stream), row.version, row.topic, row.state) for row in rows]
        positions = self.insert_events(stored) or ()
        self._digests |= {UUID(row.stream): Digest(row.version, row.state) for row in digests}
        return positions

    def select_rows(self, originator_id: UUID, gt: int = 0, lte: int | None = None) -> StoredRows:
        end = self.length(str(originator_id))
        index = self._stored_events_index[str(originator_id)]
        versions = range(gt + 1, (end if lte is None else min(end, lte)) + 1)
        found = (self._stored_events[index[version]] for version in versions)
        rows = [StoredRow(stored.topic.encode(), stored.state) for stored in found]
        return StoredRows(rows, self._digests.get(originator_id))

    def select_states(
        self, originator_id: UUID, gt: int = 0, lte: int | None = None
    ) -> list[bytes]:
        end = self.length(str(originator_id))
        upto = end if lte is None else min(end, lte)
        return self.select_states_at(originator_id, range(gt + 1, upto + 1))

    def select_states_at(self, originator_id: UUID, versions: Sequence[int]) -> list[bytes]:
        index = self._stored_events_index[str(originator_id)]
        return [self._stored_events[index[version]].state for version in versions]

    def select_grown(self, position: int, limit: int) -> tuple[int, list[UUID]]:
        new = self._stored_events[position : position + limit]
        return len(self._stored_events), [UUID(str(stored.originator_id)) for stored in new]

    def select_log(
        self, position: int, upto: int, topics: Sequence[str], limit: int
    ) -> list[LogRow]:
        found = self.select_notifications(position, limit, upto, topics, inclusive_of_start=False)
        return [(one.id, str(one.originator_id), one.state) for one in found]

    def rehearse(self) -> None:
        """It would always record."""

    @property
    def streams(self) -> dict[UUID, None]:
        """Every stream, in the order in which they began."""
        return {UUID(str(stored.originator_id)): None for stored in self._stored_events}


class SharedStore:
    """The tables that all processes share."""

    def __init__(self) -> None:
        self.log = MemoryLog()
        self.tables: dict[str, POPOAggregateRecorder] = {}

    def table(self, name: str) -> POPOAggregateRecorder:
        """The table of this purpose."""
        return self.tables.setdefault(name, POPOAggregateRecorder())


class ConnectedTable(AggregateRecorder):
    """A table as one process reaches it."""

    def __init__(self, connection: Connection, table: AggregateRecorder) -> None:
        self.connection = connection
        self.table = table

    def insert_events(
        self, stored_events: Sequence[StoredEvent], **kwargs: Any
    ) -> Sequence[int] | None:
        topics = [stored.topic for stored in stored_events]
        return self.connection.write(
            topics, lambda: self.table.insert_events(stored_events, **kwargs)
        )

    def select_events(self, originator_id: UUID | str, **how: Any) -> Sequence[StoredEvent]:
        return self.connection.read(lambda: self.table.select_events(originator_id, **how))


class ConnectedLog(ConnectedTable, LogRecorder):
    """The log as one process reaches it."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection, connection.store.log)
        self.log = connection.store.log

    def insert_rows(
        self, rows: Sequence[Row], unchanged: Sequence[Length] = (), digests: Sequence[Row] = ()
    ) -> Sequence[int]:
        topics = [row.topic for row in rows]
        return self.connection.write(topics, lambda: self.log.insert_rows(rows, unchanged, digests))

    def select_rows(self, originator_id: UUID, gt: int = 0, lte: int | None = None) -> StoredRows:
        return self.connection.read(lambda: self.log.select_rows(originator_id, gt, lte))

    def select_states(
        self, originator_id: UUID, gt: int = 0, lte: int | None = None
    ) -> list[bytes]:
        return self.connection.read(lambda: self.log.select_states(originator_id, gt, lte))

    def select_states_at(self, originator_id: UUID, versions: Sequence[int]) -> list[bytes]:
        return self.connection.read(lambda: self.log.select_states_at(originator_id, versions))

    def select_grown(self, position: int, limit: int) -> tuple[int, list[UUID]]:
        return self.connection.read(lambda: self.log.select_grown(position, limit))

    def select_log(
        self, position: int, upto: int, topics: Sequence[str], limit: int
    ) -> list[LogRow]:
        return self.connection.read(lambda: self.log.select_log(position, upto, topics, limit))

    def rehearse(self) -> None:
        self.connection.read(self.log.max_notification_id)

    def max_notification_id(self) -> int | None:
        return self.connection.read(self.log.max_notification_id)

    def select_notifications(
        self, start: int | None, limit: int, *more: Any, **how: Any
    ) -> Sequence[Notification]:
        return self.connection.read(
            lambda: self.log.select_notifications(start, limit, *more, **how)
        )

    def subscribe(
        self, gt: int | None = None, topics: Sequence[str] = ()
    ) -> Subscription[ApplicationRecorder]:
        return self.log.subscribe(gt, topics)


class ConnectedDatabase(SQLiteDatabase):
    """Tables next to the log as one process reaches them; their file is others', too."""

    def __init__(self, connection: Connection, shared: SQLiteDatabase) -> None:
        self._connection, self._shared = connection, shared

    def select(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return self._connection.read(lambda: self._shared.select(sql, parameters))

    @contextmanager
    def transaction(self) -> Iterator[Cursor]:
        with self._connection.writing((NOTICES,)), self._shared.transaction() as cursor:
            yield cursor

    def identity(self, table: str, /) -> tuple[str, ...]:
        return self._shared.identity(table)

    def close(self) -> None:
        """Closes nothing: others go on using it."""


class SharedMemoryFactory(InfrastructureFactory[TrackingRecorder]):
    """Connects a process to the store that it shares with others."""

    @property
    def _connection(self) -> Connection:
        return CONNECTIONS[self.env[CONNECTION]]

    def aggregate_recorder(self, purpose: str = "events") -> AggregateRecorder:
        connection = self._connection
        return ConnectedTable(connection, connection.store.table(purpose))

    def application_recorder(self) -> ApplicationRecorder:
        return ConnectedLog(self._connection)

    def database(self, _: Callable[[str], SQLiteDatabase], /) -> Database:
        """Of the process alone, in memory."""
        return SQLiteDatabase(MEMORY)

    def tracking_recorder(
        self, tracking_recorder_class: type[TrackingRecorder] | None = None
    ) -> TrackingRecorder:
        raise NotImplementedError("nothing here tracks positions")

    def process_recorder(self) -> ProcessRecorder:
        raise NotImplementedError("nothing here tracks positions")
