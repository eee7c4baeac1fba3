"""The embedded event store: the library's SQLite recorder, made durable and fast.

Set `PERSISTENCE_MODULE=service.event_store.sqlite`. The tables are the library's own: its stock
recorder reads and writes them. A commit is on disk when it returns: WAL with `synchronous=FULL`,
asserted on every connection.
"""

import sqlite3
from collections.abc import Sequence
from itertools import chain
from typing import Any
from uuid import UUID

import eventsourcing.sqlite
from eventsourcing.persistence import IntegrityError, InterfaceError, StoredEvent
from eventsourcing.sqlite import (
    SQLITE3_DEFAULT_LOCK_TIMEOUT,
    SQLiteApplicationRecorder,
    SQLiteConnection,
    SQLiteConnectionPool,
    SQLiteCursor,
    SQLiteDatastore,
)

from service.event_store.database import NotDurable, NotUtf8
from service.event_store.digests import StoredRows, from_selected
from service.event_store.high_water_mark import MarkFile, TextRow, mark_path
from service.event_store.sqlite_digests import (
    digest_statements,
    select_rows_with_digest,
)
from service.event_store.sqlite_writer import ROWS_AT_ONCE, Length, SQLiteWriter

FULL = 2
CHECKPOINT_PAGES = 4_000
ROWS_A_STATEMENT = 8
"""Rows in one INSERT. More make each row slower; fewer switch the interpreter's lock more often."""

STREAMS_A_STATEMENT = 32
"""Streams in one check that the event before the new ones exists."""

CACHED_STATEMENTS = ROWS_AT_ONCE + STREAMS_A_STATEMENT + 24
"""Prepared statements that a connection caches: one for each number of rows and of streams, and
those that read."""

_NO_ROW: list[TextRow] = [("", 0, "", b"")]


class DurablePool(SQLiteConnectionPool):
    """A pool of connections whose commits are on disk when they return."""

    _writer: SQLiteWriter | None = None

    def _create_connection(self) -> SQLiteConnection:
        """Like the library's method, but the connection caches more than one prepared statement."""
        connection = SQLiteConnection(self._connect(), max_age=self.max_age)
        cursor = connection.cursor()
        cursor.execute("PRAGMA synchronous=FULL")
        # With rarer checkpoints a page that is written often is copied from the write-ahead log
        # into the database once, not four times.
        cursor.execute(f"PRAGMA wal_autocheckpoint={CHECKPOINT_PAGES}")
        if not self.is_sqlite_memory_mode:
            if not self.is_journal_mode_wal:
                cursor.execute("PRAGMA journal_mode=WAL")
                self.is_journal_mode_wal = True
            require_fit(cursor)
        return connection

    def writer(self, table: str) -> SQLiteWriter:
        """The writer of the table, on a connection of its own."""
        if self._writer is None:
            self._writer = SQLiteWriter(
                self._writing_connection, table, lambda: MarkFile(mark_path(self.db_name))
            )
        return self._writer

    def sync_mark(self) -> None:
        """Brings the mark of the log to disk if it has changed. Blocks."""
        if self._writer is not None:
            self._writer.sync_mark()

    @property
    def mark_unsynced(self) -> float:
        """For how many seconds the mark has waited to be on disk."""
        return 0.0 if self._writer is None else self._writer.mark_unsynced

    def close(self) -> None:
        super().close()
        if self._writer is not None:
            self._writer.close()

    def _writing_connection(self) -> sqlite3.Connection:
        connection = self._create_connection().cursor().sqlite_cursor.connection
        connection.row_factory = None
        return connection

    def _connect(self) -> sqlite3.Connection:
        try:
            connection = sqlite3.connect(
                self.db_name,
                timeout=self.lock_timeout or SQLITE3_DEFAULT_LOCK_TIMEOUT,
                isolation_level=None,
                check_same_thread=False,
                cached_statements=CACHED_STATEMENTS,
            )
        except (sqlite3.Error, TypeError) as error:
            raise InterfaceError(error) from error
        connection.row_factory = sqlite3.Row
        return connection


