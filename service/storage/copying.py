"""Moves the facts of a store into another one, and knows that all of them have arrived.

Where a row lies in the log may change its number, never its place: numbers may have gaps, and
nobody is told of them.
"""

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from hashlib import sha256
from pathlib import Path
from typing import Literal

from eventsourcing.persistence import PersistenceError
from msgspec import Struct

from service.storage.facts import TABLES, Facts, Row, sqlite_facts

_HEAD = struct.Struct(">16sqII")


class NotEmpty(PersistenceError):
    """There is something already where everything is to go."""


class Differs(PersistenceError):
    """What has arrived is not what was sent."""


class Sum(Struct, frozen=True):
    """What a table holds: how many rows, how many bytes, and the SHA-256 of all of them in order,
    in hexadecimal."""

    rows: int
    bytes: int
    sha256: str


Sums = dict[str, Sum]
"""What a store holds, table by table."""

Step = Literal["copying", "reading again"]

Progress = Callable[[Step, int], None]
"""Is told what is being done, and with how many more rows."""


class Tally:
    """Adds up rows as they go by. Of each it takes in everything, and where its parts end."""

    def __init__(self) -> None:
        self._rows = self._bytes = 0
        self._hash = sha256()

    def add(self, page: Sequence[Row]) -> None:
        for stream, version, topic, state in page:
            name = topic.encode()
            self._hash.update(_HEAD.pack(stream, version, len(name), len(state)))
            self._hash.update(name)
            self._hash.update(state)
            self._bytes += _HEAD.size + len(name) + len(state)
        self._rows += len(page)

    def sum(self) -> Sum:
        return Sum(self._rows, self._bytes, self._hash.hexdigest())


def untold(_step: Step, _rows: int) -> None:
    """Nobody wants to know how far it is."""


def copy(source: Facts, target: Facts, progress: Progress = untold) -> Sums:
    """Puts everything into an empty target and reads it again from there.

    Raises NotEmpty, Differs, and other PersistenceErrors: then it must not be committed.
    """
    require_empty(target)
    sent = {}
    for table in TABLES:
        tally = Tally()
        target.insert(table, _passing(source.pages(table), tally, progress))
        sent[table] = tally.sum()
    require_same(sent, summed(target, progress))
    return sent


def _passing(
    pages: Iterable[Sequence[Row]], tally: Tally, progress: Progress
) -> Iterator[Sequence[Row]]:
    for page in pages:
        tally.add(page)
        yield page
        progress("copying", len(page))


def summed(facts: Facts, progress: Progress = untold) -> Sums:
    """What is in a store, read from its first row to its last."""
    found = {}
    for table in TABLES:
        tally = Tally()
        for page in facts.pages(table):
            tally.add(page)
            progress("reading again", len(page))
        found[table] = tally.sum()
    return found


def require_empty(facts: Facts) -> None:
    """Raises NotEmpty unless there is nothing."""
    for table in TABLES:
        if count := facts.count(table):
            raise NotEmpty(f"there are {count:,} rows in {table}")


def require_same(sent: Sums, arrived: Sums) -> None:
    """Raises Differs if anything is missing, or not what it was, or elsewhere."""
    for table in TABLES:
        if sent[table] != arrived[table]:
            raise Differs(
                f"{table}: {sent[table].rows:,} rows with hash {sent[table].sha256[:16]} were sent,"
                f" {arrived[table].rows:,} with {arrived[table].sha256[:16]} have arrived"
            )


def facts_of(env: dict[str, str]) -> AbstractContextManager[Facts]:
    """The facts of a store by its environment: of ours, there are these two."""
    if env["PERSISTENCE_MODULE"] == "service.storage.sqlite":
        return sqlite_facts(Path(env["SQLITE_DBNAME"]))
    # Loaded only here: whoever has no PostgreSQL does not wait for it.
    from service.storage.postgres_facts import postgres_facts

    return postgres_facts(env)
