"""What is found by looking at a store, and what is not."""

import asyncio
import re
import sqlite3
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import closing
from pathlib import Path
from threading import Event
from typing import cast

import pytest

from service.event_store.database import NotMigrated
from service.event_store.errors import StoreUnavailable
from service.event_store.integrity import store_health
from service.event_store.integrity.store_health import DamagedPages, StoreProbe, check_pages
from service.event_store.sqlite.disk_room import DiskLimits, DiskRoom
from service.event_store.store import Store
from service.instance import Instance
from service.observability.store_faults import UNWRITABLE
from service.streams.channels import NDJSON
from service.streams.live_stream import Reader
from tests.support.faults.small_disk import leaves, overwrite
from tests.support.instance.service_instance import PATIENCE, settings, started

MIB = 1024**2


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_health, "LOOK_SECONDS", 0.1)
    monkeypatch.setattr(store_health, "LOOK_AGAIN_SECONDS", 0.02)


LIMITS = DiskLimits(low=1024, full=64)


@pytest.mark.parametrize(
    ("free", "total", "value"),
    [
        (2_000 * MIB, 100_000 * MIB, "up"),
        (1_023 * MIB, 100_000 * MIB, "low"),
        (1_023 * MIB, 4_000 * MIB, "up"),
        (199 * MIB, 4_000 * MIB, "low"),
        (63 * MIB, 4_000 * MIB, "full"),
    ],
)
def test_the_room_on_a_disk(free: int, total: int, value: str) -> None:
    assert DiskRoom(free, total).value(LIMITS) == value


def filled(path: Path, rows: int) -> Path:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE kept (content TEXT)")
        database.executemany("INSERT INTO kept VALUES (?)", [("x" * 1_000,)] * rows)
    return path


def test_pages_are_checked(tmp_path: Path) -> None:
    path = filled(tmp_path / "database", 100)
    assert check_pages(str(path))
    overwrite(path, leaves(path, "kept")[1:2])
    with pytest.raises(DamagedPages, match=re.escape(str(path))):
        check_pages(str(path))


def test_the_check_of_a_large_file_ends_in_time(tmp_path: Path) -> None:
    path = filled(tmp_path / "database", 100_000)
    assert not check_pages(str(path), seconds=0.0)
    assert check_pages(str(path))


async def test_a_fault_is_shown_until_a_look_finds_that_all_is_well(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    def finds_damage(path: str) -> bool:
        raise DamagedPages(path)

    # Whether pages are sound a check of them says, which may come at any moment, and no look.
    monkeypatch.setattr("service.event_store.integrity.store_health.check_pages", finds_damage)
    for fault in sorted(UNWRITABLE - {"corrupt"}):
        worked = instance.health.worked
        instance.health.outages.failed(fault)
        shown = instance.health.value
        await worked.wait()
        assert (shown, instance.health.value) == (fault, "up")
    instance.health.outages.failed("corrupt")
    await instance.health.worked.wait()
    assert instance.health.value == "corrupt"


async def test_whether_a_silent_store_fails_the_next_look_says(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the look is as long as a store may be silent, on a machine that is as late as two
    looks are apart."""
    monkeypatch.setattr(store_health, "SILENT_SECONDS", 2.2)
    monkeypatch.setattr(store_health, "LOOK_AGAIN_SECONDS", 2.0)
    writes, answers = Event(), Event()

    def write(_: StoreProbe, **__: bool) -> None:
        writes.set()
        answers.wait(PATIENCE)

    monkeypatch.setattr(StoreProbe, "write", write)
    try:
        assert await asyncio.to_thread(writes.wait, PATIENCE)
        assert await instance.health.fails()
    finally:
        answers.set()


async def test_with_little_room_lists_still_follow_the_log(instance: Instance) -> None:
    match_id = await started(instance)
    instance.health.room = DiskRoom(1, 1 << 40)
    assert instance.health.value == "full"
    page = await instance.lists.read(lambda index: index.page(limit=5))
    assert [row.id for row in page.matches] == [str(match_id)]
    assert instance.lists.age is None


async def test_a_probe_without_its_table_says_so(tmp_path: Path) -> None:
    one = settings(tmp_path / "arbiter.db")
    Store(one.store).close()
    bound = Store({**one.store, "CREATE_TABLE": "no"})
    with closing(bound), pytest.raises(NotMigrated, match="arbiter_properties"):
        StoreProbe(bound)


async def next_of(stream: AsyncIterator[bytes]) -> bytes:
    return await anext(stream)


class Asked:
    """Answers whether a reader may read, or that the store does not answer."""

    def __init__(self) -> None:
        self.error: StoreUnavailable | None = None
        self.may = True

    async def __call__(self) -> bool:
        if self.error is not None:
            raise self.error
        return self.may


async def test_a_stream_waits_for_a_store_that_is_away(instance: Instance) -> None:
    match_id, asked = await started(instance), Asked()
    stream = instance.streams.follow(match_id, Reader("public", NDJSON, asked), 0)
    asked.error = StoreUnavailable()
    line = asyncio.create_task(next_of(stream))
    for _ in range(2):
        await instance.health.worked.wait()
        assert not line.done()
        instance.health.outages.failed("down")
    asked.error = None
    async with asyncio.timeout(PATIENCE):
        assert b'"seq":1' in await line
    await cast(AsyncGenerator[bytes, None], stream).aclose()


async def test_a_key_that_ended_during_an_outage_reads_nothing_more(instance: Instance) -> None:
    match_id, asked = await started(instance), Asked()
    stream = instance.streams.follow(match_id, Reader(0, NDJSON, asked), 0)
    asked.error = StoreUnavailable()
    line = asyncio.create_task(next_of(stream))
    await instance.health.worked.wait()
    asked.error, asked.may = None, False
    instance.health.outages.failed("down")
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(StopAsyncIteration):
            await line


async def test_a_stream_of_damaged_bytes_ends_with_its_farewell(instance: Instance) -> None:
    match_id, asked = await started(instance), Asked()
    stream = instance.streams.follow(match_id, Reader("public", NDJSON, asked), 0)
    asked.error = StoreUnavailable(DamagedPages())
    async with asyncio.timeout(PATIENCE):
        assert [piece async for piece in stream] == [NDJSON.farewell()]


async def test_waiting_streams_end_when_the_service_stops(instance: Instance) -> None:
    match_id, asked = await started(instance), Asked()
    stream = instance.streams.follow(match_id, Reader("public", NDJSON, asked), 0)
    asked.error = StoreUnavailable()
    line = asyncio.create_task(next_of(stream))
    await asyncio.sleep(0)
    instance.stop_streams()
    async with asyncio.timeout(PATIENCE):
        assert await line == NDJSON.farewell()
