"""The database of the read models, which lies next to the log: SQLite here, PostgreSQL in a module
that is imported only where it is used.

Statements use the SQL that both understand, with `?` for parameters. Rows are tuples. Statements
for many rows at once come in so few shapes that the database can cache them all.
"""

import functools
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, Protocol, TypeVar

from eventsourcing.persistence import PersistenceError, ProgrammingError
from eventsourcing.utils import strtobool

EMBEDDED = "service.event_store.sqlite"
POSTGRES = "service.event_store.postgres"
"""Our modules, of which the library imports the one that `PERSISTENCE_MODULE` names."""

LOCK_TIMEOUT = 5
"""Maximum seconds to wait for a lock on a SQLite database."""

MEMORY = ":memory:"
IN_MEMORY = {"PERSISTENCE_MODULE": EMBEDDED, "SQLITE_DBNAME": MEMORY}
"""The settings of an embedded store that keeps everything in memory."""


def embedded(file: Path) -> dict[str, str]:
    """The settings of an embedded store in a file."""
    return {"PERSISTENCE_MODULE": EMBEDDED, "SQLITE_DBNAME": str(file)}


class UnfitDatabase(PersistenceError):
    """The database is not one on which the service may run; the message is for the operator."""


class NotDurable(UnfitDatabase):
    """The database does not guarantee that a commit is on disk."""


class NotUtf8(UnfitDatabase):
    """The database cannot store every text."""

    def __init__(self, encoding: str, remedy: str) -> None:
        super().__init__(f"the database has the encoding {encoding}, not UTF8: {remedy}")


class NotMigrated(ProgrammingError):
    """Tables are missing, and this process may not create them."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the database lacks {name}: run `arbiter migrate`")


class Cursor(Protocol):
    """Statements within one transaction."""

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> object: ...

    def fetchone(self) -> Any: ...

    def fetchall(self) -> list[Any]: ...


def select_from(cursor: Cursor, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """The rows that a statement selects within a transaction."""
    cursor.execute(sql, parameters)
    return cursor.fetchall()


class Database(Protocol):
    """A database of read models; any thread may use it.

    `for_update` is appended to the SELECT of a row that the transaction will change: other
    transactions that select it the same way wait.
    """

    for_update: str

    def create(self, statements: Iterable[str]) -> None:
        """Creates tables and indexes in one transaction; other processes wait.

        In a statement `{text}` stands for the type of texts that are compared byte by byte,
        `{bytes}` for bytes, and `{keyed}` after a table that is looked up by its primary key only.
        """

    def tables(self) -> list[str]:
        """The names of all tables in the database, sorted, also those of other programs."""

    def identity(self, table: str, /) -> tuple[str, ...]:
        """What tells a table from a copy of it: each part is another one in most copies. Where the
        database was moved, one of several parts may stay. Empty for a database in memory."""

    def select(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows that a statement selects outside of a transaction."""

    def transaction(self) -> AbstractContextManager[Cursor]:
        """A transaction that writes: committed at the end, rolled back after an exception."""

    def snapshot(self) -> AbstractContextManager[Cursor]:
        """A transaction that only reads, and sees the database as it is at one moment."""

    def close(self) -> None:
        """Closes the database; it must not be used afterwards."""