def require_fit(cursor: SQLiteCursor) -> None:
    """Raises UnfitDatabase unless this connection uses WAL and syncs at every commit, and texts are
    stored in UTF-8: digests are of stored bytes."""
    cursor.execute("PRAGMA journal_mode")
    mode = cursor.fetchone()[0]
    cursor.execute("PRAGMA synchronous")
    synchronous = cursor.fetchone()[0]
    if mode.lower() != "wal" or synchronous != FULL:
        raise NotDurable(f"journal_mode={mode}, synchronous={synchronous}: need wal and 2 (FULL)")
    cursor.execute("PRAGMA encoding")
    encoding = cursor.fetchone()[0]
    if encoding != "UTF-8":
        raise NotUtf8(encoding, "another program has made this file")


class QuickSQLiteRecorder(SQLiteApplicationRecorder):
    """Inserts many events with one statement, and reads the stored bytes without wrapping them.

    The digests of streams are in a table beside the events. A row with the stored name of a digest
    that is inserted among the events goes there, by a trigger: the same statement writes both.
    """

    def __init__(
        self, datastore: SQLiteDatastore, events_table_name: str = "stored_events"
    ) -> None:
        super().__init__(datastore, events_table_name)
        self.digests_table_name = f"{events_table_name.removesuffix('events')}digests"
        self.create_table_statements += digest_statements(
            events_table_name, self.digests_table_name
        )
        self._select_rows = select_rows_with_digest(events_table_name, self.digests_table_name)

    def _insert_events(
        self, c: SQLiteCursor, stored_events: Sequence[StoredEvent], **_: Any
    ) -> Sequence[int] | None:
        return self._insert_rows(
            c,
            [
                (_text(e.originator_id), e.originator_version, e.topic, e.state)
                for e in stored_events
            ],
        )

    def insert_rows(
        self,
        rows: Sequence[TextRow],
        unchanged: Sequence[Length] = (),
        digests: Sequence[TextRow] = (),
    ) -> Sequence[int]:
        """Inserts rows in one transaction, replaces the digests of streams, and returns the log
        positions of the rows.

        Raises IntegrityError, and inserts nothing, if a version already exists, if the version
        before the first of a stream is missing, or if a stream in `unchanged` is longer than its
        given length.
        """
        pool = self.datastore.pool
        if isinstance(pool, DurablePool) and not pool.is_sqlite_memory_mode:
            return pool.writer(self.events_table_name).insert(rows, unchanged, digests)
        with self.datastore.transaction(commit=bool(rows)) as c:
            if unchanged:
                self._check_unchanged(c, unchanged)
            positions = self._insert_rows(c, rows)
            for digest in digests:
                c.execute(f"INSERT INTO {self.events_table_name} VALUES (?,?,?,?)", digest)  # noqa: S608
            return positions

    def rehearse(self) -> None:
        """Raises what `insert_rows` would raise now. Nothing stays in the store."""
        pool = self.datastore.pool
        if isinstance(pool, DurablePool) and not pool.is_sqlite_memory_mode:
            pool.writer(self.events_table_name).rehearse()

    def sync_mark(self) -> None:
        """Brings the high-water mark to disk if it has changed. Blocks."""
        pool = self.datastore.pool
        if isinstance(pool, DurablePool):
            pool.sync_mark()

    @property
    def mark_unsynced(self) -> float:
        """For how many seconds the high-water mark has waited to be on disk."""
        pool = self.datastore.pool
        return pool.mark_unsynced if isinstance(pool, DurablePool) else 0.0

    def _check_unchanged(self, c: SQLiteCursor, unchanged: Sequence[Length]) -> None:
        for stream, length in unchanged:
            c.execute(
                f"SELECT 1 FROM {self.events_table_name} "  # noqa: S608  a table's name
                "WHERE originator_id=? AND originator_version=?",
                (stream, length + 1),
            )
            if c.fetchone() is not None:
                raise IntegrityError(f"stream {stream} has grown")

    def _check_predecessors(self, c: SQLiteCursor, rows: Sequence[TextRow]) -> None:
        """Raises IntegrityError if the event before the new ones of a stream is missing: an older
        file may have replaced the database since it was read."""
        before = [
            (row[0], row[1] - 1)
            for row, last in zip(rows, chain(_NO_ROW, rows), strict=False)
            if row[1] > 1 and row[0] != last[0]
        ]
        for start in range(0, len(before), STREAMS_A_STATEMENT):
            batch = before[start : start + STREAMS_A_STATEMENT]
            # CROSS JOIN fixes the order: each row is looked up in the table's index.
            c.execute(
                f"SELECT count(*) FROM (VALUES {','.join(['(?,?)'] * len(batch))}) "  # noqa: S608
                f"CROSS JOIN {self.events_table_name} "
                "ON originator_id = column1 AND originator_version = column2",
                tuple(chain.from_iterable(batch)),
            )
            if c.fetchone()[0] != len(batch):
                raise IntegrityError("a stream has shrunk: the store has lost commits")

    def _insert_rows(self, c: SQLiteCursor, rows: Sequence[TextRow]) -> Sequence[int]:
        last = 0
        for start in range(0, len(rows), ROWS_A_STATEMENT):
            batch = rows[start : start + ROWS_A_STATEMENT]
            c.execute(
                f"INSERT INTO {self.events_table_name} VALUES "  # noqa: S608  a table's name
                + ",".join(["(?,?,?,?)"] * len(batch)),
                tuple(chain.from_iterable(batch)),
            )
            last = c.lastrowid
        # Checked after the insert: a transaction that begins with a read cannot write when another
        # connection has written meanwhile.
        self._check_predecessors(c, rows)
        return list(range(last - len(rows) + 1, last + 1))

    def select_states(
        self, originator_id: UUID, gt: int = 0, lte: int | None = None
    ) -> list[bytes]:
        """The stored bytes of a stream's events after version `gt`, up to `lte`, in order."""
        with self.datastore.transaction(commit=False) as c:
            return self._select_states(c, originator_id, gt, lte)

    def _select_states(
        self, c: SQLiteCursor, originator_id: UUID, gt: int, lte: int | None
    ) -> list[bytes]:
        cursor = c.sqlite_cursor
        cursor.row_factory = None
        cursor.execute(
            f"SELECT state FROM {self.events_table_name} WHERE originator_id=? "  # noqa: S608
            "AND originator_version>? AND originator_version<=? ORDER BY originator_version",
            (originator_id.hex, gt, 2**62 if lte is None else lte),
        )
        return [state for (state,) in cursor.fetchall()]

    def select_rows(self, originator_id: UUID, gt: int = 0, lte: int | None = None) -> StoredRows:
        """The rows of a stream after version `gt`, up to `lte`, in order, and the digest stored of
        it: both of one moment."""
        with self.datastore.transaction(commit=False) as c:
            cursor = c.sqlite_cursor
            cursor.row_factory = None
            last = 2**62 if lte is None else lte
            cursor.execute(self._select_rows, (originator_id.hex, gt, last))
            found = cursor.fetchall()
        return from_selected(found)

    def select_states_at(self, originator_id: UUID, versions: Sequence[int]) -> list[bytes]:
        """The stored bytes of a stream's events with these versions, in order."""
        with self.datastore.transaction(commit=False) as c:
            cursor = c.sqlite_cursor
            cursor.row_factory = None
            cursor.execute(
                f"SELECT state FROM {self.events_table_name} WHERE originator_id=? "  # noqa: S608
                "AND originator_version IN (SELECT value FROM json_each(?)) "
                "ORDER BY originator_version",
                (originator_id.hex, str(list(versions))),
            )
            return [state for (state,) in cursor.fetchall()]

    def select_grown(self, position: int, limit: int) -> tuple[int, list[UUID]]:
        """The position of the last record read, and the streams of all records after `position` of
        the log. `limit` is the maximum number of records."""
        with self.datastore.transaction(commit=False) as c:
            cursor = c.sqlite_cursor
            cursor.row_factory = None
            cursor.execute(
                f"SELECT rowid, originator_id FROM {self.events_table_name} "  # noqa: S608
                "WHERE rowid>? ORDER BY rowid LIMIT ?",
                (position, limit),
            )
            found = cursor.fetchall()
        return (found[-1][0] if found else position), [UUID(stream) for _, stream in found]


def _text(originator_id: UUID | str) -> str:
    return originator_id.hex if isinstance(originator_id, UUID) else originator_id


class Factory(eventsourcing.sqlite.SQLiteFactory):
    """Makes durable SQLite recorders from the library's own settings (`SQLITE_DBNAME`, ...)."""

    application_recorder_class = QuickSQLiteRecorder

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        stock: SQLiteDatastore = self.datastore
        pool = stock.pool
        stock.pool = DurablePool(
            db_name=pool.db_name, lock_timeout=pool.lock_timeout, max_overflow=50
        )
        pool.close()
