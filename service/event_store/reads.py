"""Who has read what of a match, next to the log: one row for each match, key and audience, however
often the key is used.

A row says up to which of its audience's numbers was read, and when first and last. What was hidden
when it was read and what everyone might read by then have a row each.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from eventsourcing.persistence import OperationalError
from msgspec import Struct
from msgspec.structs import astuple, replace

from service.event_store.database import Cursor, Database, SQLiteDatabase, chunks, write_rows
from service.event_store.sqlite.high_water_mark import sync_to_disk
from service.event_store.store import Store

TABLE = "arbiter_reads"

KEY = "match_id, key_id, audience, hidden"

COLUMNS = f"{KEY}, role, name, seq, first_at, last_at"

TABLES = (
    f"CREATE TABLE IF NOT EXISTS {TABLE} (match_id {{text}}, key_id {{text}}, audience {{text}},"
    " hidden BIGINT, role {text} NOT NULL, name {text}, seq BIGINT NOT NULL,"
    f" first_at BIGINT NOT NULL, last_at BIGINT NOT NULL, PRIMARY KEY ({KEY})) {{keyed}}",
)

_LARGER = "CASE WHEN excluded.{0} > arbiter_reads.{0} THEN excluded.{0} ELSE arbiter_reads.{0} END"
_SMALLER = "CASE WHEN excluded.{0} < arbiter_reads.{0} THEN excluded.{0} ELSE arbiter_reads.{0} END"

UPSERT = (
    f"INSERT INTO {TABLE} ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608  its name
    f" ON CONFLICT ({KEY}) DO UPDATE SET seq = {_LARGER.format('seq')},"
    f" first_at = {_SMALLER.format('first_at')}, last_at = {_LARGER.format('last_at')}"
)

_OF_MATCH = f"SELECT {COLUMNS} FROM {TABLE} WHERE match_id = ?"  # noqa: S608  the table's name
SELECT_PAGE = f"{_OF_MATCH} ORDER BY first_at, key_id, audience, hidden LIMIT ? OFFSET ?"

EVERYTHING = 2**31 - 1
"""More rows than any match has."""


class Read(Struct, frozen=True):
    """A key has read a match as an audience, up to the audience's number `seq`.

    `match` and `audience` are as in addresses. `hidden`: it was hidden from the key's person but
    for their role, and not everyone might read it. `role` is what the key is for, `name` its
    person's, None for a key without one. The times are microseconds since 1970.
    """

    match: str
    key_id: str
    audience: str
    hidden: bool
    role: str
    name: str | None
    seq: int
    first: int
    last: int

    @property
    def key(self) -> tuple[str, str, str, bool]:
        """What is equal for all reads that share a row."""
        return self.match, self.key_id, self.audience, self.hidden

    def joined(self, other: "Read") -> "Read":
        """This read and another one of the same row as one."""
        return replace(
            self,
            seq=max(self.seq, other.seq),
            first=min(self.first, other.first),
            last=max(self.last, other.last),
        )


class ReadTable:
    """The reads of one store. All methods block, and any thread may call them."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def add(self, reads: Sequence[Read]) -> None:
        """Adds reads of different rows in one transaction, which is on disk when this returns."""
        # In one order everywhere, so that instances never wait for each other in a circle.
        rows = [_row(read) for read in sorted(reads, key=lambda read: read.key)]
        with self._db.transaction() as cursor:
            write_rows(cursor, UPSERT, rows)

    def of_match(self, match: UUID, after: int = 0, limit: int = EVERYTHING) -> list[Read]:
        """The reads of a match in the order in which they began, after the first `after`, at most
        `limit`."""
        return _reads(self._db.select(SELECT_PAGE, (str(match), limit, after)))

    def hidden(self, matches: Sequence[str]) -> list[Read]:
        """The reads of what was hidden, of these matches."""
        return [
            read
            for some in chunks(sorted(set(matches)))
            for read in _reads(self._db.select(_hidden_of(len(some)), some))
        ]

    def rename(self, match: UUID, names: Iterable[str], placeholder: str) -> None:
        """Has `placeholder` in place of these names of readers of a match."""
        sql = f"UPDATE {TABLE} SET name = ? WHERE match_id = ? AND name = ?"  # noqa: S608  as above
        with self._db.transaction() as cursor:
            for name in names:
                cursor.execute(sql, (placeholder, str(match), name))

    def close(self) -> None:
        """Closes the table; it must not be used afterwards."""
        self._db.close()


class SyncedFile(SQLiteDatabase):
    """The embedded store on a connection whose transactions lock it for microseconds: they reach
    the disk afterwards, when others may record again. Checkpoints are left to the others."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._db.execute("PRAGMA wal_autocheckpoint=0")
        self._wal = f"{path}-wal"

    @contextmanager
    def transaction(self) -> Iterator[Cursor]:
        with super().transaction() as cursor:
            yield cursor
        self._sync()

    def _sync(self) -> None:
        """Returns when everything committed so far is on disk: it is in the write-ahead log, or a
        checkpoint has brought it to disk already. Raises OperationalError."""
        try:
            sync_to_disk(self._wal)
        except OSError as error:
            raise OperationalError(error) from error


def open_reads(store: Store) -> ReadTable:
    """The reads of a store."""
    return ReadTable(store.open_database(TABLES, (TABLE,), SyncedFile))


def _hidden_of(count: int) -> str:
    marks = ", ".join("?" * count)
    return (
        f"SELECT {COLUMNS} FROM {TABLE} WHERE match_id IN ({marks}) AND hidden = 1"  # noqa: S608
        " ORDER BY match_id, first_at"
    )


def _row(read: Read) -> tuple[Any, ...]:
    match, key_id, audience, hidden, *rest = astuple(read)
    return match, key_id, audience, int(hidden), *rest


def _reads(rows: Sequence[tuple[Any, ...]]) -> list[Read]:
    return [Read(row[0], row[1], row[2], bool(row[3]), *row[4:]) for row in rows]
