"""The log poller: readers are woken by records of other instances, without notifications."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from uuid import UUID

import pytest
import pytest_asyncio
from eventsourcing.persistence import OperationalError

from domain.events import Record
from domain.match.events import MatchPaused
from service.cluster import log_poller
from service.cluster.log_poller import LogPoller
from service.event_store import store as stores
from service.event_store.database import embedded
from service.event_store.store import Store, rows
from tests.service.cluster.listeners import Listeners
from tests.support.servers.postgres_server import fresh_database
from tests.support.waiting import woken

STREAMS = [UUID(int=(0x7 << 76) | (0b10 << 62) | n) for n in range(1, 4)]


@pytest.fixture(params=["sqlite", "postgres"])
def env(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Mapping[str, str]]:
    if request.param == "sqlite":
        yield embedded(tmp_path / "arbiter.db")
    else:
        with fresh_database() as env:
            yield env


@pytest.fixture
def store(env: Mapping[str, str]) -> Iterator[Store]:
    store = Store(dict(env))
    yield store
    store.close()


@pytest.fixture
def listeners() -> Listeners:
    return Listeners()


@pytest_asyncio.fixture
async def poller(store: Store, listeners: Listeners) -> AsyncIterator[LogPoller]:
    """A running poller without notifications."""
    poller = LogPoller(store, listeners, lambda: False)
    running = asyncio.create_task(poller.run())
    yield poller
    running.cancel()
    await asyncio.wait({running})


def grow(store: Store, stream: UUID, by: int = 1) -> None:
    length = len(store.read(stream))
    store.append(rows(stream, length, [Record(1, 0, MatchPaused())] * by))


async def test_readers_are_woken_by_new_records(
    store: Store, listeners: Listeners, poller: LogPoller
) -> None:
    with listeners.listening(STREAMS[0]) as event, listeners.listening(STREAMS[1]) as others:
        await woken(event)  # The first poll wakes all readers.
        others.clear()
        for _ in range(3):
            await asyncio.to_thread(grow, store, STREAMS[0])
            await woken(event)
        assert not others.is_set()


async def test_a_reader_that_comes_back_misses_nothing(
    store: Store, listeners: Listeners, poller: LogPoller
) -> None:
    with listeners.listening(STREAMS[0]) as event:
        await woken(event)
    await asyncio.sleep(3 * log_poller.POLL_SECONDS)
    with listeners.listening(STREAMS[0]) as event:
        await asyncio.to_thread(grow, store, STREAMS[0])
        await woken(event)


async def test_with_too_many_new_records_all_readers_are_woken(
    store: Store, listeners: Listeners, poller: LogPoller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stores, "MAX_GROWN", 5)
    with listeners.listening(STREAMS[0]) as event, listeners.listening(STREAMS[1]) as others:
        await woken(event)
        others.clear()
        await asyncio.to_thread(grow, store, STREAMS[0], 12)
        await woken(others)


async def test_a_store_that_fails_is_polled_again(
    store: Store, listeners: Listeners, poller: LogPoller, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = [OperationalError("away"), RuntimeError("unforeseen")]
    grown = store.grown

    def fails(position: int) -> tuple[int, set[UUID] | None]:
        if failures:
            raise failures.pop()
        return grown(position)

    with listeners.listening(STREAMS[0]) as event:
        await woken(event)
        monkeypatch.setattr(store, "grown", fails)
        await asyncio.to_thread(grow, store, STREAMS[0])
        await woken(event)
    assert not failures
