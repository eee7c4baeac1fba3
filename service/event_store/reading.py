"""Reads a store as it is stored, without changing it and without trusting it: what is damaged is
returned as it is. It reads SQLite and PostgreSQL, next to a running service, and backups.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

from eventsourcing.persistence import DatabaseError, OperationalError

from service.event_store.database import (
    Database,
    SQLiteDatabase,
    is_embedded,
    select_from,
    sqlite_uri,
)
from service.event_store.integrity.digests import Digest, StoredRow
from service.event_store.integrity.incarnation import HISTORY, StoreEvent, decoded_history
from service.event_store.recorder import (
    DIGESTS,
    KEYRINGS,
    LOG,
    POSTGRES,
    SECRETS,
    SQLITE,
    Dialect,
    LogTables,
)
from service.event_store.store import Store, paired_stream

FIRST = "0" * 32
"""A stream's id before all others, in hexadecimal."""

DAMAGED = (sqlite3.DatabaseError, DatabaseError)
UNANSWERED = (sqlite3.OperationalError, OperationalError)
"""Errors of a database: that its file is damaged; and, of these, that it does not answer."""


class VersionedRow(NamedTuple):
    """A row of a stream, with the version under which it is stored."""

    version: int
    row: StoredRow


class StreamHead(NamedTuple):
    """What the store has of a stream at one moment, besides its rows: how many `rows` there are,
    the `last` position, the rows of the checkpoints that were `signed`, and its `secrets`."""

    rows: int
    last: int
    digest: Digest | None
    signed: list[VersionedRow]
    secrets: list[bytes]


class StoreReader(LogTables):
    """Reads one store. All methods block, and raise one of `DAMAGED` or `UNANSWERED`."""

    def __init__(self, database: Database, dialect: Dialect, file: Path | None) -> None:
        self.database = database
        self.dialect = dialect
        self.file = file
        """The file of the embedded store; None for PostgreSQL."""
        self._events, self._digests, self._secrets = map(dialect.table, (LOG, DIGESTS, SECRETS))
        self._columns = f"originator_version, {dialect.topic}, {dialect.state}"

    def selected(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        return self.database.select(sql, parameters)

    def streams(self, after: str, limit: int) -> list[str]:
        """The ids of streams with rows or a digest, in hexadecimal and in order, after one."""
        tables = self._events, self._digests
        parts = [
            f"SELECT * FROM (SELECT DISTINCT originator_id FROM {table}"  # noqa: S608  ours
            f" WHERE originator_id > ? ORDER BY originator_id LIMIT ?) AS of_{table}"
            for table in tables
        ]
        rows = self.selected(
            f"{' UNION '.join(parts)} ORDER BY originator_id LIMIT ?",
            (*(after, limit) * len(tables), limit),
        )
        return [str(stream).replace("-", "") for (stream,) in rows]

    def head(self, stream: UUID) -> StreamHead:
        """Everything of a stream but its rows, at one moment."""
        state = f"originator_version, {self.dialect.state}"
        with self.database.snapshot() as cursor:
            ((count, last),), checkpoints, secrets, digests = [
                select_from(
                    cursor,
                    f"SELECT {columns} FROM {table} WHERE originator_id = ? ORDER BY 1",  # noqa: S608
                    (of.hex,),
                )
                for columns, table, of in (
                    ("count(*), max(originator_version)", self._events, stream),
                    (self._columns, self._events, paired_stream(stream)),
                    (state, self._secrets, stream),
                    (state, self._digests, stream),
                )
            ]
        return StreamHead(
            count,
            last or 0,
            Digest(digests[0][0], bytes(digests[0][1])) if digests else None,
            [_versioned(row) for row in checkpoints],
            [bytes(state) for _, state in secrets],
        )

    def rows(self, stream: UUID, after: int, upto: int, limit: int) -> list[VersionedRow]:
        """The rows of a stream after version `after`, up to `upto`, in order."""
        rows_selected = self.selected(
            f"SELECT {self._columns} FROM {self._events} WHERE originator_id = ?"  # noqa: S608
            " AND originator_version > ? AND originator_version <= ?"
            " ORDER BY originator_version LIMIT ?",
            (stream.hex, after, upto, limit),
        )
        return [_versioned(row) for row in rows_selected]

    def history(self) -> list[StoreEvent]:
        """When the store went back, the oldest first."""
        rows = self.selected(
            f"SELECT {self.dialect.state} FROM {self.dialect.table(KEYRINGS)}"  # noqa: S608  ours
            " WHERE originator_id = ? ORDER BY originator_version",
            (HISTORY.hex,),
        )
        return decoded_history(bytes(state) for (state,) in rows)

    # The log as a whole.

    def extent(self) -> tuple[int, int]:
        """The number of rows in the log, and the position of the last one, at one moment."""
        position = self.dialect.position
        query = f"SELECT count(*), max({position}) FROM {self._events}"  # noqa: S608  ours
        ((count, last),) = self.selected(query)
        return count, last or 0

    def max_notification_id(self) -> int:
        """The position of the last row in the log."""
        return self.extent()[1]

    def missing_positions(self, limit: int) -> list[int]:
        """The log positions, from 1 on, that are followed by a row and have none; of adjacent ones
        the last. PostgreSQL leaves such gaps itself."""
        position = self.dialect.position
        rows = self.selected(
            f"SELECT {position} - 1 FROM {self._events} AS one WHERE {position} > 1"  # noqa: S608
            f" AND NOT EXISTS (SELECT 1 FROM {self._events} AS before"
            f" WHERE before.{position} = one.{position} - 1) ORDER BY {position} LIMIT ?",
            (limit,),
        )
        return [missing for (missing,) in rows]


def _versioned(row: tuple[Any, ...]) -> VersionedRow:
    version, topic, state = row
    return VersionedRow(version, StoredRow(bytes(topic or b""), bytes(state)))


@contextmanager
def reading(env: Mapping[str, str]) -> Iterator[StoreReader]:
    """A reader of the SQLite or PostgreSQL store that the environment names."""
    if is_embedded(env):
        path = Path(env["SQLITE_DBNAME"])
        with closing(SQLiteDatabase(sqlite_uri(path, "ro"), uri=True)) as database:
            yield StoreReader(database, SQLITE, path)
    else:
        with closing(Store({**env, "CREATE_TABLE": "no"})) as store:
            yield StoreReader(store.open_database(), POSTGRES, None)
