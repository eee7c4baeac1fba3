"""A backup of the embedded store: one file, and that a SQLite database, as the store itself is.

Its tables are those of the store at one moment, whatever was recorded while they were copied. One
more table bears what lies in files beside the store, and says what all the others hold.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path

import msgspec
from eventsourcing.persistence import OperationalError, PersistenceError
from msgspec import Struct

from service.storage.copying import Sums, require_same, summed
from service.storage.database import PATIENCE
from service.storage.facts import SQLiteFacts, uri

TABLE = "arbiter_backup"
MANIFEST = "manifest"
FORMAT = 1

PAGES = 1_000
"""So many pages of the database are copied in a step."""

LEFT_BESIDE = "-wal", "-shm", "-journal"
"""What SQLite keeps in files beside a database, by the ends of their names."""

Files = Mapping[str, bytes]
"""What lies in files beside the store, by their names."""

Progress = Callable[[int, int], None]
"""Is told of how many pages how many are left."""


class Damaged(PersistenceError):
    """The file is no backup, or not what it was when it was made."""


class Manifest(Struct, frozen=True):
    """What a backup holds, and when it was made, in microseconds; of files the SHA-256."""

    format: int
    made_at: int
    sums: Sums
    files: dict[str, str]


def back_up(
    database: Path, file: Path, made_at: int, beside: Callable[[], Files], progress: Progress
) -> Manifest:
    """Makes a backup of a store that may be served meanwhile; it is whole and on disk when this
    returns, and before that not under its name. `beside` is asked when the store's moment is past.

    Raises FileExistsError, and PersistenceErrors.
    """
    if file.exists():
        raise FileExistsError(f"{file} is there already")
    with _errors_of(database), _growing(file) as partial:
        with closing(_connected(partial, "rw")) as made:
            sums = _copy(database, made, progress)
            files = beside()
            manifest = Manifest(FORMAT, made_at, sums, _hashed(files))
            _add(made, {**files, MANIFEST: msgspec.json.encode(manifest)})
        check(partial)
    return manifest


def check(file: Path) -> Manifest:
    """What a backup holds, read from its first byte to its last. Raises Damaged."""
    with _damage(file), closing(_connected(file, "ro")) as database:
        _require_intact(database)
        manifest = _manifest(database)
        require_same(manifest.sums, summed(SQLiteFacts(database)))
        if manifest.files != _hashed(_files(database)):
            raise Damaged("the files that lay beside the store are not what they were")
    return manifest


def files_in(file: Path) -> Files:
    """The files in a backup that lay beside the store."""
    with _damage(file), closing(_connected(file, "ro")) as database:
        return _files(database)


@contextmanager
def restored(file: Path, database: Path) -> Iterator[Path]:
    """The store of a backup under another name, to be looked at. It has its own name when that is
    done, and is gone if an exception is raised.

    Raises Damaged, FileExistsError, and other PersistenceErrors.
    """
    _require_free(database)
    with _growing(database) as partial:
        with _errors_of(partial), closing(_connected(partial, "rw")) as made:
            with _damage(file):
                sums = _copy(file, made, lambda _left, _all: None)
                require_same(_manifest(made).sums, sums)
            made.execute(f"DROP TABLE {TABLE}")
            require_same(sums, summed(SQLiteFacts(made)))
        yield partial
        if _beside(partial, "-wal").exists():
            raise OperationalError(f"{partial}: somebody else has opened it")


def _require_free(database: Path) -> None:
    """Raises FileExistsError if there is a database, or what another one of this name has left
    beside it: SQLite would write that into the restored one."""
    if database.exists():
        raise FileExistsError(f"{database} is there already")
    for end in LEFT_BESIDE:
        left = _beside(database, end)
        if left.exists():
            raise FileExistsError(
                f"{left} is there, of a database that had this name: its last commits may be in "
                "it. Move it away, to where that database is now"
            )


def _copy(source: Path, made: sqlite3.Connection, progress: Progress) -> Sums:
    """Copies one moment of a database, and tells what it held then: nothing is seen in it that is
    committed after its first question."""
    with closing(_connected(source, "ro")) as there:
        there.execute("BEGIN")
        there.execute("SELECT count(*) FROM sqlite_master")
        there.backup(made, pages=PAGES, progress=lambda _, left, pages: progress(left, pages))
        sums = summed(SQLiteFacts(there))
    # All in one file, with nothing beside it.
    made.execute("PRAGMA journal_mode=DELETE")
    return sums


def _add(made: sqlite3.Connection, files: Files) -> None:
    made.execute("BEGIN")
    made.execute(f"CREATE TABLE {TABLE} (name TEXT PRIMARY KEY, content BLOB)")
    made.executemany(f"INSERT INTO {TABLE} VALUES (?, ?)", files.items())  # noqa: S608  ours
    made.execute("COMMIT")


def _files(database: sqlite3.Connection) -> Files:
    found = database.execute(f"SELECT name, content FROM {TABLE}")  # noqa: S608  ours
    return {name: content for name, content in found if name != MANIFEST}


def _hashed(files: Files) -> dict[str, str]:
    return {name: sha256(content).hexdigest() for name, content in files.items()}


def _manifest(database: sqlite3.Connection) -> Manifest:
    found = database.execute(
        f"SELECT content FROM {TABLE} WHERE name = ?",  # noqa: S608  ours
        (MANIFEST,),
    ).fetchone()
    if found is None:
        raise Damaged("it does not say what it holds")
    manifest = msgspec.json.decode(found[0], type=Manifest)
    if manifest.format != FORMAT:
        raise Damaged(f"it is of format {manifest.format}: a newer release has made it")
    return manifest


def _require_intact(database: sqlite3.Connection) -> None:
    found = [line for (line,) in database.execute("PRAGMA integrity_check(1)")]
    if found != ["ok"]:
        raise Damaged(found[0])


def _connected(path: Path, mode: str) -> sqlite3.Connection:
    return sqlite3.connect(uri(path, mode), uri=True, timeout=PATIENCE, isolation_level=None)


@contextmanager
def _growing(path: Path) -> Iterator[Path]:
    """An empty file for its owner alone that has the name in the end, when it is on disk. What was
    broken off before is thrown away."""
    partial = _beside(path, ".partial")
    _forget(partial)
    os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        yield partial
    except BaseException:
        _forget(partial)
        raise
    on_disk(partial)
    partial.rename(path)
    on_disk(path.parent)


def _forget(partial: Path) -> None:
    for end in ("", *LEFT_BESIDE):
        _beside(partial, end).unlink(missing_ok=True)


def _beside(path: Path, end: str) -> Path:
    return path.with_name(path.name + end)


def on_disk(path: Path) -> None:
    """Returns when what is in a file or a folder is on disk."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


@contextmanager
def _errors_of(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise OperationalError(f"{path}: {error}") from error


@contextmanager
def _damage(file: Path) -> Iterator[None]:
    """Whatever goes wrong while a backup is read is due to the backup."""
    try:
        yield
    except (sqlite3.Error, msgspec.DecodeError, PersistenceError, ValueError) as error:
        raise Damaged(f"{file} is no backup, or damaged: {error}") from error
