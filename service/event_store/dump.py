"""The rows of a store, as they are copied to another one: SQLite here, PostgreSQL in a module that
is imported only where it is used.

Five tables hold everything: the log, the secrets of matches, the keyrings, whose table also stores
idempotent requests, the digests of records, and the account of reads.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Protocol

from eventsourcing.persistence import OperationalError, PersistenceError

from service.event_store import reads
from service.event_store.database import LOCK_TIMEOUT, NotMigrated

LOG, SECRETS, KEYRINGS, DIGESTS, READS = "events", "secrets", "keys", "digests", "reads"
TABLES = (LOG, SECRETS, KEYRINGS, DIGESTS, READS)
"""Endings of the table names; but for the reads, the library gives them."""

PAGE = 1_000
"""Rows in memory at once."""

DumpedRow = tuple[bytes, int, str, bytes]
"""Stream (the 16 bytes of its id), version, stored name of the event, and the encoded record."""

_COLUMNS = "originator_id, originator_version, topic, state"


class StoreInUse(PersistenceError):
    """Another process uses the store: it would change while it is copied."""


class StoreDump(Protocol):
    """The rows of one store, which no other process changes meanwhile."""

    def count(self, table: str) -> int:
        """The number of rows in a table."""

    def pages(self, table: str) -> Iterator[Sequence[DumpedRow]]:
        """The rows of a table: the log in its order, the others stream by stream."""

    def insert(self, table: str, pages: Iterable[Sequence[DumpedRow]]) -> None:
        """Appends rows to a table. All of them are committed at the end, or none."""


class SQLiteDump:
    """The rows of a SQLite database."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def count(self, table: str) -> int:
        ((count,),) = self._db.execute(f"SELECT count(*) FROM {table_name(table)}")  # noqa: S608
        return int(count)

    def pages(self, table: str) -> Iterator[Sequence[DumpedRow]]:
        if table == READS:
            found = self._db.execute(reads.SELECT_ALL)
            while page := found.fetchmany(PAGE):
                yield list(map(reads.dumped, page))
            return
        order = "rowid" if table == LOG else "originator_id, originator_version"
        found = self._db.execute(f"SELECT {_COLUMNS} FROM {table_name(table)} ORDER BY {order}")  # noqa: S608
        while page := found.fetchmany(PAGE):
            yield [(bytes.fromhex(i), version, topic, state) for i, version, topic, state in page]

    def insert(self, table: str, pages: Iterable[Sequence[DumpedRow]]) -> None:
        if table == READS:
            for page in pages:
                self._db.executemany(reads.INSERT, [reads.undumped(*row) for row in page])
            return
        statement = f"INSERT INTO {table_name(table)} ({_COLUMNS}) VALUES (?, ?, ?, ?)"  # noqa: S608
        for page in pages:
            self._db.executemany(statement, [(i.hex(), v, t, s) for i, v, t, s in page])


@contextmanager
def sqlite_dump(path: Path) -> Iterator[StoreDump]:
    """The rows of an existing database, locked against other writers.

    Inserted rows are on disk when the block ends; an exception rolls them back. Raises NotMigrated,
    and other PersistenceErrors.
    """
    try:
        with (
            closing(
                sqlite3.connect(sqlite_uri(path, "rw"), uri=True, timeout=LOCK_TIMEOUT)
            ) as connection,
            _exclusive_transaction(connection),
        ):
            require_tables(connection)
            yield SQLiteDump(connection)
    except sqlite3.Error as error:
        raise OperationalError(f"{path}: {error}") from error


@contextmanager
def _exclusive_transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.isolation_level = None
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def require_tables(connection: sqlite3.Connection) -> None:
    """Raises NotMigrated if a table is missing."""
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    names = {name for (name,) in found}
    for table in TABLES:
        if table_name(table) not in names:
            raise NotMigrated(table_name(table))


def table_name(table: str) -> str:
    return reads.TABLE if table == READS else f"stored_{table}"


def sqlite_uri(path: Path, mode: str) -> str:
    """The SQLite URI of an existing database; `mode` is `ro` to read it or `rw` to change it."""
    return f"{path.absolute().as_uri()}?mode={mode}"