class SQLiteDatabase:
    """A SQLite database that one thread uses at a time."""

    for_update = ""

    def __init__(self, path: str, *, uri: bool = False, durable: bool = False) -> None:
        """Commits that are not `durable` need not be on disk at once: read models can be rebuilt
        from the log."""
        self._lock = threading.Lock()
        self._db = sqlite3.connect(
            path, uri=uri, check_same_thread=False, isolation_level=None, timeout=LOCK_TIMEOUT
        )
        self._db.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")

    def create(self, statements: Iterable[str]) -> None:
        with self.transaction() as cursor:
            for statement in statements:
                cursor.execute(statement.format(text="TEXT", bytes="BLOB", keyed="WITHOUT ROWID"))

    def tables(self) -> list[str]:
        query = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
        return [name for (name,) in self.select(query)]

    def identity(self, _table: str, /) -> tuple[str, ...]:
        ((_, _, path),) = self.select("PRAGMA database_list")
        return (os.path.realpath(path), f"inode {Path(path).stat().st_ino}") if path else ()

    def select(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._db.execute(sql, parameters).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[Cursor]:
        with self._locked_transaction("BEGIN IMMEDIATE") as cursor:
            yield cursor

    @contextmanager
    def snapshot(self) -> Iterator[Cursor]:
        with self._locked_transaction("BEGIN") as cursor:
            yield cursor

    @contextmanager
    def _locked_transaction(self, begin: str) -> Iterator[sqlite3.Cursor]:
        with self._lock:
            self._db.execute(begin)
            try:
                yield self._db.cursor()
                self._db.execute("COMMIT")
            except BaseException:
                # A full disk may have rolled it back already.
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def close(self) -> None:
        with self._lock:
            self._db.close()


def lacks(database: Database, *tables: str) -> str | None:
    """The first of these tables that does not exist; None if all do."""
    existing = database.tables()
    return next((table for table in tables if table not in existing), None)


def sqlite_uri(path: Path, mode: str) -> str:
    """The SQLite URI of an existing database; `mode` is `ro` to read it or `rw` to change it."""
    return f"{path.absolute().as_uri()}?mode={mode}"


def is_embedded(store_env: Mapping[str, str]) -> bool:
    """Whether the settings of a store name the embedded one; else they name PostgreSQL."""
    return store_env["PERSISTENCE_MODULE"] == EMBEDDED


def may_create(store_env: Mapping[str, str]) -> bool:
    """Whether a serving instance may create tables: yes, unless the operator set
    `CREATE_TABLE=no`."""
    return strtobool(store_env.get("CREATE_TABLE") or "yes")


T = TypeVar("T")

MAX_ROWS = 256
"""Maximum rows in a statement; a smaller statement has a power of two."""


def write_rows(cursor: Cursor, sql: str, rows: Sequence[Sequence[Any]]) -> None:
    """Runs `sql`, written for one row, for all rows. Its `?` marks are in brackets after VALUES."""
    start = 0
    while start < len(rows):
        size = min(MAX_ROWS, 1 << (len(rows) - start).bit_length() - 1)
        batch = rows[start : start + size]
        cursor.execute(_repeat(sql, size), list(chain.from_iterable(batch)))
        start += size


def table_pages(
    select: Callable[[str, Sequence[Any]], list[tuple[Any, ...]]],
    table: str,
    columns: str,
    key: str,
    size: int,
) -> Iterator[list[tuple[Any, ...]]]:
    """These columns of all rows of a table, in the order of its key, so many rows at once."""
    width, after = len(key.split(", ")), list[Any]()
    while True:
        where = f"WHERE ({key}) > ({', '.join('?' * width)})" if after else ""
        page = f"SELECT {columns}, {key} FROM {table} {where} ORDER BY {key} LIMIT ?"  # noqa: S608
        rows = select(page, (*after, size))
        if not rows:
            return
        yield [row[:-width] for row in rows]
        after = list(rows[-1][-width:])


def chunks(values: Sequence[T]) -> list[Sequence[T]]:
    """Splits values into chunks of at most MAX_ROWS. The last chunk is padded with its last value
    to a power of two."""
    batches = [values[start : start + MAX_ROWS] for start in range(0, len(values), MAX_ROWS)]
    if batches:
        last = batches[-1]
        size = 1 << (len(last) - 1).bit_length()
        batches[-1] = [*last, *[last[-1]] * (size - len(last))]
    return batches


@functools.cache
def _repeat(sql: str, size: int) -> str:
    """The statement with the `?` marks of one row repeated `size` times."""
    before, values, rest = sql.partition("VALUES ")
    marks, closed, after = rest.partition(")")
    return before + values + ", ".join([marks + closed] * size) + after
