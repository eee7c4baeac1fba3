"""The sums of a store's tables, by which a backup is compared with the store.

Five tables hold everything: the log, the secrets of matches, the keyrings, whose table also stores
idempotent requests, the digests of records, and the account of reads.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from service.event_store import reads
from service.event_store.database import table_pages
from service.event_store.recorder import DIGESTS, KEYRINGS, LOG, SECRETS, SQLITE

READS = "reads"

PAGE = 1_000
"""Rows in memory at once."""

_KEY = "originator_id, originator_version"
_COLUMNS = f"{_KEY}, topic, state"


class StoredTable(NamedTuple):
    """A table as it is stored: its name, its columns, and the order in which they are read."""

    name: str
    columns: str
    key: str


TABLES: Mapping[str, StoredTable] = {
    LOG: StoredTable(SQLITE.table(LOG), _COLUMNS, SQLITE.position),
    **{
        name: StoredTable(SQLITE.table(name), _COLUMNS, _KEY)
        for name in (SECRETS, KEYRINGS, DIGESTS)
    },
    READS: StoredTable(reads.TABLE, reads.COLUMNS, reads.KEY),
}


class Sum(Struct, frozen=True):
    """The content of a table: the number of rows, and the SHA-256 of all of them in order, in
    hexadecimal."""

    rows: int
    sha256: str


Sums = dict[str, Sum]
"""The content of a store, by table."""

_encode = msgspec.msgpack.Encoder().encode


def table_rows(
    database: sqlite3.Connection, table: StoredTable
) -> Iterator[Sequence[tuple[Any, ...]]]:
    """The rows of a table, page by page."""

    def select(sql: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
        return database.execute(sql, parameters).fetchall()

    return table_pages(select, *table, PAGE)


def sum_tables(database: sqlite3.Connection) -> Sums:
    """The content of a store, read from its first row to its last. Every field of a row counts, and
    its length."""
    sums = {}
    for name, table in TABLES.items():
        rows, hashed = 0, sha256()
        for page in table_rows(database, table):
            for row in map(_encode, page):
                hashed.update(row)
            rows += len(page)
        sums[name] = Sum(rows, hashed.hexdigest())
    return sums
