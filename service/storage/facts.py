"""The facts of a store, row by row, as they are moved to another one: SQLite here, PostgreSQL in a
module that is loaded only where it is used.

Three tables hold all there is to know: the log, the dealer's secrets, and the keyrings, in which
the requests lie that are kept. Everything else in a store's database is read off them.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Protocol

from eventsourcing.persistence import OperationalError, PersistenceError

from service.storage.database import PATIENCE, NotMigrated

LOG, SECRETS, KEYRINGS = "events", "secrets", "keys"
TABLES = (LOG, SECRETS, KEYRINGS)
"""What the library's names of the tables end with."""

PAGE = 1_000
"""So many rows are in memory at once."""

Row = tuple[bytes, int, str, bytes]
"""Stream (the 16 bytes of its id), version, stored name, and what is stored."""

_COLUMNS = "originator_id, originator_version, topic, state"


class BeingServed(PersistenceError):
    """Somebody works with the store: it would change while it is copied."""


class Facts(Protocol):
    """The facts of one store, at one moment: nobody else changes them."""

    def count(self, table: str) -> int:
        """How many rows a table has."""

    def pages(self, table: str) -> Iterator[Sequence[Row]]:
        """The rows of a table: of the log in its order, of the others stream by stream."""

    def insert(self, table: str, pages: Iterable[Sequence[Row]]) -> None:
        """Puts rows behind those that are there. They stay when all is done, or none of them."""


class SQLiteFacts:
    """The facts in a SQLite database."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def count(self, table: str) -> int:
        ((count,),) = self._db.execute(f"SELECT count(*) FROM {_named(table)}")  # noqa: S608
        return int(count)

    def pages(self, table: str) -> Iterator[Sequence[Row]]:
        order = "rowid" if table == LOG else "originator_id, originator_version"
        found = self._db.execute(f"SELECT {_COLUMNS} FROM {_named(table)} ORDER BY {order}")  # noqa: S608
        while page := found.fetchmany(PAGE):
            yield [(bytes.fromhex(i), version, topic, state) for i, version, topic, state in page]

    def insert(self, table: str, pages: Iterable[Sequence[Row]]) -> None:
        statement = f"INSERT INTO {_named(table)} ({_COLUMNS}) VALUES (?, ?, ?, ?)"  # noqa: S608
        for page in pages:
            self._db.executemany(statement, [(i.hex(), v, t, s) for i, v, t, s in page])


@contextmanager
def sqlite_facts(path: Path) -> Iterator[Facts]:
    """The facts in a database that is there, which nobody else may change meanwhile. What is
    inserted is on disk in the end; after an exception nothing of it is there.

    Raises NotMigrated, and other PersistenceErrors.
    """
    try:
        with (
            closing(sqlite3.connect(uri(path, "rw"), uri=True, timeout=PATIENCE)) as connection,
            _exclusively(connection),
        ):
            _require_tables(connection)
            yield SQLiteFacts(connection)
    except sqlite3.Error as error:
        raise OperationalError(f"{path}: {error}") from error


@contextmanager
def _exclusively(connection: sqlite3.Connection) -> Iterator[None]:
    connection.isolation_level = None
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _require_tables(connection: sqlite3.Connection) -> None:
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    names = {name for (name,) in found}
    for table in TABLES:
        if _named(table) not in names:
            raise NotMigrated(_named(table))


def _named(table: str) -> str:
    return f"stored_{table}"


def uri(path: Path, mode: str) -> str:
    """The name of a database that is there: `ro` to be read, `rw` to be changed."""
    return f"{path.absolute().as_uri()}?mode={mode}"
