"""A backup of the embedded store: one file, which is itself a SQLite database.

Its tables are those of the store at one moment, even if events were recorded during the copy. One
more table holds the files that lie next to the store, and the manifest: the sums of all tables.
"""

import errno
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path

import msgspec
from eventsourcing.persistence import OperationalError, PersistenceError
from msgspec import Struct

from service.event_store.backup.table_sums import Sums, sum_tables
from service.event_store.database import LOCK_TIMEOUT, embedded, sqlite_uri
from service.event_store.integrity.incarnation import BackupRestored, begin_again
from service.event_store.recorder import LOG
from service.event_store.sqlite.high_water_mark import sync_to_disk
from service.event_store.sqlite.lost_commits import mark_restored
from service.event_store.store import Store

TABLE = "arbiter_backup"
MANIFEST = "manifest"

PAGES_A_STEP = 1_000
"""Pages of the database that one step copies."""

SIDE_FILE_ENDS = "-wal", "-shm", "-journal"
"""Name endings of the files that SQLite writes next to a database."""

Files = Mapping[str, bytes]
"""The contents of the files next to the store, by name."""

Progress = Callable[[int, int], None]
"""Receives the number of pages left and the number of all pages."""


class DamagedBackup(PersistenceError):
    """The file is not a backup, or it has changed since it was made."""


class BackupManifest(Struct, frozen=True):
    """The contents of a backup: the sums of its tables, the SHA-256 of each file by name, and the
    time when it was made, in microseconds."""

    made_at: int
    sums: Sums
    files: dict[str, str]


_manifest_decoder = msgspec.json.Decoder(BackupManifest)


def back_up(
    database: Path,
    file: Path,
    made_at: int,
    side_files: Callable[[], Files],
    progress: Progress,
    judge: Callable[[Path], None] = lambda _: None,
) -> BackupManifest:
    """Makes a backup of a store, which may be in use meanwhile.

    The backup is complete and on disk when this returns, and has its name only then. `side_files`
    is called after the tables have been copied, and `judge` with the path of the complete file; if
    that raises, there is no backup. Raises FileExistsError, and PersistenceErrors.
    """
    if file.exists():
        raise FileExistsError(f"{file} already exists")
    with _database_errors(database), _written_whole(file) as partial, _room_for(file):
        with closing(_connect(database, "ro")) as original, closing(_connect(partial)) as copy:
            _copy(original, copy, progress)
            sums, files = sum_tables(original), side_files()
            manifest = BackupManifest(made_at, sums, _hash_files(files))
            _add(copy, {**files, MANIFEST: msgspec.json.encode(manifest)})
        check(partial)
        judge(partial)
    return manifest


def check(file: Path) -> None:
    """Reads the whole backup and compares it with its manifest. Raises DamagedBackup."""
    with _read_errors(file), closing(_connect(file, "ro")) as database:
        _verify(database)


@contextmanager
def restored(file: Path, database: Path, at: int) -> Iterator[tuple[Path, BackupManifest, Files]]:
    """Restores the store of a backup under a temporary name, and yields that path for inspection,
    and what else is in the backup.

    The store gets the name `database` when the block ends, and is removed if the block raises. Its
    history says that it was restored, `at` microseconds since 1970; a mark of an earlier store of
    this name is replaced.

    Raises DamagedBackup, FileExistsError, and other PersistenceErrors.
    """
    _require_free(database)
    with _written_whole(database) as partial:
        with _database_errors(partial), closing(_connect(partial)) as copy:
            with _read_errors(file), _room_for(database):
                with closing(_connect(file, "ro")) as original:
                    _copy(original, copy, lambda _left, _all: None)
                manifest, files = _verify(copy)
            copy.execute(f"DROP TABLE {TABLE}")
        with closing(Store(embedded(partial))) as new:
            length = manifest.sums[LOG].rows
            begin_again(new.keyrings, BackupRestored(at, length, manifest.made_at))
        yield partial, manifest, files
        if _side_file(partial, "-wal").exists():
            raise OperationalError(f"{partial}: another process has opened it")
        mark_restored(partial, database)


