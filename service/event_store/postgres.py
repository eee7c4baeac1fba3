"""The event store for several processes: the library's PostgreSQL recorder, made durable and fast.

Set `PERSISTENCE_MODULE=service.event_store.postgres`. The tables are the library's own: its stock
recorder reads and writes them. All queued commands go into one transaction, sent as one message: a
database function acquires the library's table lock, checks, inserts and commits. So log positions
are in commit order, and the lock is never held during a round trip.
"""

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

import eventsourcing.postgres
from eventsourcing.persistence import (
    AggregateRecorder,
    ApplicationRecorder,
    IntegrityError,
    StoredEvent,
)
from eventsourcing.postgres import (
    PostgresAggregateRecorder,
    PostgresApplicationRecorder,
    PostgresDatastore,
)
from eventsourcing.utils import Environment, strtobool
from psycopg.rows import BaseRowFactory, scalar_row, tuple_row
from psycopg.sql import SQL, Composed, Identifier
from psycopg.types.numeric import Int8

from service.event_store.database import Database, NotMigrated, SQLiteDatabase
from service.event_store.digests import StoredRows, from_selected
from service.event_store.postgres_append import GROWN, append_statements, has_grown
from service.event_store.postgres_connections import (
    limits,
    retry_reads,
    steady_pool,
    try_once,
    with_defaults,
)
from service.event_store.postgres_database import PostgresDatabase, begin_migration
from service.event_store.postgres_rights import require_rights
from service.event_store.recorder import (
    NO_LIMIT,
    Length,
    LogRecorder,
    LogRow,
    Row,
    stored_rows,
)


class SteadyAggregateRecorder(PostgresAggregateRecorder):
    """The library's recorder, which retries reads when a connection breaks, but never inserts."""

    select_events = retry_reads(PostgresAggregateRecorder.select_events)
    insert_events = try_once(PostgresAggregateRecorder.insert_events)

    def create_table(self) -> None:
        """Creates missing tables and types; concurrent processes take turns."""
        with self.datastore.transaction(commit=True) as c:
            begin_migration(c)
            for statement in self.sql_create_statements:
                if "CREATE TYPE" not in statement.as_string() or not self._has_type(c):
                    c.execute(statement, prepare=False)
        self.datastore.register_type_adapters()

    def require_table(self) -> None:
        """Raises NotMigrated, with a sentence for the operator, if a table or type is missing."""
        with self.datastore.get_connection() as connection:
            cursor = connection.cursor(row_factory=scalar_row)
            for name, kind in self._wanted().items():
                if cursor.execute(f"SELECT {kind}(%s)", (name,)).fetchone() is None:
                    raise NotMigrated(name)

    def _wanted(self) -> dict[str, str]:
        """The names that must exist, and for each the PostgreSQL function that finds it."""
        return {
            self._qualified(self.stored_event_type_name).as_string(): "to_regtype",
            self._qualified(self.events_table_name).as_string(): "to_regclass",
        }

    def _has_type(self, c: Any) -> bool:
        name = self._qualified(self.stored_event_type_name).as_string()
        c.execute("SELECT to_regtype(%s) IS NOT NULL AS found", (name,))
        return bool(c.fetchone()["found"])

    def _qualified(self, name: str) -> Composed:
        return SQL("{}.{}").format(Identifier(self.datastore.schema), Identifier(name))


