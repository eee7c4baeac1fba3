"""The high-water mark: how long the log of the embedded store was, in a file beside it.

SQLite keeps the last commits in `arbiter.db-wal`. If that file is deleted or not copied along, or
an older `arbiter.db` is put back, the database is valid and shorter, and nothing in it says so. The
mark does: it names the last event of the log after every commit, before the commit is answered.

The mark is handed to the operating system at each commit, and synced to disk once a second. When
the process ends, however it ends, nothing that was answered is behind the mark; after a power
failure, what was answered within about a second may be. The mark is never ahead of the log, whose
commits are on disk before it.

Only the log is marked. Keys that were issued or ended after its last event can be lost unnoticed.
"""

import os
import threading
import time
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from eventsourcing.persistence import PersistenceError

from service.observability import logs

FILE_END = ".mark"
"""Ending of the file's name, which begins with that of the database."""

VERSION = b"arbiter-mark/1"
NO_DIGEST = bytes(32)
"""Digest of the end of an empty log."""

SLOT_BYTES = 256
SLOTS = 2
"""A mark that was written in part does not replace the one before: they take turns."""

DIGESTED_BYTES = 1_024
"""Bytes of an event that count. A longer one would give the interpreter's lock away."""

TextRow = tuple[str, int, str, bytes]
"""Stream (its 32 hexadecimal digits), version, stored name, encoded record."""


class DamagedMark(PersistenceError):
    """The file is there, and no mark in it can be read."""


class Mark(NamedTuple):
    """The end of a log: its length, the digest of its last event, and the incarnation of its
    store."""

    length: int
    digest: bytes
    incarnation: bytes


def mark_path(database: Path | str) -> Path:
    """The file of the mark of a database."""
    return Path(f"{database}{FILE_END}")


def digest_of(row: TextRow) -> bytes:
    """The digest of an event."""
    stream, version, topic, state = row
    head = f"{stream} {version} {topic} {len(state)}\n".encode()
    return sha256(head + state[:DIGESTED_BYTES]).digest()


def encode(mark: Mark) -> bytes:
    """A mark as a line of text: readable for people, and with a sum of its own."""
    fields = b"%b %d %b %b" % (
        VERSION,
        mark.length,
        mark.digest.hex().encode(),
        mark.incarnation.hex().encode(),
    )
    return b"%b %b" % (fields, _sum(fields))


def decode(line: bytes) -> Mark | None:
    """The mark in a line; None if the line is not whole."""
    fields, _, own_sum = line.rstrip().rpartition(b" ")
    if own_sum != _sum(fields):
        return None
    _, length, digest, incarnation = fields.decode().split(" ")
    return Mark(int(length), bytes.fromhex(digest), bytes.fromhex(incarnation))


def _sum(fields: bytes) -> bytes:
    return sha256(fields).hexdigest()[:16].encode()


def read_mark(path: Path) -> Mark | None:
    """The latest mark in a file; None if there is no file. Raises DamagedMark, OSError."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    lines = [content[start : start + SLOT_BYTES] for start in range(0, len(content), SLOT_BYTES)]
    marks = [mark for mark in map(decode, lines) if mark is not None]
    if not marks:
        raise DamagedMark(f"{path} is damaged: it does not say how long the log was")
    return max(marks)


def sync_to_disk(path: Path | str) -> None:
    """Returns when the content of a file or folder is on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_whole(path: Path, content: bytes, mode: int = 0o644) -> None:
    """Writes a file atomically: it is complete and on disk, or unchanged, and nothing else is left.
    Raises OSError."""
    fresh = path.with_name(f"{path.name}.new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    sync_to_disk(path.parent)


def begin_mark(path: Path, mark: Mark) -> None:
    """Replaces the file by one with this mark alone; it is on disk when this returns."""
    write_whole(path, _slot(mark) * SLOTS)


def _slot(mark: Mark) -> bytes:
    return encode(mark).ljust(SLOT_BYTES - 1) + b"\n"


class MarkFile:
    """The file while the store is written. A missing one is not made here, but where a service
    starts."""

    def __init__(self, path: Path, now: Callable[[], float] = time.monotonic) -> None:
        """`now` returns monotonic seconds."""
        self._lock = threading.Lock()
        self._now = now
        self._file: int | None = None
        self._written = self._synced = 0
        self._waits_since: float | None = None
        mark = read_mark(path)
        if mark is not None:
            self._incarnation = mark.incarnation
            self._file = os.open(path, os.O_RDWR)

    def advance(self, positions: Sequence[int], rows: Sequence[TextRow]) -> None:
        """Marks the end of the log after a commit of these rows."""
        if self._file is None or not rows:
            return
        mark = Mark(positions[-1], digest_of(rows[-1]), self._incarnation)
        with self._lock:
            self._written += 1
            if self._waits_since is None:
                self._waits_since = self._now()
            os.pwrite(self._file, _slot(mark), self._written % SLOTS * SLOT_BYTES)

    def sync(self) -> None:
        """Brings the mark to disk if it has changed. Blocks."""
        with self._lock:
            if self._file is None or self._written == self._synced:
                return
            written_then, began, duplicate = self._written, self._now(), os.dup(self._file)
        try:
            os.fdatasync(duplicate)
        finally:
            os.close(duplicate)
        with self._lock:
            self._synced = written_then
            # What was written meanwhile has not waited longer than the sync has taken.
            self._waits_since = None if self._written == written_then else began

    @property
    def unsynced(self) -> float:
        """For how many seconds commits have waited for their mark to be on disk; 0 for none."""
        since = self._waits_since
        return 0.0 if since is None else self._now() - since

    def close(self) -> None:
        """Brings the mark to disk and closes the file."""
        try:
            self.sync()
        except OSError as error:
            logs.failure("mark_not_synced", error)
        with self._lock:
            if self._file is not None:
                os.close(self._file)
                self._file = None
