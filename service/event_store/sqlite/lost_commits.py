"""Finds out whether the log of the embedded store has lost commits, before anything writes to it.

The database is only read: as long as nothing has been written, a write-ahead log that was forgotten
elsewhere can still be put back next to it.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple, cast

from eventsourcing.persistence import AggregateRecorder, OperationalError, PersistenceError

from service.event_store.database import SQLiteDatabase, lacks, sqlite_uri
from service.event_store.integrity.incarnation import (
    INCARNATIONS,
    LossAccepted,
    begin_again,
    incarnation,
)
from service.event_store.recorder import KEYRINGS, LOG, SQLITE
from service.event_store.sqlite.high_water_mark import (
    NO_DIGEST,
    DamagedMark,
    Mark,
    TextRow,
    begin_mark,
    digest_of,
    mark_path,
    read_mark,
)


class CommitsLost(PersistenceError):
    """The log is not the one that was served last: of `marked` events it has `length`."""

    def __init__(self, reason: str, marked: int, end: int) -> None:
        super().__init__(reason)
        self.marked = marked
        self.length = end


class _End(NamedTuple):
    """The end of a log: its length, the digest of an event, and the incarnations of its store."""

    length: int = 0
    digest: bytes = NO_DIGEST
    incarnations: Sequence[bytes] = ()


def find_loss(database: Path) -> CommitsLost | None:
    """How the log falls short of its mark; None if it does not, or has no mark."""
    path = mark_path(database)
    try:
        mark = read_mark(path)
    except DamagedMark as error:
        return CommitsLost(str(error), 0, _end(database).length)
    if mark is None:
        return None
    end = _end(database, mark.length)
    if end.length < mark.length:
        reason = _shorter(database, mark.length, end.length)
    elif end.digest != mark.digest:
        reason = (
            f"event {mark.length:,} in {database} is not the one that was recorded there: an older"
            " database was put back and went on differently, or it is another store's"
        )
    elif mark.incarnation not in end.incarnations:
        reason = f"{database} is not the store that {path} belongs to, or it has lost its beginning"
    else:
        return None
    return CommitsLost(reason, mark.length, end.length)


def _shorter(database: Path, marked: int, end: int) -> str:
    wal = Path(f"{database}-wal")
    cause = f"{wal} is missing" if not wal.exists() else "an older database was put back"
    return (
        f"the log in {database} ends after {end:,} events, and {marked:,} had been recorded:"
        f" {marked - end:,} are missing. Probably {cause}"
    )


def accept_loss(keyrings: AggregateRecorder, loss: CommitsLost, at: int) -> None:
    """Goes on without what was lost: in a new incarnation, and on record. Blocks."""
    begin_again(keyrings, LossAccepted(at, loss.marked, loss.length))


def mark_end(database: Path, keyrings: AggregateRecorder) -> None:
    """Begins a mark at the present end of the log, in place of any other. Blocks."""
    incarnation(keyrings)
    mark_restored(database, database)


def mark_restored(restored: Path, database: Path) -> None:
    """Begins the mark of `database`, which is still named `restored`, in place of any other."""
    end = _end(restored)
    begin_mark(mark_path(database), Mark(end.length, end.digest, end.incarnations[-1]))


def _end(database: Path, position: int | None = None) -> _End:
    """The end of a log, with the digest of its event at a position, by default the last. No file
    changes."""
    if not database.exists() or not database.stat().st_size:
        return _End()
    uri = sqlite_uri(database, "ro")
    if not Path(f"{database}-wal").exists():
        # Without this SQLite would make the file.
        uri += "&immutable=1"
    log, keyrings = map(SQLITE.table, (LOG, KEYRINGS))
    try:
        with closing(SQLiteDatabase(uri, uri=True)) as store:
            # It is made after the log.
            if lacks(store, keyrings):
                return _End()
            ((last,),) = store.select(f"SELECT max(rowid) FROM {log}")  # noqa: S608  ours
            events = store.select(
                "SELECT originator_id, originator_version, topic, state"  # noqa: S608  ours
                f" FROM {log} WHERE rowid = ?",
                (last if position is None else position,),
            )
            ids = store.select(
                f"SELECT state FROM {keyrings} WHERE originator_id = ?"  # noqa: S608  ours
                " ORDER BY originator_version",
                (INCARNATIONS.hex,),
            )
    except sqlite3.Error as error:
        raise OperationalError(f"{database}: {error}") from error
    digest = digest_of(cast(TextRow, events[0])) if events else NO_DIGEST
    return _End(last or 0, digest, [state for (state,) in ids])
