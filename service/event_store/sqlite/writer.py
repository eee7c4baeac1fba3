"""Writes to the embedded store on a connection of its own.

A transaction is one statement where that is possible, checks included. Every call into SQLite gives
the interpreter's lock away, and a busy event loop takes its time to give it back: with one call a
transaction takes half as long, or less.
"""

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from itertools import chain

from eventsourcing import persistence
from eventsourcing.persistence import IntegrityError, OperationalError, PersistenceError

from service.event_store.integrity.digests import TOPIC
from service.event_store.recorder import Length, Row
from service.event_store.sqlite.high_water_mark import MarkFile

ROWS_AT_ONCE = 96
"""Maximum rows of one statement, digests included; each number of rows is a prepared statement."""

_REHEARSED = Row("rehearsed", 1, "rehearsed", b"")
_REHEARSED_DIGEST = Row("rehearsed", 1, TOPIC, b"")


class RowsDoNotFollow(IntegrityError):
    """The rows do not follow what is stored."""


class OwnConnection:
    """A connection that is opened when it is first used, and stays open."""

    def __init__(self, connect: Callable[[], sqlite3.Connection]) -> None:
        self._connect = connect
        self._open: sqlite3.Connection | None = None

    @contextmanager
    def __call__(self) -> Iterator[sqlite3.Connection]:
        if self._open is None:
            self._open = self._connect()
        try:
            yield self._open
        except BaseException:
            if self._open.in_transaction:
                self._open = None  # It could not even be rolled back.
            raise

    def close(self) -> None:
        """Closes it; the next use opens another."""
        if self._open is not None:
            self._open.close()
            self._open = None


class SQLiteWriter:
    """Inserts rows. `connected` lends a connection that syncs each commit, `open_mark` opens the
    mark that goes with the log, and `close_connection` closes what was lent. All methods block, and
    any thread may call them."""

    def __init__(
        self,
        connected: Callable[[], AbstractContextManager[sqlite3.Connection]],
        table: str,
        open_mark: Callable[[], MarkFile] | None = None,
        close_connection: Callable[[], None] = lambda: None,
    ) -> None:
        self._connected = connected
        self._open_mark = open_mark
        self._close_connection = close_connection
        self._mark: MarkFile | None = None
        self._lock = threading.Lock()
        self._statements = [_insert_statement(table, count) for count in range(ROWS_AT_ONCE + 1)]
        self._checks = _checks(table)

    def insert(
        self, rows: Sequence[Row], unchanged: Sequence[Length], digests: Sequence[Row] = ()
    ) -> Sequence[int]:
        """Inserts rows in one transaction, and returns their log positions. The digests go where
        the table's trigger puts them; they do not count as rows.

        Raises IntegrityError, and inserts nothing, if a version already exists, if the version
        before the first of a stream is missing, or if a stream in `unchanged` is longer than its
        given length; or other errors of the library.
        """
        checked = json.dumps(_predecessors(rows)), json.dumps(unchanged)
        with self._writing() as cursor:
            if rows and len(rows) + len(digests) <= ROWS_AT_ONCE:
                positions = self._insert_at_once(cursor, rows, checked, digests)
            else:
                positions = self._insert_in_parts(cursor, rows, checked, digests)
            if self._mark is not None:
                self._mark.advance(positions, rows)
            return positions

    def rehearse(self) -> None:
        """Inserts a row and a digest as `insert` does, and takes both back. Raises what `insert`
        would raise now."""
        with self._writing() as cursor:
            cursor.execute("BEGIN IMMEDIATE")
            self._insert_at_once(cursor, [_REHEARSED], ("[]", "[]"), [_REHEARSED_DIGEST])
            cursor.execute("ROLLBACK")

    def sync_mark(self) -> None:
        """Brings the mark to disk if it has changed."""
        mark = self._mark
        if mark is not None:
            mark.sync()

    @property
    def mark_unsynced(self) -> float:
        """For how many seconds the mark has waited to be on disk."""
        mark = self._mark
        return 0.0 if mark is None else mark.unsynced

    def close(self) -> None:
        """Closes the connection and the mark; the next insert opens others."""
        with self._lock:
            self._close_connection()
            if self._mark is not None:
                self._mark.close()
                self._mark = None

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Cursor]:
        """A cursor that no one else uses meanwhile; what has failed is rolled back."""
        with self._lock, _library_errors():
            if self._mark is None and self._open_mark is not None:
                self._mark = self._open_mark()
            with self._connected() as connection:
                cursor = connection.cursor()
                cursor.row_factory = None
                try:
                    yield cursor
                except BaseException:
                    with suppress(sqlite3.Error):
                        connection.rollback()
                    raise

    def _insert_at_once(
        self,
        cursor: sqlite3.Cursor,
        rows: Sequence[Row],
        checked: tuple[str, str],
        digests: Sequence[Row],
    ) -> Sequence[int]:
        parameters = (*chain.from_iterable(rows), *chain.from_iterable(digests), *checked)
        before = cursor.connection.total_changes
        cursor.execute(self._statements[len(rows) + len(digests)], parameters)
        # SQLite's own count. The driver's `rowcount` is -1 in a Turkish locale, where `INSERT` in
        # small letters is not `insert`.
        if cursor.connection.total_changes == before:
            raise RowsDoNotFollow("a stream has grown, or the store has lost commits")
        return _positions(cursor, len(rows))

    def _insert_in_parts(
        self,
        cursor: sqlite3.Cursor,
        rows: Sequence[Row],
        checked: tuple[str, str],
        digests: Sequence[Row],
    ) -> Sequence[int]:
        cursor.execute("BEGIN IMMEDIATE")
        if cursor.execute(self._checks, checked).fetchone() != (1,):
            raise RowsDoNotFollow("a stream has grown, or the store has lost commits")
        for part in (rows, digests):
            for start in range(0, len(part), ROWS_AT_ONCE):
                batch = part[start : start + ROWS_AT_ONCE]
                statement = self._statements[len(batch)]
                cursor.execute(statement, (*chain.from_iterable(batch), "[]", "[]"))
        positions = _positions(cursor, len(rows))
        cursor.execute("COMMIT")
        return positions


