"""Copies the rows of a store into another one, and checks that all of them have arrived.

The order of the log stays. The number of a row may change: numbers may have gaps, and no client
sees them.
"""

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from hashlib import sha256
from pathlib import Path
from typing import Literal

from eventsourcing.persistence import PersistenceError
from msgspec import Struct

from service.event_store.database import is_embedded
from service.event_store.dump import TABLES, DumpedRow, StoreDump, sqlite_dump

_HEAD = struct.Struct(">16sqII")


class NotEmpty(PersistenceError):
    """The target has rows already."""


class CopyDiffers(PersistenceError):
    """The target's rows differ from those of the source."""


class Sum(Struct, frozen=True):
    """The content of a table: the number of rows, the number of bytes, and the SHA-256 of all rows
    in order, in hexadecimal."""

    rows: int
    bytes: int
    sha256: str


Sums = dict[str, Sum]
"""The content of a store, by table."""

Step = Literal["copying", "reading again"]

Progress = Callable[[Step, int], None]
"""Receives the current step and the number of rows that were just processed."""


class TableTally:
    """The running sum of a table. Every field of a row counts, and its length."""

    def __init__(self) -> None:
        self._rows = self._bytes = 0
        self._hash = sha256()

    def add(self, page: Sequence[DumpedRow]) -> None:
        for stream, version, topic, state in page:
            name = topic.encode()
            row = _HEAD.pack(stream, version, len(name), len(state)) + name + state
            self._hash.update(row)
            self._bytes += len(row)
        self._rows += len(page)

    def sum(self) -> Sum:
        return Sum(self._rows, self._bytes, self._hash.hexdigest())


NOTHING = TableTally().sum()
"""The content of a table without rows."""


def ignore_progress(_step: Step, _rows: int) -> None:
    """Progress that is not reported."""


def copy(source: StoreDump, target: StoreDump, progress: Progress = ignore_progress) -> Sums:
    """Copies everything into an empty target, and reads the target again to compare.

    Raises NotEmpty, CopyDiffers, and other PersistenceErrors: the target must then be rolled back.
    """
    require_empty(target)
    sent = {}
    for table in TABLES:
        tally = TableTally()
        target.insert(table, _tallied(source.pages(table), tally, progress))
        sent[table] = tally.sum()
    require_same(sent, summed(target, progress))
    return sent


def _tallied(
    pages: Iterable[Sequence[DumpedRow]], tally: TableTally, progress: Progress
) -> Iterator[Sequence[DumpedRow]]:
    """The pages, each added to the tally and reported when it has been taken."""
    for page in pages:
        tally.add(page)
        yield page
        progress("copying", len(page))


def summed(dump: StoreDump, progress: Progress = ignore_progress) -> Sums:
    """The content of a store, read from its first row to its last."""
    found = {}
    for table in TABLES:
        tally = TableTally()
        for page in dump.pages(table):
            tally.add(page)
            progress("reading again", len(page))
        found[table] = tally.sum()
    return found


def require_empty(dump: StoreDump) -> None:
    """Raises NotEmpty if a table has rows."""
    for table in TABLES:
        if count := dump.count(table):
            raise NotEmpty(f"{table} has {count:,} rows")


def require_same(sent: Sums, arrived: Sums) -> None:
    """Raises CopyDiffers if a row is missing, has changed, or stands in another order."""
    for table in TABLES:
        # A damaged manifest may lack a table.
        before, after = sent.get(table, NOTHING), arrived[table]
        if before != after:
            raise CopyDiffers(
                f"{table}: {before.rows:,} rows with hash {before.sha256[:16]} were sent,"
                f" {after.rows:,} with hash {after.sha256[:16]} arrived"
            )


def open_dump(env: dict[str, str]) -> AbstractContextManager[StoreDump]:
    """The dump of the SQLite or PostgreSQL store that the environment names."""
    if is_embedded(env):
        return sqlite_dump(Path(env["SQLITE_DBNAME"]))
    # Imported only here, so that SQLite users do not wait for the PostgreSQL driver.
    from service.event_store.postgres_dump import postgres_dump

    return postgres_dump(env)
