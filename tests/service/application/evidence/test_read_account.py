"""What need not be on disk at once is written together; a look is on disk before it is answered."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from threading import Event as ThreadEvent
from typing import cast
from uuid import UUID

import pytest
from eventsourcing.persistence import OperationalError
from msgspec.structs import replace

from service.application.evidence import reads
from service.application.evidence.reads import KeyReading, ReadAccount
from service.application.matches.match_sessions import MatchSessions
from service.event_store.database import SQLiteDatabase
from service.event_store.errors import StoreUnavailable
from service.event_store.reads import TABLES, Read, ReadTable
from tests.support.instance.service_instance import PATIENCE
from tests.support.waiting import until

MATCH = "01890000-0000-7000-8000-000000000000"
LOOK = Read(MATCH, "mod", "moderator", True, "moderator", "Mo", 1, 1, 1)
SEEN = Read(MATCH, "s0", "seat:0", False, "seat", "Ann", 1, 1, 1)


class CountedTable(ReadTable):
    """Counts its transactions; it can be blocked, and can be made to fail."""

    def __init__(self, path: Path) -> None:
        database = SQLiteDatabase(str(path))
        database.create(TABLES)
        super().__init__(database)
        self.added: list[int] = []
        self.failing = False
        self.open = ThreadEvent()
        self.open.set()

    def add(self, reads: Sequence[Read]) -> None:
        if not self.open.wait(PATIENCE):
            raise TimeoutError
        if self.failing:
            raise OperationalError("the disk is away")
        super().add(reads)
        self.added.append(len(reads))


@pytest.fixture
def table(tmp_path: Path) -> CountedTable:
    return CountedTable(tmp_path / "reads.db")


@pytest.fixture
async def account(
    table: CountedTable, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[ReadAccount]:
    """An account whose batches a test makes due."""
    monkeypatch.setattr(reads, "BATCH_SECONDS", 3_600.0)
    account = ReadAccount(table)
    running = asyncio.create_task(account.run())
    yield account
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    account.close()


async def test_a_look_is_on_disk_when_it_has_been_accounted_for(
    account: ReadAccount, table: CountedTable
) -> None:
    await account.add(LOOK)
    assert table.of_match(UUID(MATCH)) == [LOOK]


async def test_looks_that_wait_at_the_same_time_are_one_transaction(
    account: ReadAccount, table: CountedTable
) -> None:
    table.open.clear()
    first = asyncio.create_task(account.add(LOOK))
    await asyncio.sleep(0)
    others = [
        asyncio.create_task(account.add(replace(LOOK, seq=seq, key_id=f"k{seq % 10}")))
        for seq in range(100)
    ]
    await asyncio.sleep(0)
    table.open.set()
    await asyncio.gather(first, *others)
    assert table.added == [1, 10]
    assert {read.seq for read in table.of_match(UUID(MATCH))} == {1, *range(90, 100)}


async def test_a_look_that_cannot_be_written_must_not_be_answered(
    account: ReadAccount, table: CountedTable
) -> None:
    table.failing = True
    with pytest.raises(StoreUnavailable):
        await account.add(LOOK)
    table.failing = False
    await account.add(LOOK)
    assert table.added == [1]


async def test_a_thousand_seats_that_read_on_and_on_are_one_transaction(
    account: ReadAccount, table: CountedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reads, "BATCH_SECONDS", 0.0)
    for seq in range(20):
        for reader in range(1_000):
            account.note(replace(SEEN, key_id=f"s{reader}", seq=seq, last=seq))
    assert table.added == []
    await until(lambda: bool(table.added))
    assert table.added == [1_000]
    assert {(read.seq, read.first, read.last) for read in table.of_match(UUID(MATCH))} == {
        (19, 1, 19)
    }


async def test_a_batch_that_cannot_be_written_is_written_with_the_next(
    account: ReadAccount, table: CountedTable
) -> None:
    table.failing = True
    account.note(SEEN)
    with pytest.raises(StoreUnavailable):
        await account.of_match(UUID(MATCH))
    table.failing = False
    account.note(replace(SEEN, seq=2, last=2))
    assert await account.of_match(UUID(MATCH)) == [replace(SEEN, seq=2, last=2)]


class Ticking:
    """A clock that is a microsecond later each time it is read."""

    def __init__(self) -> None:
        self.read = 0

    def __call__(self) -> int:
        self.read += 1
        return self.read


def reading_of_a_seat(account: ReadAccount, now: Callable[[], int]) -> KeyReading:
    nothing = cast(MatchSessions, None)  # What a seat reads is not hidden, whatever the match.
    return KeyReading(account, nothing, now, SEEN)


async def test_lines_are_one_read_from_the_first_to_when_the_account_is_written(
    account: ReadAccount, table: CountedTable
) -> None:
    now = Ticking()
    reading = reading_of_a_seat(account, now)
    for seq in range(1, 1_001):
        reading.note(seq)
    assert (now.read, account.waiting) == (1, 1)
    assert await account.of_match(UUID(MATCH)) == [replace(SEEN, seq=1_000, last=2)]


async def test_lines_not_written_yet_are_written_when_the_service_stops(tmp_path: Path) -> None:
    table = CountedTable(tmp_path / "stopped.db")
    account = ReadAccount(table)
    reading_of_a_seat(account, Ticking()).note(1)
    account.close()
    assert table.added == [1]


def test_a_crash_loses_at_most_5_seconds() -> None:
    assert reads.BATCH_SECONDS <= 5
