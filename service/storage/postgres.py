"""The store for several processes: the library's PostgreSQL recorder, made durable and quick.

Set `PERSISTENCE_MODULE=service.storage.postgres`. Tables are the library's own: its stock recorder
reads and writes them. All commands that wait go into one transaction and that into one message:
a function of the database takes the library's table lock, checks, inserts and commits, so that
numbers of the log are in the order of commit and the lock is never held while we are asked.
"""

from collections.abc import Sequence
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
from psycopg.rows import scalar_row, tuple_row
from psycopg.sql import SQL, Composed, Identifier
from psycopg.types.numeric import Int8

from service.storage.connections import limits, reading, steady, with_defaults, writing
from service.storage.database import NotMigrated

MIGRATION = 0x617262697465726D
"""The advisory lock of whoever makes tables: the letters `arbiterm`."""

GROWN = "a stream has grown behind the length it was read to"
SHRUNK = "a stream does not reach to what is to be added: the store has gone back"

LAST = 2**62

Row = tuple[UUID | str, int, str, bytes]
"""Stream (a UUID, or its 32 hexadecimal digits), version, stored name, encoded record."""

_APPEND = """
CREATE OR REPLACE FUNCTION {append}(
    streams uuid[], versions bigint[], topics text[], states bytea[],
    unchanged uuid[], lengths bigint[]
) RETURNS bigint[] LANGUAGE plpgsql AS $BODY$
DECLARE
    positions bigint[];
BEGIN
    LOCK TABLE {table} IN EXCLUSIVE MODE;
    IF {grown} THEN
        RAISE EXCEPTION USING
            ERRCODE = 'integrity_constraint_violation', MESSAGE = {message};
    END IF;
    NOTIFY {channel};
    WITH inserted AS (
        INSERT INTO {table} (originator_id, originator_version, topic, state)
        SELECT unnest(streams), unnest(versions), unnest(topics), unnest(states)
        RETURNING notification_id
    )
    SELECT array_agg(notification_id) INTO positions FROM inserted;
    IF {shrunk} THEN
        RAISE EXCEPTION USING
            ERRCODE = 'integrity_constraint_violation', MESSAGE = {other_message};
    END IF;
    RETURN positions;
END
$BODY$
"""

# Whatever the statistics say, a length is looked up in the index of its stream.
_GROWN = """EXISTS (
    SELECT FROM unnest({unchanged}, {lengths}) AS read (stream, length)
    WHERE length < (
        SELECT max(originator_version) FROM {table} WHERE originator_id = read.stream
    )
)"""

# A server that has taken over from one that is lost may lack the last commits of that one. Asked
# when the rows are in: where a stream comes up again among them, what is before it is there.
_SHRUNK = """EXISTS (
    SELECT FROM generate_subscripts(streams, 1) AS n
    WHERE versions[n] > 1 AND streams[n] IS DISTINCT FROM streams[n - 1] AND (
        SELECT originator_version FROM {table}
        WHERE originator_id = streams[n] AND originator_version = versions[n] - 1
    ) IS NULL
)"""


class SteadyAggregateRecorder(PostgresAggregateRecorder):
    """The library's, that reads again if a connection breaks, and never inserts again."""

    select_events = reading(PostgresAggregateRecorder.select_events)
    insert_events = writing(PostgresAggregateRecorder.insert_events)

    def create_table(self) -> None:
        """Makes what is missing; where several do at once, one after the other."""
        with self.datastore.transaction(commit=True) as c:
            begin_migration(c)
            for statement in self.sql_create_statements:
                if "CREATE TYPE" not in statement.as_string() or not self._has_type(c):
                    c.execute(statement, prepare=False)
        self.datastore.register_type_adapters()

    def require_table(self) -> None:
        """Raises NotMigrated with a sentence for the operator."""
        with self.datastore.get_connection() as connection:
            cursor = connection.cursor(row_factory=scalar_row)
            for name, kind in self._wanted().items():
                if cursor.execute(f"SELECT {kind}(%s)", (name,)).fetchone() is None:
                    raise NotMigrated(name)

    def _wanted(self) -> dict[str, str]:
        """What has to be there, and the function of PostgreSQL that finds it."""
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


