"""When an instance ends, whoever waits for it is told so: with several stores the process goes on
without it, and nobody else would ever answer."""

import asyncio
from pathlib import Path

import pytest

from domain.commands import Start
from service.arbiter import Arbiter
from service.clock import VirtualClock
from service.place import Place
from service.storage.reading import StoreUnavailable
from tests.service.instance import (
    NOT_NOW,
    PATIENCE,
    WatchedStore,
    created,
    sends,
    settings,
    started,
    watched,
)


@pytest.fixture
def opened(database: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch) -> Arbiter:
    """An instance that does not run yet; its store is a `WatchedStore`."""
    monkeypatch.setattr("service.arbiter.Store", WatchedStore)
    return Arbiter(settings(database), clock)


async def waiting(arbiter: Arbiter) -> list[asyncio.Task[object]]:
    """One command that is being committed, which never ends, and what waits behind it."""
    one, other = await started(arbiter), await created(arbiter)
    watched(arbiter).hold()
    enter = arbiter.matches.enter
    tasks: list[asyncio.Task[object]] = [asyncio.create_task(enter(one, sends(0, NOT_NOW), 0))]
    await watched(arbiter).held()
    tasks += [
        asyncio.create_task(enter(one, sends(1, NOT_NOW), 1)),
        asyncio.create_task(enter(other, Start(), "moderator")),
        asyncio.create_task(arbiter.matches.append([])),
    ]
    await asyncio.sleep(0.05)
    assert not any(task.done() for task in tasks)
    return tasks


async def test_whoever_waits_when_an_instance_breaks_is_answered_at_once(opened: Arbiter) -> None:
    place = Place("north", lambda: opened)
    keeping = asyncio.create_task(place.keep(lambda _: None))
    try:
        async with asyncio.timeout(PATIENCE):
            await place.tried.wait()
        tasks = await waiting(place.arbiter)
        opened.broken.set()

        async with asyncio.timeout(PATIENCE / 4):
            told = await asyncio.gather(*tasks, return_exceptions=True)

        assert [type(one) for one in told] == [StoreUnavailable] * len(tasks)
        assert not place.up, "it is still being closed"
    finally:
        watched(opened).open.set()
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)


async def test_nobody_is_let_in_after_the_end(opened: Arbiter) -> None:
    async with opened.running():
        match_id = await created(opened)
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(StoreUnavailable):
            await opened.matches.enter(match_id, Start(), "moderator")
        with pytest.raises(StoreUnavailable):
            await opened.matches.append([])
