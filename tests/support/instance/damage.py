"""Damage to an embedded store behind the service's back: its digests stay as they are."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

from msgspec.structs import replace

from domain.encoding import decode, encode


class StoredRow(NamedTuple):
    """A row of the log as it is stored."""

    version: int
    topic: str
    state: bytes


class Rows:
    """The rows of a match in a database file."""

    def __init__(self, database: sqlite3.Connection, match: UUID) -> None:
        self._db = database
        self._stream = match.hex

    def all(self) -> list[StoredRow]:
        """All of them, in order."""
        found = self._db.execute(
            "SELECT originator_version, topic, state FROM stored_events WHERE originator_id = ?"
            " ORDER BY originator_version",
            (self._stream,),
        )
        return [StoredRow(*row) for row in found]

    def put(self, row: StoredRow) -> None:
        """Replaces the row with the same version."""
        self._db.execute(
            "UPDATE stored_events SET topic = ?, state = ?"
            " WHERE originator_id = ? AND originator_version = ?",
            (row.topic, row.state, self._stream, row.version),
        )

    def delete(self, version: int) -> None:
        self._db.execute(
            "DELETE FROM stored_events WHERE originator_id = ? AND originator_version = ?",
            (self._stream, version),
        )

    def delete_all(self) -> None:
        self._db.execute("DELETE FROM stored_events WHERE originator_id = ?", (self._stream,))

    def forget_digest(self) -> None:
        """Removes the digest of the rows."""
        self._db.execute("DELETE FROM stored_digests WHERE originator_id = ?", (self._stream,))


@contextmanager
def rows_of(database: Path, match: UUID) -> Iterator[Rows]:
    with closing(sqlite3.connect(database, isolation_level=None, timeout=10)) as connection:
        yield Rows(connection, match)


def flipped(row: StoredRow, bit: int) -> StoredRow:
    """The row with one bit of its state flipped; `bit` counts on from the end to the beginning."""
    state = bytearray(row.state)
    state[bit // 8 % len(state)] ^= 1 << bit % 8
    return row._replace(state=bytes(state))


def a_microsecond_later(row: StoredRow) -> StoredRow:
    """Other content that decodes."""
    record = decode(row.state)
    return row._replace(state=encode(replace(record, at=record.at + 1)))


def flip_in_file(database: Path, state: bytes) -> None:
    """Flips a bit amid these stored bytes, in the file of a database that no one uses."""
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = bytearray(database.read_bytes())
    at = content.index(state) + len(state) // 2
    content[at] ^= 4
    database.write_bytes(bytes(content))
