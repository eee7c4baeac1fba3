"""When an instance breaks, its waiting commands fail at once: it may take long to close."""

import asyncio
from pathlib import Path

import pytest

from service.event_store.errors import StoreUnavailable
from service.instance import Instance
from tests.support.instance.service_instance import (
    NOT_NOW,
    PATIENCE,
    WatchedStore,
    created,
    sends,
    settings,
    started,
    watched,
)
from tests.support.tables.directing import START
from tests.support.virtual_clock import VirtualClock


@pytest.fixture
def opened(database: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch) -> Instance:
    """An instance that does not run yet; its store is a `WatchedStore`."""
    monkeypatch.setattr("service.composition.storage.Store", WatchedStore)
    return Instance(settings(database), clock)


async def waiting(instance: Instance) -> list[asyncio.Task[object]]:
    """One command that is being committed, which never ends, and others that wait after it."""
    one, other = await started(instance), await created(instance)
    watched(instance).block()
    execute = instance.matches.execute
    tasks: list[asyncio.Task[object]] = [asyncio.create_task(execute(one, sends(0, NOT_NOW), 0))]
    await watched(instance).blocked()
    tasks += [
        asyncio.create_task(execute(one, sends(1, NOT_NOW), 1)),
        asyncio.create_task(execute(other, START, "moderator")),
        asyncio.create_task(instance.matches.append([])),
    ]
    await asyncio.sleep(0.05)
    assert not any(task.done() for task in tasks)
    return tasks


async def test_waiting_commands_of_a_broken_instance_are_answered_at_once(opened: Instance) -> None:
    ready = asyncio.Event()

    async def serve() -> None:
        async with opened.running():
            ready.set()
            await opened.broken.wait()

    running = asyncio.create_task(serve())
    try:
        async with asyncio.timeout(PATIENCE):
            await ready.wait()
        tasks = await waiting(opened)
        opened.broken.set()

        async with asyncio.timeout(PATIENCE / 4):
            results = await asyncio.gather(*tasks, return_exceptions=True)

        assert [type(one) for one in results] == [StoreUnavailable] * len(tasks)
        assert not running.done(), "it is still being closed"
    finally:
        watched(opened).open.set()
        await running


async def test_no_command_is_accepted_after_the_end(opened: Instance) -> None:
    async with opened.running():
        match_id = await created(opened)
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(StoreUnavailable):
            await opened.matches.execute(match_id, START, "moderator")
        with pytest.raises(StoreUnavailable):
            await opened.matches.append([])
