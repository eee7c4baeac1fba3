"""Read models in PostgreSQL, beside the log, through the connections of its recorder."""

import functools
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from eventsourcing.persistence import ApplicationRecorder
from eventsourcing.postgres import PostgresDatastore
from psycopg.rows import tuple_row

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

    @reading
    def select(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._datastore.get_connection() as connection:
            cursor = connection.cursor(row_factory=tuple_row, binary=True)
            return cursor.execute(_marked(sql), parameters).fetchall()

    @reading
    def select_at_once(self, *asked: Question) -> list[list[tuple[Any, ...]]]:
        with self.transaction() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            return [cursor.execute(*one).fetchall() for one in asked]

    @contextmanager
    def transaction(self) -> Iterator[Cursor]:
        with self._datastore.get_connection() as connection, connection.transaction():
            yield _Marking(connection.cursor(row_factory=tuple_row, binary=True))

    def close(self) -> None:
        """The connections are the recorder's, who closes them."""


def beside_log(recorder: ApplicationRecorder) -> PostgresDatabase:
    """The database in which this recorder keeps the log."""
    assert isinstance(recorder, QuickPostgresRecorder)
    return PostgresDatabase(recorder.datastore)


class _Marking:
    """A cursor of psycopg for statements with `?`."""

    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor
        self.fetchone = cursor.fetchone
        self.fetchall = cursor.fetchall

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Any:
        return self._cursor.execute(_marked(sql), parameters)

    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]], /) -> Any:
        return self._cursor.executemany(_marked(sql), parameters)


@functools.lru_cache(maxsize=1_000)
def _marked(sql: str) -> bytes:
    return sql.replace("?", "%s").encode()
