"""A small row that is written again and again, to know whether the store can be written; and
whether the log would take a record, which is tried and taken back."""

import os
from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from eventsourcing.persistence import ApplicationRecorder

from service.event_store.database import (
    OURS,
    Database,
    SQLiteDatabase,
    create_or_require,
    database_of_store,
)

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


@runtime_checkable
class Rehearsing(Protocol):
    """A recorder that can tell whether it would record something now."""

    def rehearse(self) -> None: ...


class StoreProbe:
    """Writes to the database of the log; with a store module other than ours it only reads. All
    methods block, and any thread may call them."""

    def __init__(
        self, database: Database | None, recorder: ApplicationRecorder, *, create: bool = True
    ) -> None:
        """Raises NotMigrated if the table is missing and `create` is false."""
        self._db = database
        self._recorder = recorder
        if database is not None:
            create_or_require(database, TABLES, (TABLE,), create=create)

    def write(self, *, room: bool = False) -> None:
        """Writes and commits; with `room`, `ROOM_BYTES` first. Raises the database's errors, and
        those with which the log refuses what it should take."""
        if self._db is None:
            self._recorder.max_notification_id()
            return
        if isinstance(self._recorder, Rehearsing):
            self._recorder.rehearse()
        if room:
            self._db.select(_WRITE, (os.urandom(ROOM_BYTES),))
        self._db.select(_WRITE, (b"",))

    def close(self) -> None:
        """Closes the database, if it is the probe's own."""
        if self._db is not None:
            self._db.close()


def open_probe(store_env: Mapping[str, str], recorder: ApplicationRecorder) -> StoreProbe:
    """The probe of the store that `recorder` writes. A missing table is created, unless the
    settings say `CREATE_TABLE=no`."""
    if store_env.get("PERSISTENCE_MODULE") not in OURS:
        return StoreProbe(None, recorder)
    database, create = database_of_store(store_env, recorder, ProbedFile)
    return StoreProbe(database, recorder, create=create)


class ProbedFile(SQLiteDatabase):
    """The embedded store on a connection that syncs each commit, as the log's own does, keeps one
    page in memory, so that each write reads from the file, too, and leaves checkpoints to the
    others."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._db.execute("PRAGMA synchronous=FULL")
        self._db.execute("PRAGMA cache_size=1")
        self._db.execute("PRAGMA wal_autocheckpoint=0")
