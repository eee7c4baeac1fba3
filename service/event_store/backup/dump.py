"""The rows of a store, and the sums by which a backup is compared with it.

Five tables hold everything: the log, the secrets of matches, the keyrings, whose table also stores
idempotent requests, the digests of records, and the account of reads.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
from eventsourcing.persistence import OperationalError, PersistenceError
from msgspec import Struct

from service.event_store import reads
from service.event_store.bulk_sql import table_pages, write_rows
from service.event_store.database import Cursor, NotMigrated, is_embedded, lacks, selected
from service.event_store.postgres import leader_row
from service.event_store.reading import opened_database
from service.event_store.recorder import (
    DIGESTS,
    KEYRINGS,
    LOG,
    POSTGRES,
    SECRETS,
    SQLITE,
    Dialect,
)

READS = "reads"
TABLES = (LOG, SECRETS, KEYRINGS, DIGESTS, READS)

PAGE = 1_000
"""Rows in memory at once."""

DumpedRow = tuple[Any, ...]
"""A row of a table. Of all but the reads: the id of a stream in hexadecimal, the version, the
stored name of the event, and the encoded record."""

_KEY = "originator_id, originator_version"
_COLUMNS = f"{_KEY}, topic, state"

_IN_USE = ("40001", "55P03")
"""What PostgreSQL says when another session has changed a row, and when it has locked a table."""


class StoreInUse(PersistenceError):
    """Another process uses the store: it would change meanwhile."""


class CopyDiffers(PersistenceError):
    """A backup's rows differ from those of the store."""


class _Table(NamedTuple):
    """A table as it is stored: its name, columns and order."""

    name: str
    columns: str
    key: str


class StoreDump:
    """The rows of one store, read and written in one transaction."""

    def __init__(self, cursor: Cursor, dialect: Dialect) -> None:
        self._cursor = cursor
        self._dialect = dialect

    def count(self, table: str) -> int:
        """The number of rows in a table."""
        name = _stored(table, self._dialect).name
        ((count,),) = selected(self._cursor, f"SELECT count(*) FROM {name}")  # noqa: S608  ours
        return int(count)

    def pages(self, table: str) -> Iterator[Sequence[DumpedRow]]:
        """The rows of a table: the log in its order, the others stream by stream."""
        stored = _stored(table, self._dialect)
        for page in table_pages(partial(selected, self._cursor), *stored, PAGE):
            yield list(map(_plain, page))

    def insert(self, table: str, rows: Sequence[DumpedRow]) -> None:
        """Appends rows to a table. All that is inserted is committed at the end, or none."""
        name, columns, _ = _stored(table, self._dialect)
        marks = ", ".join("?" * len(columns.split(", ")))
        write_rows(self._cursor, f"INSERT INTO {name} ({columns}) VALUES ({marks})", rows)  # noqa: S608


def _stored(table: str, dialect: Dialect) -> _Table:
    if table == READS:
        return _Table(reads.TABLE, reads.COLUMNS, reads.KEY)
    return _Table(dialect.table(table), _COLUMNS, dialect.position if table == LOG else _KEY)


def _plain(row: DumpedRow) -> DumpedRow:
    return (row[0].hex, *row[1:]) if isinstance(row[0], UUID) else row


@contextmanager
def open_dump(env: Mapping[str, str]) -> Iterator[StoreDump]:
    """The rows of an existing store, locked against other writers.

    Inserted rows are on disk when the block ends; an exception rolls them back. Raises StoreInUse,
    NotMigrated, and other PersistenceErrors.
    """
    dialect = SQLITE if is_embedded(env) else POSTGRES
    try:
        with opened_database(env, "rw") as database:
            if name := lacks(database, *stored_names(dialect)):
                raise NotMigrated(name)
            with database.transaction() as cursor:
                if dialect is POSTGRES:
                    _lock_out_writers(cursor)
                yield StoreDump(cursor, dialect)
    except sqlite3.Error as error:
        raise OperationalError(f"{env['SQLITE_DBNAME']}: {error}") from error
    except PersistenceError as error:
        if getattr(error.__cause__, "sqlstate", None) in _IN_USE:
            raise StoreInUse("another process uses the tables, or serves the store") from error
        raise


def stored_names(dialect: Dialect) -> list[str]:
    """The names of the tables in a database."""
    return [_stored(table, dialect).name for table in TABLES]


def _lock_out_writers(cursor: Cursor) -> None:
    """Locks the tables and the leader's row in PostgreSQL until the transaction ends. Reading has
    no time limit; waiting for a lock has.

    The transaction's snapshot is fixed by its first query, when it already has the tables locked.
    """
    cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
    cursor.execute("SET LOCAL statement_timeout = 0")
    cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
    cursor.execute(f"LOCK TABLE {', '.join(stored_names(POSTGRES))} IN EXCLUSIVE MODE")
    lapsed = f"WHERE {leader_row.LAPSED} RETURNING id"
    cursor.execute(f"UPDATE {leader_row.TABLE} SET shown = 0 {lapsed}")  # noqa: S608  ours
    if cursor.fetchone() is None:
        raise StoreInUse("an instance serves the store: stop it first")


# Sums, by which stores are compared.


class Sum(Struct, frozen=True):
    """The content of a table: the number of rows, the number of bytes, and the SHA-256 of all rows
    in order, in hexadecimal."""

    rows: int
    bytes: int
    sha256: str


Sums = dict[str, Sum]
"""The content of a store, by table."""

_encode = msgspec.msgpack.Encoder().encode

NOTHING = Sum(0, 0, sha256().hexdigest())
"""The content of a table without rows."""


def summed(dump: StoreDump) -> Sums:
    """The content of a store, read from its first row to its last. Every field of a row counts, and
    its length."""
    found = {}
    for table in TABLES:
        rows, size, hashed = 0, 0, sha256()
        for page in dump.pages(table):
            for row in map(_encode, page):
                hashed.update(row)
                size += len(row)
            rows += len(page)
        found[table] = Sum(rows, size, hashed.hexdigest())
    return found


def require_same(sent: Sums, arrived: Sums) -> None:
    """Raises CopyDiffers if a row is missing, has changed, or stands in another order."""
    for table in TABLES:
        # A damaged manifest may lack a table.
        before, after = sent.get(table, NOTHING), arrived[table]
        if before != after:
            raise CopyDiffers(
                f"{table}: {before.rows:,} rows with hash {before.sha256[:16]} were sent,"
                f" {after.rows:,} with hash {after.sha256[:16]} arrived"
            )