def _verify(backup: sqlite3.Connection) -> tuple[BackupManifest, Files]:
    """What a backup has besides the store, after all has been compared with the manifest."""
    faults = [line for (line,) in backup.execute("PRAGMA integrity_check(1)")]
    if faults != ["ok"]:
        raise DamagedBackup(faults[0])
    files: dict[str, bytes] = dict(backup.execute(f"SELECT name, content FROM {TABLE}"))  # noqa: S608
    if MANIFEST not in files:
        raise DamagedBackup("it has no manifest")
    manifest = _manifest_decoder.decode(files.pop(MANIFEST))
    if manifest.sums != sum_tables(backup):
        raise DamagedBackup("its rows are not those of the store")
    if manifest.files != _hash_files(files):
        raise DamagedBackup("the files that lay beside the store have changed")
    return manifest, files


def _require_free(database: Path) -> None:
    """Raises FileExistsError if the database exists, or a side file of an earlier database of this
    name: SQLite would write its contents into the restored one."""
    if database.exists():
        raise FileExistsError(f"{database} already exists")
    for end in SIDE_FILE_ENDS:
        path = _side_file(database, end)
        if path.exists():
            raise FileExistsError(
                f"{path} is left over from a database that had this name, and may hold its last "
                "commits. Move it to where that database is now"
            )


def _copy(original: sqlite3.Connection, copy: sqlite3.Connection, progress: Progress) -> None:
    """Copies a database as it is at one moment: commits made after the first SELECT are not seen in
    the transaction in which `original` is then."""
    original.execute("BEGIN")
    original.execute("SELECT name FROM sqlite_master").fetchall()
    original.backup(
        copy, pages=PAGES_A_STEP, progress=lambda _, remaining, pages: progress(remaining, pages)
    )
    # One file, without a write-ahead log next to it.
    copy.execute("PRAGMA journal_mode=DELETE")


def _add(target_db: sqlite3.Connection, files: Files) -> None:
    target_db.execute("BEGIN")
    target_db.execute(f"CREATE TABLE {TABLE} (name TEXT PRIMARY KEY, content BLOB)")
    target_db.executemany(f"INSERT INTO {TABLE} VALUES (?, ?)", files.items())  # noqa: S608  ours
    target_db.execute("COMMIT")


def _hash_files(files: Files) -> dict[str, str]:
    return {name: sha256(content).hexdigest() for name, content in files.items()}


def _connect(path: Path, mode: str = "rw") -> sqlite3.Connection:
    return sqlite3.connect(
        sqlite_uri(path, mode), uri=True, timeout=LOCK_TIMEOUT, isolation_level=None
    )


@contextmanager
def _written_whole(path: Path) -> Iterator[Path]:
    """Yields an empty file that only its owner can read. It is renamed to `path` when the block
    ends and its content is on disk. What an interrupted attempt left is removed first."""
    partial = _side_file(path, ".partial")
    _remove_partial(partial)
    os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        yield partial
    except BaseException:
        _remove_partial(partial)
        raise
    sync_to_disk(partial)
    partial.rename(path)
    sync_to_disk(path.parent)


def _remove_partial(partial: Path) -> None:
    for end in ("", *SIDE_FILE_ENDS):
        _side_file(partial, end).unlink(missing_ok=True)


def _side_file(path: Path, end: str) -> Path:
    return path.with_name(path.name + end)


@contextmanager
def _database_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise OperationalError(f"{path}: {error}") from error


@contextmanager
def _room_for(path: Path) -> Iterator[None]:
    """Raises OSError, which names the file that is written, if the disk is full: that says nothing
    of the file that is read."""
    try:
        yield
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_FULL:
            raise
        raise OSError(errno.ENOSPC, "the disk is full", str(path)) from None


@contextmanager
def _read_errors(file: Path) -> Iterator[None]:
    """Reports every error in reading a backup as a damaged backup."""
    try:
        yield
    except (sqlite3.Error, msgspec.DecodeError, PersistenceError, ValueError) as error:
        raise DamagedBackup(f"{file} is not a backup, or is damaged: {error}") from error