def _predecessors(rows: Sequence[Row]) -> list[Length]:
    """The events that must exist: the one before the new ones of each stream."""
    before: list[Length] = []
    latest: dict[str, int] = {}
    for stream, version, _, _ in rows:
        if version > 1 and latest.get(stream) != version - 1:
            before.append((stream, version - 1))
        latest[stream] = version
    return before


def _conditions(table: str) -> str:
    """The checks as SQL, of two JSON lists: the first names events that must exist, the second
    streams with their lengths. CROSS JOIN fixes the order: each is looked up in the index."""
    join = f"CROSS JOIN {table} ON originator_id = json_extract(j.value, '$[0]')"
    version = "AND originator_version = json_extract(j.value, '$[1]')"
    existing_count = f"(SELECT count(*) FROM json_each(?{{0}}) AS j {join} {version})"  # noqa: S608
    grown = f"EXISTS (SELECT 1 FROM json_each(?{{1}}) AS j {join} {version} + 1)"  # noqa: S608
    return f"{existing_count} = json_array_length(?{{0}}) AND NOT {grown}"


def _insert_statement(table: str, count: int) -> str:
    """Inserts so many rows if the checks hold, which are the last two parameters."""
    values = ",".join(["(?,?,?,?)"] * max(1, count))
    checks = _conditions(table).format(4 * count + 1, 4 * count + 2)
    return f"INSERT INTO {table} SELECT * FROM (VALUES {values}) WHERE {checks}"  # noqa: S608


def _checks(table: str) -> str:
    return "SELECT " + _conditions(table).format(1, 2)


def _positions(cursor: sqlite3.Cursor, count: int) -> Sequence[int]:
    last = cursor.lastrowid or 0
    return range(last - count + 1, last + 1) if count else range(0)


@contextmanager
def _library_errors() -> Iterator[None]:
    """Raises the driver's errors as those that the library has for them, and an error of the mark
    after the commit as one after which the rows may or may not be stored."""
    try:
        yield
    except OSError as error:
        raise OperationalError(error) from error
    except sqlite3.Error as error:
        raise getattr(persistence, type(error).__name__, PersistenceError)(error) from error
