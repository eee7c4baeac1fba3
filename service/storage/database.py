"""The database beside the log, in which read models lie: SQLite here, PostgreSQL in a module that
is loaded only where it is used.

Statements are those that both understand, with `?` for parameters. Rows are tuples.
"""

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

from eventsourcing.persistence import PersistenceError, ProgrammingError

PATIENCE = 5
"""Seconds for which a lock on a SQLite database is waited for."""


class NotDurable(PersistenceError):
    """The database does not promise that a commit is on disk."""


Question = tuple[str, Sequence[Any]]
"""A statement that selects, and its parameters."""


class NotMigrated(ProgrammingError):
    """Tables are missing, or of an older release, and this process may not make them."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the database lacks {name}: run `arbiter migrate`")


class Cursor(Protocol):
    """Statements within one transaction."""

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> object: ...

    def fetchone(self) -> Any: ...

    def fetchall(self) -> list[Any]: ...


class Database(Protocol):
    """A database of read models; any thread may use it.

    `for_update` goes behind a SELECT of a row that its transaction is about to change, which holds
    up everybody else who selects it so.
    """

    for_update: str

    def create(self, statements: Iterable[str]) -> None:
        """Makes tables and what belongs to them, all in one transaction, and one process at a time.

        A statement says `{text}` for texts that are compared byte by byte, `{bytes}` for bytes and
        `{keyed}` behind a table that is looked up by its key alone.
        """

    def lacks(self, table: str) -> bool:
        """Whether there is no such table."""

    def tables(self) -> list[str]:
        """The names of all tables beside these, in order, whoever has made them."""

    def select(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """What is found by a statement outside of every transaction."""

    def select_at_once(self, *asked: Question) -> list[list[tuple[Any, ...]]]:
        """What several statements find, all of them at the same moment."""

    def transaction(self) -> AbstractContextManager[Cursor]:
        """A transaction that writes: committed at the end, or undone if that is an exception."""

    def close(self) -> None:
        """Nothing is asked of it afterwards."""


class SQLiteDatabase:
    """A SQLite database; one thread at a time is let in, and one transaction that writes."""

    for_update = ""

    def __init__(self, path: str) -> None:
        self._lock = threading.Lock()
        self._db = sqlite3.connect(
            path, uri=True, check_same_thread=False, isolation_level=None, timeout=PATIENCE
        )
        # The log can be read again: what is written here need not be on disk at once.
        self._db.execute("PRAGMA synchronous=NORMAL")

    def create(self, statements: Iterable[str]) -> None:
        with self.transaction() as cursor:
            for statement in statements:
                cursor.execute(statement.format(text="TEXT", bytes="BLOB", keyed="WITHOUT ROWID"))

    def lacks(self, table: str) -> bool:
        found = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
        return not self.select(found, (table,))

    def tables(self) -> list[str]:
        found = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
        return [name for (name,) in self.select(found)]

    def select(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._db.execute(sql, parameters).fetchall()

    def select_at_once(self, *asked: Question) -> list[list[tuple[Any, ...]]]:
        with self._begun("BEGIN") as cursor:
            return [cursor.execute(*one).fetchall() for one in asked]

    @contextmanager
    def transaction(self) -> Iterator[Cursor]:
        with self._begun("BEGIN IMMEDIATE") as cursor:
            yield cursor

    @contextmanager
    def _begun(self, how: str) -> Iterator[sqlite3.Cursor]:
        with self._lock:
            self._db.execute(how)
            try:
                yield self._db.cursor()
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def close(self) -> None:
        with self._lock:
            self._db.close()
