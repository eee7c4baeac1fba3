"""Who waits for events is woken by them, and costs nothing when the reader is gone."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from domain.games.dollar_prize.actions import ChooseSide
from projections.audience.disclosure import PUBLIC_VIEWER
from service.instance import Instance
from service.streams.channels import EVENT_STREAM
from service.streams.live_stream import PING_SECONDS
from tests.support.instance.followers import contents, turns
from tests.support.instance.service_instance import NOT_NOW, PATIENCE, sends, someone_acts, started


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


async def test_no_one_waits_for_an_event_of_a_match_that_is_over(instance: Instance) -> None:
    match_id = await started(instance, "twelve-chips", {"tokens_to_win": 1})
    while await someone_acts(instance, match_id):
        pass
    _, public = await instance.sessions.projection(match_id, PUBLIC_VIEWER)
    async with asyncio.timeout(PATIENCE):
        await instance.streams.wait_for_event(match_id, PUBLIC_VIEWER, public.seq, 2 * PATIENCE)
