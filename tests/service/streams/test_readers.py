"""Who waits for events is woken by them, and costs nothing when the reader is gone."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from uuid import UUID

import pytest

from domain.games.dollar_prize.actions import ChooseSide
from projections.audience.disclosure import PUBLIC_VIEWER
from service.instance import Instance
from service.streams.forms import EVENT_STREAM
from service.streams.live_stream import PING_SECONDS
from tests.support.instance.followers import contents, turns
from tests.support.instance.service_instance import NOT_NOW, PATIENCE, on_record, sends, started
from tests.support.waiting import until


class Stall:
    """Moves the time of the running loop forward at once."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._passed = 0.0
        loop = asyncio.get_running_loop()
        time = loop.time
        monkeypatch.setattr(loop, "time", lambda: time() + self._passed)

    def lasts(self, seconds: float) -> None:
        self._passed += seconds


async def gathered(stream: AsyncIterator[bytes], chunks: list[bytes]) -> None:
    async for chunk in stream:
        chunks.append(chunk)  # noqa: PERF401  what came so far is looked at meanwhile


async def test_a_blocked_reader_of_many_beats_gets_one_ping_and_the_beat_continues(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    stall, match_id = Stall(monkeypatch), await started(instance)
    stream = contents(instance, match_id)
    await anext(stream)

    stall.lasts(30.5 * PING_SECONDS)
    chunks: list[bytes] = []
    reading = asyncio.create_task(gathered(stream, chunks))
    await turns()
    assert chunks == [EVENT_STREAM.ping]
    stall.lasts(0.4 * PING_SECONDS)
    await turns()
    assert chunks == [EVENT_STREAM.ping]
    stall.lasts(0.2 * PING_SECONDS)
    await turns()
    assert chunks == [EVENT_STREAM.ping] * 2

    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)


async def test_the_end_of_a_stream_reveals_nothing_hidden_from_its_reader(
    instance: Instance,
) -> None:
    """A reader with an invalid key is dropped at its next line or ping, never because of an event
    that is hidden from it."""
    match_id = await started(instance)
    _, reader = await instance.sessions.projection(match_id, PUBLIC_VIEWER)
    chunks: list[bytes] = []

    async def allowed() -> bool:
        return False

    after = reader.seq
    stream = contents(instance, match_id, PUBLIC_VIEWER, after, allowed)
    reading = asyncio.create_task(gathered(stream, chunks))
    await turns()
    answer = await instance.matches.execute(match_id, sends(1, NOT_NOW), 1)
    assert answer.result.refused
    await turns()
    assert not reading.done()
    await instance.matches.execute(match_id, sends(0, ChooseSide("heads")), 0)
    async with asyncio.timeout(PATIENCE):
        await reading
    assert chunks == []


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
