"""Finds out whether the log of the embedded store has lost commits, before anything writes to it.

The database is only read: as long as nothing has been written, a write-ahead log that was forgotten
elsewhere can still be put back beside it.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from eventsourcing.persistence import AggregateRecorder, OperationalError, PersistenceError

from service.event_store.database import LOCK_TIMEOUT
from service.event_store.dump import KEYRINGS, LOG, sqlite_uri, table_name
from service.event_store.high_water_mark import (
    NO_DIGEST,
    DamagedMark,
    Mark,
    begin_mark,
    digest_of,
    mark_path,
    read_mark,
)
from service.event_store.incarnation import INCARNATIONS, begin_again, incarnation
from service.event_store.store_history import LossAccepted


class CommitsLost(PersistenceError):
    """The log is not the one that was served last: of `marked` events it has `found`."""

    def __init__(self, reason: str, marked: int, found: int) -> None:
        super().__init__(reason)
        self.marked = marked
        self.found = found


def find_loss(database: Path) -> CommitsLost | None:
    """How the log falls short of its mark; None if it does not, or has no mark."""
    path = mark_path(database)
    try:
        mark = read_mark(path)
    except DamagedMark as error:
        with _read_only(database) as connection:
            length = 0 if connection is None else _end(connection)
        return CommitsLost(str(error), 0, length)
    if mark is None:
        return None
    with _read_only(database) as connection:
        found = 0 if connection is None else _end(connection)
        if found < mark.length:
            return CommitsLost(_shorter(database, mark.length, found), mark.length, found)
        digest = NO_DIGEST if connection is None else _digest_at(connection, mark.length)
        known = [] if connection is None else _incarnations(connection)
    if digest != mark.digest:
        reason = (
            f"event {mark.length:,} in {database} is not the one that was recorded there: an older"
            " database was put back and went on differently, or it is another store's"
        )
        return CommitsLost(reason, mark.length, found)
    if mark.incarnation not in known:
        reason = f"{database} is not the store that {path} belongs to, or it has lost its beginning"
        return CommitsLost(reason, mark.length, found)
    return None


def _shorter(database: Path, marked: int, found: int) -> str:
    wal = Path(f"{database}-wal")
    cause = f"{wal} is missing" if not wal.exists() else "an older database was put back"
    return (
        f"the log in {database} ends after {found:,} events, and {marked:,} had been recorded:"
        f" {marked - found:,} are missing. Probably {cause}"
    )


def accept_loss(keyrings: AggregateRecorder, loss: CommitsLost, at: int) -> None:
    """Goes on without what was lost: in a new incarnation, and on record. Blocks."""
    begin_again(keyrings, LossAccepted(at, loss.marked, loss.found))


def mark_end(database: Path, keyrings: AggregateRecorder) -> None:
    """Begins a mark at the present end of the log, in place of any other. Blocks."""
    incarnation(keyrings)
    mark_restored(database, database)


def mark_restored(restored: Path, database: Path) -> None:
    """Begins the mark of `database`, which is still named `restored`, in place of any other."""
    with _read_only(restored) as connection:
        assert connection is not None, "there is a store"
        length = _end(connection)
        mark = Mark(length, _digest_at(connection, length), _incarnations(connection)[-1])
    begin_mark(mark_path(database), mark)


@contextmanager
def _read_only(database: Path) -> Iterator[sqlite3.Connection | None]:
    """A connection that changes no file; None if there is no database."""
    wal = Path(f"{database}-wal")
    uri = sqlite_uri(database, "ro")
    if not wal.exists():
        # Without this SQLite would make the file.
        uri += "&immutable=1"
    try:
        if not database.exists() or not database.stat().st_size:
            yield None
            return
        with closing(sqlite3.connect(uri, uri=True, timeout=LOCK_TIMEOUT)) as connection:
            yield connection
    except sqlite3.Error as error:
        raise OperationalError(f"{database}: {error}") from error


def _end(connection: sqlite3.Connection) -> int:
    if not _has(connection, LOG):
        return 0
    ((end,),) = connection.execute(f"SELECT max(rowid) FROM {table_name(LOG)}")  # noqa: S608
    return end or 0


def _digest_at(connection: sqlite3.Connection, position: int) -> bytes:
    if not _has(connection, LOG):
        return NO_DIGEST
    found = connection.execute(
        "SELECT originator_id, originator_version, topic, state"  # noqa: S608  the table's name
        f" FROM {table_name(LOG)} WHERE rowid = ?",
        (position,),
    ).fetchone()
    return NO_DIGEST if found is None else digest_of(found)


def _incarnations(connection: sqlite3.Connection) -> list[bytes]:
    if not _has(connection, KEYRINGS):
        return []
    found = connection.execute(
        f"SELECT state FROM {table_name(KEYRINGS)} WHERE originator_id = ?"  # noqa: S608
        " ORDER BY originator_version",
        (INCARNATIONS.hex,),
    )
    return [state for (state,) in found]


def _has(connection: sqlite3.Connection, table: str) -> bool:
    found = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
    return connection.execute(found, (table_name(table),)).fetchone() is not None
