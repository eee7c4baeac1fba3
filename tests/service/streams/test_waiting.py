"""Who waits for an audience's next event is woken by that, by the end, and by nothing hidden."""

import asyncio
from collections.abc import Iterator
from uuid import UUID

import pytest

from domain.games.dollar_prize.actions import ChooseSide
from projections.audience.disclosure import PUBLIC_VIEWER
from service.instance import Instance
from tests.support.instance.service_instance import NOT_NOW, on_record, sends, started
from tests.support.waiting import until

LONG = 30.0


@pytest.fixture
def waiting() -> Iterator[list[asyncio.Task[None]]]:
    """The readers that wait."""
    tasks: list[asyncio.Task[None]] = []
    yield tasks
    assert all(task.done() for task in tasks)


async def last(instance: Instance, match_id: UUID) -> int:
    _, projection = await instance.sessions.projection(match_id, PUBLIC_VIEWER)
    return projection.state.seq


async def begin(
    instance: Instance, match_id: UUID, waiting: list[asyncio.Task[None]]
) -> asyncio.Task[None]:
    after = await last(instance, match_id)
    task = asyncio.create_task(
        instance.streams.wait_for_event(match_id, PUBLIC_VIEWER, after, LONG)
    )
    waiting.append(task)
    await until(lambda: bool(instance.broadcast.followed))
    return task


async def test_hidden_events_end_no_wait(
    instance: Instance, waiting: list[asyncio.Task[None]]
) -> None:
    match_id = await started(instance)
    task, before = await begin(instance, match_id, waiting), len(on_record(instance, match_id))
    for _ in range(5):
        await instance.matches.execute(match_id, sends(0, NOT_NOW), 0)
    assert len(on_record(instance, match_id)) >= before + 5
    done, _ = await asyncio.wait({task}, timeout=0.2)
    assert not done
    await instance.matches.execute(match_id, sends(0, ChooseSide("heads")), 0)
    await task
    assert not instance.broadcast.followed


async def test_a_stopping_service_ends_every_wait(
    instance: Instance, waiting: list[asyncio.Task[None]]
) -> None:
    task = await begin(instance, await started(instance), waiting)
    instance.stop_streams()
    await task
    async with asyncio.timeout(LONG):
        await instance.streams.wait_for_event(UUID(int=0), PUBLIC_VIEWER, 0, 2 * LONG)
