"""A small row that is written again and again, to know whether the store can be written; and
whether the log would take a record, which is tried and taken back."""

import os

from service.event_store.database import Database, SQLiteDatabase
from service.event_store.recorder import LogRecorder
from service.event_store.store import Store

TABLE = "arbiter_probe"

TABLES = (
    f"CREATE TABLE IF NOT EXISTS {TABLE}"
    " (id BIGINT PRIMARY KEY, written BIGINT NOT NULL, padding {bytes} NOT NULL)",
)

ROOM_BYTES = 256 * 1024
"""Bytes that must fit into the store again before it counts as writable after a failed write. A few
more may still fit into a file that has no room for a match."""

# One statement without a transaction around it: no instance that hangs holds a lock.
_WRITE = (
    f"INSERT INTO {TABLE} VALUES (1, 1, ?)"  # noqa: S608  a table's name
    f" ON CONFLICT (id) DO UPDATE SET written = {TABLE}.written + 1, padding = excluded.padding"
    " RETURNING written"
)


class StoreProbe:
    """Writes to the database of the log. All methods block, and any thread may call them."""

    def __init__(self, database: Database, recorder: LogRecorder) -> None:
        self._db = database
        self._recorder = recorder

    def write(self, *, room: bool = False) -> None:
        """Writes and commits; with `room`, `ROOM_BYTES` first. Raises the database's errors, and
        those with which the log refuses what it should take."""
        self._recorder.rehearse()
        if room:
            self._db.select(_WRITE, (os.urandom(ROOM_BYTES),))
        self._db.select(_WRITE, (b"",))

    def close(self) -> None:
        """Closes the database, if it is the probe's own."""
        self._db.close()


def open_probe(store: Store) -> StoreProbe:
    """The probe of a store."""
    return StoreProbe(store.open_database(TABLES, (TABLE,), ProbedFile), store.recorder)


class ProbedFile(SQLiteDatabase):
    """The embedded store on a connection that syncs each commit, as the log's own does, keeps one
    page in memory, so that each write reads from the file, too, and leaves checkpoints to the
    others."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._db.execute("PRAGMA synchronous=FULL")
        self._db.execute("PRAGMA cache_size=1")
        self._db.execute("PRAGMA wal_autocheckpoint=0")
