"""The tail of the log: readers hear of what others have recorded, with nobody to tell them."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from uuid import UUID

import pytest
import pytest_asyncio
from eventsourcing.persistence import OperationalError

from domain.events import Record
from domain.match_events import MatchPaused
from service.instances import tail
from service.instances.hub import Hub
from service.instances.tail import Tail
from service.storage import store as stores
from service.storage.store import Store, rows
from tests.postgres import fresh_database
from tests.service.instance import PATIENCE, settings

STREAMS = [UUID(int=(0x7 << 76) | (0b10 << 62) | n) for n in range(1, 4)]


@pytest.fixture(params=["sqlite", "postgres"])
def env(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Mapping[str, str]]:
    if request.param == "sqlite":
        yield settings(tmp_path / "arbiter.db").store
    else:
        with fresh_database() as env:
            yield env


@pytest.fixture
def store(env: Mapping[str, str]) -> Iterator[Store]:
    opened = Store(dict(env))
    yield opened
    opened.close()


@pytest.fixture
def hub() -> Hub:
    return Hub()


@pytest_asyncio.fixture
async def following(store: Store, hub: Hub) -> AsyncIterator[Tail]:
    """A tail that has nobody who tells."""
    following = Tail(store, hub, lambda: False)
    running = asyncio.create_task(following.run())
    yield following
    running.cancel()
    await asyncio.wait({running})


def grow(store: Store, stream: UUID, by: int = 1) -> None:
    length = len(store.read(stream))
    store.append(rows(stream, length, [Record(1, MatchPaused())] * by))


async def heard(news: asyncio.Event) -> None:
    async with asyncio.timeout(PATIENCE):
        await news.wait()
    news.clear()


async def test_readers_hear_of_what_has_been_recorded(
    store: Store, hub: Hub, following: Tail
) -> None:
    with hub.listening(STREAMS[0]) as news, hub.listening(STREAMS[1]) as others:
        await heard(news)  # Whatever came before is for everybody to look at.
        others.clear()
        for _ in range(3):
            await asyncio.to_thread(grow, store, STREAMS[0])
            await heard(news)
        assert not others.is_set()


async def test_whoever_has_gone_and_come_back_misses_nothing(
    store: Store, hub: Hub, following: Tail
) -> None:
    with hub.listening(STREAMS[0]) as news:
        await heard(news)
    await asyncio.sleep(3 * tail.LOOK_SECONDS)
    with hub.listening(STREAMS[0]) as news:
        await asyncio.to_thread(grow, store, STREAMS[0])
        await heard(news)


async def test_where_too_much_has_grown_everybody_looks(
    store: Store, hub: Hub, following: Tail, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stores, "MOST_GROWN", 5)
    with hub.listening(STREAMS[0]) as news, hub.listening(STREAMS[1]) as others:
        await heard(news)
        others.clear()
        await asyncio.to_thread(grow, store, STREAMS[0], 12)
        await heard(others)


async def test_a_store_that_fails_is_asked_again(
    store: Store, hub: Hub, following: Tail, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = [OperationalError("away"), RuntimeError("unforeseen")]
    grown = store.grown

    def fails(position: int) -> tuple[int, set[UUID] | None]:
        if failures:
            raise failures.pop()
        return grown(position)

    with hub.listening(STREAMS[0]) as news:
        await heard(news)
        monkeypatch.setattr(store, "grown", fails)
        await asyncio.to_thread(grow, store, STREAMS[0])
        await heard(news)
    assert not failures


def test_what_has_grown_behind_a_position(store: Store) -> None:
    assert store.grown(store.end()) == (0, set())
    grow(store, STREAMS[0], 2)
    middle = store.end()
    for stream in STREAMS[1:]:
        grow(store, stream, 2)
    end, grown = store.grown(middle)
    assert (end, grown) == (store.end(), set(STREAMS[1:]))
    assert store.grown(end) == (end, set())


def test_of_another_module_it_is_only_known_that_something_has_grown() -> None:
    plain = Store({"PERSISTENCE_MODULE": "eventsourcing.popo"})
    assert plain.grown(plain.end()) == (0, set())
    grow(plain, STREAMS[0])
    assert plain.grown(0) == (1, None)
    plain.close()
