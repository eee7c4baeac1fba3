"""The event store for several processes: the library's PostgreSQL recorder, made durable and fast.

Set `PERSISTENCE_MODULE=service.event_store.postgres`. The tables are the library's own: its stock
recorder reads and writes them. All queued commands go into one transaction, sent as one message: a
database function acquires the library's table lock, checks, inserts and commits. So log positions
are in commit order, and the lock is never held during a round trip.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import UUID

import eventsourcing.postgres
from eventsourcing.persistence import AggregateRecorder, ApplicationRecorder, IntegrityError
from eventsourcing.postgres import (
    PostgresAggregateRecorder,
    PostgresApplicationRecorder,
    PostgresDatastore,
)
from eventsourcing.utils import Environment, strtobool
from psycopg import Cursor
from psycopg.rows import DictRow, tuple_row

from service.event_store.database import Database, NotMigrated, SQLiteDatabase
from service.event_store.postgres.append import GROWN, append_statements, has_grown
from service.event_store.postgres.connections import (
    SteadyPool,
    retry_reads,
    steady_pool,
    try_once,
    with_defaults,
)
from service.event_store.postgres.database import PostgresDatabase, begin_migration
from service.event_store.postgres.rights import require_rights
from service.event_store.postgres.timelines import Timelines
from service.event_store.recorder import (
    DIGESTS,
    LOG,
    POSTGRES,
    REPLACE_STATE,
    Length,
    LogRecorder,
    Row,
)


class SteadyAggregateRecorder(PostgresAggregateRecorder):
    """The library's recorder, which retries reads when a connection breaks, but never inserts."""

    select_events = retry_reads(PostgresAggregateRecorder.select_events)
    insert_events = try_once(PostgresAggregateRecorder.insert_events)

    def create_table(self) -> None:
        """Creates missing tables and types; concurrent processes take turns."""
        with self.datastore.transaction(commit=True) as c:
            begin_migration(c)
            c.execute("SELECT to_regtype(%s) AS type", (self.stored_event_type_name,))
            (row,) = c.fetchall()
            for statement in self.sql_create_statements:
                if row["type"] is None or "CREATE TYPE" not in statement.as_string():
                    c.execute(statement, prepare=False)
            self._create_more(c)
        self.datastore.register_type_adapters()

    def _create_more(self, _cursor: Cursor[DictRow], /) -> None:
        """Creates what the library does not know of."""

    def require_table(self) -> None:
        """Raises NotMigrated, with a sentence for the operator, if a table or type is missing."""
        database = PostgresDatabase(self.datastore)
        for name, kind in self._wanted().items():
            if database.select(f"SELECT {kind}(?)::text", (name,)) == [(None,)]:
                raise NotMigrated(name)

    def _wanted(self) -> dict[str, str]:
        """The names that must exist, and for each the PostgreSQL function that finds it."""
        return {self.stored_event_type_name: "to_regtype", self.events_table_name: "to_regclass"}


class QuickPostgresRecorder(LogRecorder, SteadyAggregateRecorder, PostgresApplicationRecorder):
    """Inserts many events with one message, and reads the stored bytes without wrapping them."""

    select_notifications = retry_reads(PostgresApplicationRecorder.select_notifications)
    max_notification_id = retry_reads(PostgresApplicationRecorder.max_notification_id)

    def __init__(
        self, datastore: PostgresDatastore, *, events_table_name: str = "stored_events"
    ) -> None:
        super().__init__(datastore, events_table_name=events_table_name)
        self.dialect = POSTGRES._replace(prefix=events_table_name.removesuffix(LOG))
        # The number belongs to the function's signature, so that two releases can run side by side.
        # Stricter checks under the same number then apply to both.
        self.append_name = f"{events_table_name}_append_1"
        for name in (self.append_name, self.dialect.table(DIGESTS)):
            self.check_identifier_length(name)
        self._append = f"SELECT {self.append_name}(%s, %s, %b, %b, %s, %s, %s, %s, %b, %b)".encode()
        self._database = PostgresDatabase(datastore)

    def selected(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        rows: list[Any] = self._database.select(sql, parameters)
        return rows

    def _create_more(self, c: Cursor[DictRow], /) -> None:
        names = (
            self.dialect.table(LOG),
            self.dialect.table(DIGESTS),
            self.append_name,
            self.channel_name,
        )
        for statement in append_statements(*names):
            c.execute(statement.encode(), prepare=False)

    def insert_rows(
        self, rows: Sequence[Row], unchanged: Sequence[Length] = (), digests: Sequence[Row] = ()
    ) -> Sequence[int]:
        expected = _array(stream for stream, _ in unchanged), _array(n for _, n in unchanged)
        if not rows:
            if unchanged and self.selected(has_grown(self.dialect.table(LOG)), expected) == [
                (True,)
            ]:
                raise IntegrityError(GROWN)
            return []
        parameters = (*_columns(rows), *expected, *_columns(digests))
        with self.datastore.get_connection() as connection:
            cursor = connection.cursor(row_factory=tuple_row, binary=True)
            ((positions,),) = cursor.execute(self._append, parameters, prepare=True).fetchall()
            return list(positions)

    def replace_states(self, stream: UUID, states: Mapping[int, bytes], table: str = LOG) -> None:
        sql = REPLACE_STATE.format(self.dialect.table(table))
        with self._database.transaction() as cursor:
            for version, state in states.items():
                cursor.execute(sql, (state, stream.hex, version))

    def rehearse(self) -> None:
        """Raises RightsMissing if the role may no more do what the service does."""
        with self.datastore.get_connection() as connection:
            require_rights(connection, self.datastore.schema)

    @property
    def timelines(self) -> Timelines:
        """The timelines that the sessions of the store have seen."""
        pool = self.datastore.pool
        assert isinstance(pool, SteadyPool), "the factory gives no other"
        return pool.timelines

    def _wanted(self) -> dict[str, str]:
        return super()._wanted() | {
            self.append_name: "to_regproc", self.dialect.table(DIGESTS): "to_regclass"
        }  # fmt: skip


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
        self.datastore.pool = steady_pool(self.datastore, complete_env)
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