class QuickPostgresRecorder(SteadyAggregateRecorder, PostgresApplicationRecorder):
    """Inserts many events with one message, and reads what is stored without wrapping it."""

    select_notifications = reading(PostgresApplicationRecorder.select_notifications)
    max_notification_id = reading(PostgresApplicationRecorder.max_notification_id)

    def __init__(
        self, datastore: PostgresDatastore, *, events_table_name: str = "stored_events"
    ) -> None:
        super().__init__(datastore, events_table_name=events_table_name)
        # The number is that of the function's shape: two releases can run side by side. What it
        # checks may become stricter under the same number, and is then so for both.
        self.append_name = f"{events_table_name}_append_1"
        self.check_identifier_length(self.append_name)
        table, append = self._qualified(events_table_name), self._qualified(self.append_name)
        self.sql_create_statements.append(
            SQL(_APPEND).format(
                append=append,
                table=table,
                channel=Identifier(self.channel_name),
                message=GROWN,
                shrunk=SQL(_SHRUNK).format(table=table),
                other_message=SHRUNK,
                grown=SQL(_GROWN).format(
                    unchanged=Identifier("unchanged"), lengths=Identifier("lengths"), table=table
                ),
            )
        )
        self._append = SQL("SELECT {}(%s, %s, %b, %b, %s, %s)").format(append)
        self._grown = SQL("SELECT " + _GROWN).format(
            unchanged=SQL("%s::uuid[]"), lengths=SQL("%s::bigint[]"), table=table
        )
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

    def insert_events(self, stored_events: Sequence[StoredEvent], **_: Any) -> Sequence[int] | None:
        """As the library's; but tried once."""
        return self.insert_rows(
            [(e.originator_id, e.originator_version, e.topic, e.state) for e in stored_events]
        )

    def insert_rows(
        self, rows: Sequence[Row], unchanged: Sequence[tuple[UUID | str, int]] = ()
    ) -> Sequence[int]:
        """Inserts rows in one transaction, on disk when this returns; their log positions.

        Raises IntegrityError if one of the versions exists already, if the one before those of a
        stream does not, or if one of the streams `unchanged` has an event behind the length given:
        then nothing has been inserted. After another error of the library it is unknown whether the
        rows are there.
        """
        held = _array(_text(stream) for stream, _ in unchanged), _array(n for _, n in unchanged)
        if not rows:
            if unchanged:
                self._require_unchanged(held)
            return []
        streams, versions, topics, states = zip(*rows, strict=True)
        new = _array(map(_text, streams)), _array(versions), list(topics), list(states)
        with self.datastore.get_connection() as connection:
            cursor = connection.cursor(row_factory=scalar_row, binary=True)
            positions = cursor.execute(self._append, new + held, prepare=True).fetchone()
        assert positions is not None
        return list(positions)

    @reading
    def _require_unchanged(self, held: tuple[str, str]) -> None:
        with self.datastore.get_connection() as connection:
            cursor = connection.cursor(row_factory=scalar_row, binary=True)
            if cursor.execute(self._grown, held, prepare=True).fetchone():
                raise IntegrityError(GROWN)

    @reading
    def select_states(
        self, originator_id: UUID, gt: int = 0, lte: int | None = None
    ) -> list[bytes]:
        """What is stored of a stream's events after version `gt`, up to `lte`, in order."""
        wanted = originator_id, Int8(gt), Int8(LAST if lte is None else lte)
        with self.datastore.get_connection() as connection:
            cursor = connection.cursor(row_factory=scalar_row, binary=True)
            return cursor.execute(self._states, wanted, prepare=True).fetchall()

    @reading
    def select_log(
        self, position: int, upto: int, topics: Sequence[str], limit: int
    ) -> list[tuple[int, str, bytes]]:
        """The records of these stored names behind a position of the log, up to another: of each
        its own position, its stream and what is stored; of `limit` records at most."""
        wanted = Int8(position), Int8(upto), list(topics), Int8(limit)
        with self.datastore.get_connection() as connection:
            cursor = connection.cursor(row_factory=tuple_row, binary=True)
            return cursor.execute(self._log, wanted, prepare=True).fetchall()

    @reading
    def select_grown(self, position: int, limit: int) -> tuple[int, list[UUID]]:
        """The streams of the records behind a position of the log, and where the last one stands;
        of `limit` records at most."""
        with self.datastore.get_connection() as connection:
            cursor = connection.cursor(row_factory=tuple_row, binary=True)
            wanted = Int8(position), Int8(limit)
            found = cursor.execute(self._grown_since, wanted, prepare=True).fetchall()
        return (found[-1][0] if found else position), [stream for _, stream in found]

    def _wanted(self) -> dict[str, str]:
        return super()._wanted() | {self._qualified(self.append_name).as_string(): "to_regproc"}


def begin_migration(c: Any) -> None:
    """Waits, within its transaction, until nobody else makes tables; then limits are wider."""
    c.execute("SET LOCAL statement_timeout = 0")
    c.execute("SET LOCAL lock_timeout = '60s'")
    c.execute(f"SELECT pg_advisory_xact_lock({MIGRATION})")


def _text(stream: UUID | str) -> str:
    return stream.hex if isinstance(stream, UUID) else stream


def _array(numbers: Any) -> str:
    """An array of what needs no quotes, as PostgreSQL reads it: quicker than one by one."""
    return "{" + ",".join(map(str, numbers)) + "}"


class Factory(eventsourcing.postgres.PostgresFactory):
    """Makes durable PostgreSQL recorders from the library's own settings (`POSTGRES_DBNAME`, ...),
    and `POSTGRES_STATEMENT_TIMEOUT` in whole seconds.

    Raises OSError with a sentence for the operator when a setting is wrong.
    """

    aggregate_recorder_class = SteadyAggregateRecorder
    application_recorder_class = QuickPostgresRecorder

    def __init__(self, env: Environment) -> None:
        refuse(env)
        full = with_defaults(env)
        super().__init__(full)
        self.env = env
        stock = self.datastore.pool
        self.datastore.pool = steady(self.datastore, limits(full))
        stock.close()

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


def refuse(env: Environment) -> None:
    """Raises OSError for settings of the library's that would lose events or their order."""
    if strtobool(env.get("POSTGRES_ENABLE_DB_FUNCTIONS") or "no"):
        raise OSError("POSTGRES_ENABLE_DB_FUNCTIONS: without the table lock readers lose events")
    if env.get("ORIGINATOR_ID_TYPE", "uuid").lower() != "uuid":
        raise OSError("ORIGINATOR_ID_TYPE: streams have UUIDs")
