"""Read models in PostgreSQL, beside the log, through the connections of its recorder."""

import functools
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from eventsourcing.persistence import ApplicationRecorder
from eventsourcing.postgres import PostgresDatastore
from psycopg import Connection, RawCursor
from psycopg.pq import Format
from psycopg.rows import tuple_row
from psycopg.types.numeric import Int8

from service.storage.connections import reading
from service.storage.database import Cursor, Question
from service.storage.postgres import QuickPostgresRecorder, begin_migration


class PostgresDatabase:
    """The tables of the schema in which the log lies."""

    for_update = " FOR UPDATE"

    def __init__(self, datastore: PostgresDatastore) -> None:
        self._datastore = datastore

    def create(self, statements: Iterable[str]) -> None:
        with self.transaction() as cursor:
            begin_migration(cursor)
            for statement in statements:
                cursor.execute(statement.format(text='TEXT COLLATE "C"', bytes="BYTEA", keyed=""))

    def lacks(self, table: str) -> bool:
        ((found,),) = self.select("SELECT to_regclass(quote_ident(?))", (table,))
        return found is None

    def tables(self) -> list[str]:
        found = (
            "SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1"
        )
        return [name for (name,) in self.select(found)]

    @reading
    def select(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._datastore.get_connection() as connection:
            cursor = Marking(connection)
            cursor.execute(sql, parameters)
            return cursor.fetchall()

    @reading
    def select_at_once(self, *asked: Question) -> list[list[tuple[Any, ...]]]:
        with self.transaction() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            found = []
            for one in asked:
                cursor.execute(*one)
                found.append(cursor.fetchall())
            return found

    @contextmanager
    def transaction(self) -> Iterator[Cursor]:
        with self._datastore.get_connection() as connection, connection.transaction():
            yield Marking(connection)

    def close(self) -> None:
        """The connections are the recorder's, who closes them."""


def beside_log(recorder: ApplicationRecorder) -> PostgresDatabase:
    """The database in which this recorder keeps the log."""
    assert isinstance(recorder, QuickPostgresRecorder)
    return PostgresDatabase(recorder.datastore)


class Marking:
    """A cursor for statements with `?`, which psycopg would take apart each time if they are long:
    they are told to the server as they are, with numbers for marks."""

    def __init__(self, connection: Connection[Any]) -> None:
        self._cursor = RawCursor(connection, row_factory=tuple_row)
        self._cursor.format = Format.BINARY
        self.fetchone = self._cursor.fetchone
        self.fetchall = self._cursor.fetchall

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> None:
        self._cursor.execute(_numbered(sql), _sent(parameters))


def _sent(parameters: Sequence[Any]) -> list[Any]:
    """Numbers are of one size: with others, a statement would be another one to the server."""
    return [Int8(value) if type(value) is int else value for value in parameters]


@functools.lru_cache(maxsize=1_000)
def _numbered(sql: str) -> bytes:
    """The statement with `$1` for its first `?`, and so on."""
    first, *rest = sql.split("?")
    return "".join([first, *(f"${n}{part}" for n, part in enumerate(rest, 1))]).encode()
