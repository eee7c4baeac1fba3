"""Damage to an embedded store behind the service's back, and a running match to be damaged. The
digests of rows stay as they are."""

import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import pytest
import pytest_asyncio
from msgspec.structs import replace

from domain.encoding import decode, encode
from domain.proof.log_events import CheckpointSigned
from domain.tournament.events import GarnetsPosted
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER
from service.event_store.integrity.digests import RecordAltered, begin_digest, extend_digest
from service.event_store.integrity.digests import StoredRow as DigestedRow
from service.event_store.store import paired_stream
from service.instance import Instance
from tests.support.instance.service_instance import NOT_NOW, sends, someone_acts, started
from tests.support.instance.service_instance import settings as settings_of
from tests.support.instants import NOON
from tests.support.virtual_clock import VirtualClock


class StoredRow(NamedTuple):
    """A row of the log as it is stored."""

    version: int
    topic: str
    state: bytes


class Rows:
    def __init__(self, database: sqlite3.Connection, match: UUID) -> None:
        self._db = database
        self._stream = match.hex

    def all(self) -> list[StoredRow]:
        rows = self._db.execute(
            "SELECT originator_version, topic, state FROM stored_events WHERE originator_id = ?"
            " ORDER BY originator_version",
            (self._stream,),
        )
        return [StoredRow(*row) for row in rows]

    def put(self, row: StoredRow) -> None:
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


def change(position: int, how: Callable[[StoredRow], StoredRow]) -> Callable[[Rows], None]:
    return lambda rows: rows.put(how(rows.all()[position]))


def sql(database: Path, statement: str, *parameters: Any) -> None:
    """Changes a store behind the service's back."""
    with closing(sqlite3.connect(database)) as connection, connection:
        changed = connection.execute(statement, parameters).rowcount
    assert changed != 0, "the statement has changed something"


def digest_anew(database: Path, match: UUID) -> None:
    """Makes the digest that of the present rows, as someone who edits them on purpose can. A
    stream of signatures has none."""
    with rows_of(database, match) as rows:
        stored = [DigestedRow(row.topic.encode(), row.state) for row in rows.all()]
    digest = extend_digest(begin_digest(match), stored)
    change = "UPDATE stored_digests SET originator_version = ?, state = ? WHERE originator_id = ?"
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute(change, (digest.length, digest.value, match.hex))


def other_checkpoint(database: Path, match: UUID) -> None:
    """A checkpoint of another root than was signed."""
    with rows_of(database, paired_stream(match)) as rows:
        last = rows.all()[-1]
        record = decode(last.state)
        assert isinstance(record.event, CheckpointSigned)
        other = replace(record, event=replace(record.event, root=bytes(32)))
        rows.put(last._replace(state=encode(other)))


def other_posting(database: Path, tournament: UUID, reason: str) -> int:
    """The first posting with this reason, of one garnet more; returns its position."""
    with rows_of(database, tournament) as rows:
        row, record = next(
            (row, record)
            for row in rows.all()
            if (record := decode(row.state)) and getattr(record.event, "reason", None) == reason
        )
        assert isinstance(record.event, GarnetsPosted)
        more = replace(record.event, amount=record.event.amount + 1)
        rows.put(StoredRow(row.version, row.topic, encode(replace(record, event=more))))
    return row.version


INPUTS = 12


class Played:
    """An instance on a file, a match in the middle of its record, and another one next to it."""

    def __init__(self, instance: Instance, database: Path, match: UUID, other: UUID) -> None:
        self.instance = instance
        self.database = database
        self.match = match
        self.other = other

    def damage(self, change: Callable[[Rows], object]) -> None:
        """Changes the match's rows in the file, and drops the match from memory."""
        with rows_of(self.database, self.match) as rows:
            change(rows)
        self.instance.sessions.invalidate(self.match)

    async def view(self) -> None:
        await self.instance.sessions.view(self.match, PUBLIC_VIEWER, None)

    async def events(self) -> None:
        await self.instance.sessions.lines(self.match, PUBLIC_VIEWER, 0, 100)

    async def act(self, match: UUID | None = None) -> None:
        await self.instance.matches.execute(match or self.match, sends(0, NOT_NOW), 0)

    async def is_closed(self) -> str:
        """Asserts that the match is closed and the other one is not; returns what is wrong."""
        for attempt in (self.act, self.view, self.events):
            with pytest.raises(RecordAltered) as raised:
                await attempt()
        await self.act(self.other)
        await self.instance.sessions.view(self.other, MODERATOR, None)
        assert len(self.instance.closed) == 1
        return raised.value.what


@pytest_asyncio.fixture
async def played(tmp_path: Path) -> AsyncIterator[Played]:
    database = tmp_path / "arbiter.db"
    instance = Instance(settings_of(database), VirtualClock(NOON))
    async with instance.running():
        match, other = await started(instance), await started(instance)
        for _ in range(INPUTS):
            await someone_acts(instance, match)
        yield Played(instance, database, match, other)
