"""The database of the read models in PostgreSQL, on the connections of the log's recorder."""

import functools
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from eventsourcing.postgres import PostgresDatastore
from psycopg import Connection, RawCursor
from psycopg.pq import Format
from psycopg.rows import tuple_row
from psycopg.types.numeric import Int8

from service.event_store.database import Cursor
from service.event_store.postgres.connections import retry_reads

MIGRATION_LOCK = 0x617262697465726D
"""The advisory lock of a process that creates tables: the letters `arbiterm`."""


class PostgresDatabase:
    """The PostgreSQL database of the read models, in the schema of the log."""

    for_update = " FOR UPDATE"

    def __init__(self, datastore: PostgresDatastore) -> None:
        self._datastore = datastore

    def create(self, statements: Iterable[str]) -> None:
        with self.transaction() as cursor:
            begin_migration(cursor)
            for statement in statements:
                cursor.execute(statement.format(text='TEXT COLLATE "C"', bytes="BYTEA", keyed=""))

    def tables(self) -> list[str]:
        query = (
            "SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1"
        )
        return [name for (name,) in self.select(query)]

    def identity(self, table: str, /) -> tuple[str, ...]:
        ((oid, may_read),) = self.select(
            "SELECT to_regclass(quote_ident(?))::oid::text,"
            " has_function_privilege('pg_control_system()', 'execute')",
            (table,),
        )
        cluster = "SELECT system_identifier::text FROM pg_control_system()"
        return (f"{self.select(cluster)[0][0] if may_read else ''} {oid}",)

    @retry_reads
    def select(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._datastore.get_connection() as connection:
            cursor = QuestionMarkCursor(connection)
            cursor.execute(sql, parameters)
            return cursor.fetchall()

    @contextmanager
    def transaction(self) -> Iterator[Cursor]:
        with self._datastore.get_connection() as connection, connection.transaction():
            yield QuestionMarkCursor(connection)

    @contextmanager
    def snapshot(self) -> Iterator[Cursor]:
        with self.transaction() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield cursor

    def close(self) -> None:
        """Does nothing: the recorder owns the connections and closes them."""


def begin_migration(c: Any) -> None:
    """Waits until no other transaction creates tables; then raises the time limits of this one."""
    c.connection.patience = None
    c.execute("SET LOCAL statement_timeout = 0")
    c.execute("SET LOCAL lock_timeout = '60s'")
    c.execute(f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})")


class QuestionMarkCursor:
    """A cursor for statements with `?`, which are sent to the server with `$1`, `$2`, ... instead.
    psycopg's own placeholders would be parsed again at each use of a long statement."""

    def __init__(self, connection: Connection[Any]) -> None:
        self._cursor = RawCursor(connection, row_factory=tuple_row)
        self._cursor.format = Format.BINARY
        self.connection = connection
        self.fetchone = self._cursor.fetchone
        self.fetchall = self._cursor.fetchall

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> None:
        # Integers have 8 bytes: each size needs a prepared statement of its own.
        typed_values = [Int8(value) if type(value) is int else value for value in parameters]
        self._cursor.execute(_numbered(sql), typed_values)


@functools.lru_cache(maxsize=1_000)
def _numbered(sql: str) -> bytes:
    """The statement with `$1` for its first `?`, and so on."""
    first, *rest = sql.split("?")
    return "".join([first, *(f"${n}{part}" for n, part in enumerate(rest, 1))]).encode()
