"""The embedded event store: the library's SQLite recorder, made durable and fast.

Set `PERSISTENCE_MODULE=service.event_store.sqlite`. The tables are the library's own: its stock
recorder reads and writes them. A commit is on disk when it returns: WAL with `synchronous=FULL`,
asserted on every connection.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import eventsourcing.sqlite
from eventsourcing.persistence import InterfaceError
from eventsourcing.sqlite import (
    SQLITE3_DEFAULT_LOCK_TIMEOUT,
    SQLiteApplicationRecorder,
    SQLiteConnection,
    SQLiteConnectionPool,
    SQLiteCursor,
    SQLiteDatastore,
)

from service.event_store.database import MEMORY, Database, NotDurable, NotUtf8, SQLiteDatabase
from service.event_store.integrity.digests import TOPIC
from service.event_store.recorder import (
    DIGESTS,
    LOG,
    REPLACE_STATE,
    SQLITE,
    Length,
    LogRecorder,
    Row,
)
from service.event_store.sqlite.high_water_mark import MarkFile, mark_path
from service.event_store.sqlite.writer import ROWS_AT_ONCE, OwnConnection, SQLiteWriter

FULL = 2
CHECKPOINT_PAGES = 4_000

CACHED_STATEMENTS = ROWS_AT_ONCE + 24
"""Prepared statements that a connection caches: one for each number of rows, and those that
read."""

MOST_CONNECTIONS = 50


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

    @classmethod
    def like(cls, pool: SQLiteConnectionPool) -> "DurablePool":
        """A pool for the database of another one. A database in memory is one connection, which
        its threads take in turn."""
        alone = pool.is_sqlite_memory_mode
        return cls(
            db_name=pool.db_name,
            lock_timeout=pool.lock_timeout,
            pool_size=1 if alone else pool.pool_size,
            max_overflow=0 if alone else MOST_CONNECTIONS,
        )

    def writer(self, table: str) -> SQLiteWriter:
        """The writer of the table: on a connection of its own, unless the database is in memory."""
        if self._writer is None:
            if self.is_sqlite_memory_mode:
                self._writer = SQLiteWriter(self._borrowed, table)
            else:
                own = OwnConnection(self._writing_connection)
                mark = mark_path(self.db_name)
                self._writer = SQLiteWriter(own, table, lambda: MarkFile(mark), own.close)
        return self._writer

    def close(self) -> None:
        super().close()
        if self._writer is not None:
            self._writer.close()

    def _writing_connection(self) -> sqlite3.Connection:
        return _driver_connection(self._create_connection())

    @contextmanager
    def _borrowed(self) -> Iterator[sqlite3.Connection]:
        connection = self.get_connection(is_writer=True)
        try:
            yield _driver_connection(connection)
        finally:
            self.put_connection(connection)

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


def _driver_connection(connection: SQLiteConnection) -> sqlite3.Connection:
    return connection.cursor().sqlite_cursor.connection


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


class QuickSQLiteRecorder(LogRecorder, SQLiteApplicationRecorder):
    """Inserts many events with one statement, and reads the stored bytes without wrapping them.

    The digests of streams are in a table next to the events. A row with the stored name of a digest
    that is inserted among the events goes there, by a trigger: the same statement writes both.
    """

    def __init__(
        self, datastore: SQLiteDatastore, events_table_name: str = "stored_events"
    ) -> None:
        super().__init__(datastore, events_table_name)
        self.dialect = SQLITE._replace(prefix=events_table_name.removesuffix(LOG))
        self.create_table_statements += digest_statements(
            events_table_name, self.dialect.table(DIGESTS)
        )
        assert isinstance(datastore.pool, DurablePool), "our factory makes no other"
        self._writer = datastore.pool.writer(events_table_name)

    def insert_rows(
        self, rows: Sequence[Row], unchanged: Sequence[Length] = (), digests: Sequence[Row] = ()
    ) -> Sequence[int]:
        return self._writer.insert(rows, unchanged, digests)

    def replace_states(self, stream: UUID, states: Mapping[int, bytes], table: str = LOG) -> None:
        sql = REPLACE_STATE.format(self.dialect.table(table))
        with self.datastore.transaction(commit=True) as cursor:
            for version, state in states.items():
                cursor.execute(sql, (state, stream.hex, version))

    def rehearse(self) -> None:
        self._writer.rehearse()

    def sync_mark(self) -> None:
        self._writer.sync_mark()

    @property
    def mark_unsynced(self) -> float:
        return self._writer.mark_unsynced

    def selected(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        with self.datastore.transaction(commit=False) as c:
            cursor = c.sqlite_cursor
            cursor.row_factory = None
            return cursor.execute(sql, parameters).fetchall()


def digest_statements(events: str, digests: str) -> list[str]:
    """The statements that make the table of digests, and the trigger that fills it."""
    return [
        f"CREATE TABLE IF NOT EXISTS {digests} (originator_id TEXT PRIMARY KEY,"
        " originator_version INTEGER NOT NULL, topic TEXT NOT NULL, state BLOB NOT NULL)"
        " WITHOUT ROWID",
        f"CREATE TRIGGER IF NOT EXISTS {digests}_apart BEFORE INSERT ON {events}"  # noqa: S608
        f" WHEN NEW.topic = '{TOPIC}' BEGIN INSERT INTO {digests} VALUES"
        " (NEW.originator_id, NEW.originator_version, NEW.topic, NEW.state)"
        " ON CONFLICT (originator_id) DO UPDATE SET"
        " originator_version = excluded.originator_version, state = excluded.state;"
        " SELECT RAISE(IGNORE); END",
    ]


class Factory(eventsourcing.sqlite.SQLiteFactory):
    """Makes durable SQLite recorders from the library's own settings (`SQLITE_DBNAME`, ...). With
    `:memory:` they are as fast and forget everything with the process."""

    application_recorder_class = QuickSQLiteRecorder

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        stock: SQLiteDatastore = self.datastore
        pool = stock.pool
        stock.pool = DurablePool.like(pool)
        pool.close()

    def database(self, open_file: Callable[[str], SQLiteDatabase], /) -> Database:
        pool = self.datastore.pool
        return SQLiteDatabase(MEMORY) if pool.is_sqlite_memory_mode else open_file(pool.db_name)