class QuickPostgresRecorder(SteadyAggregateRecorder, PostgresApplicationRecorder, LogRecorder):
    """Inserts many events with one message, and reads the stored bytes without wrapping them."""

    select_notifications = retry_reads(PostgresApplicationRecorder.select_notifications)
    max_notification_id = retry_reads(PostgresApplicationRecorder.max_notification_id)

    def __init__(
        self, datastore: PostgresDatastore, *, events_table_name: str = "stored_events"
    ) -> None:
        super().__init__(datastore, events_table_name=events_table_name)
        # The number belongs to the function's signature, so that two releases can run side by side.
        # Stricter checks under the same number then apply to both.
        self.append_name = f"{events_table_name}_append_1"
        self.digests_table_name = f"{events_table_name.removesuffix('events')}digests"
        for name in (self.append_name, self.digests_table_name):
            self.check_identifier_length(name)
        table, digests = map(self._qualified, (events_table_name, self.digests_table_name))
        append = self._qualified(self.append_name)
        self.sql_create_statements += append_statements(table, digests, append, self.channel_name)
        self._append = SQL("SELECT {}(%s, %s, %b, %b, %s, %s, %s, %s, %b, %b)").format(append)
        self._has_grown = has_grown(table)
        self._grown_since = SQL(
            "SELECT notification_id, originator_id FROM {} WHERE notification_id > %b "
            "ORDER BY notification_id LIMIT %b"
        ).format(table)
        self._log = SQL(
            "SELECT notification_id, originator_id::text, state FROM {} "
            "WHERE notification_id > %b AND notification_id <= %b AND topic = ANY(%s) "
            "ORDER BY notification_id LIMIT %b"
        ).format(table)
        self._states = SQL(
            "SELECT state FROM {} WHERE originator_id = %b AND originator_version > %b "
            "AND originator_version <= %b ORDER BY originator_version"
        ).format(table)
        self._rows = SQL(
            "SELECT -originator_version AS n, ''::bytea, state FROM {} WHERE originator_id = %b "
            "UNION ALL SELECT originator_version, convert_to(topic, 'UTF8'), state FROM {} "
            "WHERE originator_id = %b AND originator_version > %b AND originator_version <= %b "
            "ORDER BY n"
        ).format(digests, table)
        self._states_at = SQL(
            "SELECT state FROM {} WHERE originator_id = %b AND originator_version = ANY(%s) "
            "ORDER BY originator_version"
        ).format(table)

    def insert_events(self, stored_events: Sequence[StoredEvent], **_: Any) -> Sequence[int] | None:
        """Like the library's method, but tried once."""
        return self.insert_rows(stored_rows(stored_events))

    def insert_rows(
        self, rows: Sequence[Row], unchanged: Sequence[Length] = (), digests: Sequence[Row] = ()
    ) -> Sequence[int]:
        expected = _array(stream for stream, _ in unchanged), _array(n for _, n in unchanged)
        if not rows:
            if unchanged:
                self._require_unchanged(expected)
            return []
        parameters = (*_columns(rows), *expected, *_columns(digests))
        (positions,) = self._fetched(self._append, parameters, scalar_row)
        return list(positions)

    @retry_reads
    def _require_unchanged(self, expected: tuple[str, str]) -> None:
        if self._fetched(self._has_grown, expected, scalar_row) == [True]:
            raise IntegrityError(GROWN)

    def _fetched(
        self, query: Composed, parameters: Sequence[Any], rows: BaseRowFactory[Any] = tuple_row
    ) -> list[Any]:
        with self.datastore.get_connection() as connection:
            cursor = connection.cursor(row_factory=rows, binary=True)
            return cursor.execute(query, parameters, prepare=True).fetchall()

    @retry_reads
    def select_states(
        self, originator_id: UUID, gt: int = 0, lte: int | None = None
    ) -> list[bytes]:
        parameters = originator_id, Int8(gt), Int8(NO_LIMIT if lte is None else lte)
        return self._fetched(self._states, parameters, scalar_row)

    @retry_reads
    def select_rows(self, originator_id: UUID, gt: int = 0, lte: int | None = None) -> StoredRows:
        upto = Int8(NO_LIMIT if lte is None else lte)
        parameters = originator_id, originator_id, Int8(gt), upto
        return from_selected(self._fetched(self._rows, parameters))

    @retry_reads
    def select_states_at(self, originator_id: UUID, versions: Sequence[int]) -> list[bytes]:
        parameters = originator_id, list(versions)
        return self._fetched(self._states_at, parameters, scalar_row)

    @retry_reads
    def select_log(
        self, position: int, upto: int, topics: Sequence[str], limit: int
    ) -> list[LogRow]:
        parameters = Int8(position), Int8(upto), list(topics), Int8(limit)
        return self._fetched(self._log, parameters)

    @retry_reads
    def select_grown(self, position: int, limit: int) -> tuple[int, list[UUID]]:
        found = self._fetched(self._grown_since, (Int8(position), Int8(limit)))
        return (found[-1][0] if found else position), [stream for _, stream in found]

    def rehearse(self) -> None:
        """Raises RightsMissing if the role may no more do what the service does."""
        with self.datastore.get_connection() as connection:
            require_rights(connection, self.datastore.schema)

    def _wanted(self) -> dict[str, str]:
        return super()._wanted() | {
            self._qualified(self.append_name).as_string(): "to_regproc",
            self._qualified(self.digests_table_name).as_string(): "to_regclass",
        }


def _columns(rows: Sequence[Row]) -> tuple[str, str, list[str], list[bytes]]:
    streams, versions, topics, states = zip(*rows, strict=True) if rows else ((),) * 4
    return _array(streams), _array(versions), list(topics), list(states)


def _array(numbers: Any) -> str:
    """A PostgreSQL array literal of values that need no quotes; faster than adapting each value."""
    return "{" + ",".join(map(str, numbers)) + "}"


class Factory(eventsourcing.postgres.PostgresFactory):
    """Makes durable PostgreSQL recorders from the library's own settings (`POSTGRES_DBNAME`, ...),
    and `POSTGRES_STATEMENT_TIMEOUT` in whole seconds.

    Raises OSError with a sentence for the operator when a setting is wrong.
    """

    aggregate_recorder_class = SteadyAggregateRecorder
    application_recorder_class = QuickPostgresRecorder

    def __init__(self, env: Environment) -> None:
        require_safe_settings(env)
        complete_env = with_defaults(env)
        super().__init__(complete_env)
        self.env = env
        stock = self.datastore.pool
        self.datastore.pool = steady_pool(self.datastore, limits(complete_env))
        stock.close()

    def database(self, _: Callable[[str], SQLiteDatabase], /) -> Database:
        return PostgresDatabase(self.datastore)

    def aggregate_recorder(self, purpose: str = "events") -> AggregateRecorder:
        recorder = super().aggregate_recorder(purpose)
        if not self.env_create_table() and isinstance(recorder, SteadyAggregateRecorder):
            recorder.require_table()
        return recorder

    def application_recorder(self) -> ApplicationRecorder:
        recorder = super().application_recorder()
        if not self.env_create_table() and isinstance(recorder, QuickPostgresRecorder):
            recorder.require_table()
        return recorder


def require_safe_settings(env: Environment) -> None:
    """Raises OSError for settings of the library that would lose events or their order."""
    if strtobool(env.get("POSTGRES_ENABLE_DB_FUNCTIONS") or "no"):
        raise OSError("POSTGRES_ENABLE_DB_FUNCTIONS: without the table lock readers lose events")
    if env.get("ORIGINATOR_ID_TYPE", "uuid").lower() != "uuid":
        raise OSError("ORIGINATOR_ID_TYPE: streams have UUIDs")
