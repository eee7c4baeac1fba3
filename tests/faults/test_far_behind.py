"""Stream readers who are far behind: the service reads for them in turns, so that no one else has
to wait; and for a reader that does not read, a few bytes wait and nothing else."""

import asyncio
import tracemalloc
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Event as ThreadEvent
from typing import Any
from uuid import UUID

import pytest
import pytest_asyncio
from msgspec.structs import replace

from domain.games.dollar_prize.actions import ChooseSide
from domain.games.grouping_bw.actions import Call, Group
from projections.audience.disclosure import MODERATOR, Viewer
from service.event_store.store import Store
from service.instance import Instance
from service.settings import Limits
from service.streams.channels import EVENT_STREAM
from service.streams.live_stream import BYTES_A_CHUNK, CATCHING_UP, LINES_A_CHUNK
from tests.support.instance.followers import contents, expected
from tests.support.instance.service_instance import NOT_NOW, PATIENCE, on_record, sends, started
from tests.support.servers.instance_settings import fresh_store

READERS = 20
SEAT_BYTES = 1 << 30
"""What a seat may record: here one fills the record."""

FEW = 8
"""Number of lines in memory, at least: what is further back is read from the store."""

LONG = Group(a=(2**50,) * 32, b=(2**50,) * 32, c=(2**50,) * 32)
"""A long action that is refused before the first round."""


@pytest_asyncio.fixture
async def instance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Instance]:
    """A running instance, with little in memory."""
    monkeypatch.setattr("projections.audience.own_lines.RECENT_LINES", FEW)
    with fresh_store("sqlite", tmp_path / "store") as settings:
        running = Instance(replace(settings, limits=Limits(seat_bytes=SEAT_BYTES)))
        async with running.running():
            yield running


class GatedLog:
    """The store's records by their positions; while it is not `open`, reads are counted and
    wait."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.reads = 0
        self.read = 0
        self.open = ThreadEvent()
        self.open.set()
        self._states_at = Store.states_at
        gated_log = self

        def states_at(store: Store, match: UUID, positions: Sequence[int]) -> list[bytes]:
            gated_log.reads += 1
            assert gated_log.open.wait(PATIENCE)
            gated_log.read += len(positions)
            return gated_log._states_at(store, match, positions)

        monkeypatch.setattr(Store, "states_at", states_at)


@pytest.fixture
def gated_log(monkeypatch: pytest.MonkeyPatch) -> Iterator[GatedLog]:
    made = GatedLog(monkeypatch)
    yield made
    made.open.set()


async def refused(instance: Instance, match_id: UUID, action: Any, times: int) -> None:
    await asyncio.gather(
        *(instance.matches.execute(match_id, sends(0, action), 0) for _ in range(times))
    )


def stream(
    instance: Instance, match_id: UUID, viewer: Viewer = MODERATOR, after: int = 0
) -> AsyncIterator[bytes]:
    return contents(instance, match_id, viewer, after)


def frames(instance: Instance, match_id: UUID) -> list[bytes]:
    """All that moderators receive."""
    lines = expected(instance, match_id, MODERATOR)
    return [EVENT_STREAM.frame(seq, line) for seq, line in enumerate(lines, 1)]


class Waiting:
    """Readers who want everything from the beginning, and have nothing yet."""

    def __init__(self, instance: Instance, match_id: UUID) -> None:
        self.streams = [stream(instance, match_id) for _ in range(READERS)]
        self.first = [asyncio.ensure_future(anext(one)) for one in self.streams]

    async def gone(self) -> None:
        """Returns when no one waits any more."""
        for one in self.first:
            one.cancel()
        await asyncio.gather(*self.first, return_exceptions=True)


@asynccontextmanager
async def behind(instance: Instance, match_id: UUID, gated_log: GatedLog) -> AsyncIterator[Waiting]:
    """They have come, and wait: some for the store, the others for their turn."""
    gated_log.open.clear()
    waiting = Waiting(instance, match_id)
    try:
        async with asyncio.timeout(PATIENCE):
            while gated_log.reads < CATCHING_UP:  # noqa: ASYNC110  other threads read
                await asyncio.sleep(0.01)
            for _ in range(100):
                await asyncio.sleep(0)
            yield waiting
    finally:
        gated_log.open.set()
        await waiting.gone()


async def test_few_readers_are_read_for_at_a_time_and_nearly_current_ones_do_not_wait(
    instance: Instance, gated_log: GatedLog
) -> None:
    match_id = await started(instance)
    await refused(instance, match_id, NOT_NOW, 200)
    last = len(on_record(instance, match_id))
    async with behind(instance, match_id, gated_log) as waiting:
        live = stream(instance, match_id, after=last - FEW)
        first = await anext(live)
        assert first.startswith(b"id: %d\n" % (last - FEW + 1))
        await instance.matches.execute(match_id, sends(0, ChooseSide("heads")), 0)
        assert b"heads" in await anext(live)
        assert gated_log.reads == CATCHING_UP
        assert not any(one.done() for one in waiting.first)
        gated_log.open.set()
        (chunk,) = set(await asyncio.gather(*waiting.first))
        assert chunk.startswith(b"id: 1\n")


async def test_nothing_more_is_read_for_readers_when_the_service_stops(
    instance: Instance, gated_log: GatedLog
) -> None:
    match_id = await started(instance)
    await refused(instance, match_id, NOT_NOW, 200)
    async with behind(instance, match_id, gated_log) as waiting:
        instance.stop_streams()
        gated_log.open.set()
        chunks = await asyncio.gather(*waiting.first)
        assert sum(chunk.startswith(b"retry: ") for chunk in chunks) == READERS - CATCHING_UP
        assert gated_log.reads == CATCHING_UP


@pytest.mark.parametrize("times", [LINES_A_CHUNK // 3, 2 * LINES_A_CHUNK])
async def test_few_bytes_wait_for_a_reader_however_long_the_lines_are(
    instance: Instance, gated_log: GatedLog, times: int
) -> None:
    """Hardly more is read for a reader than there is room for."""
    match_id = await started(instance, "grouping-bw")
    await refused(instance, match_id, LONG, times)
    expected = frames(instance, match_id)
    chunks = await whole(stream(instance, match_id), sum(map(len, expected)))
    assert b"".join(chunks) == b"".join(expected)
    longest = max(map(len, expected))
    assert all(BYTES_A_CHUNK <= len(chunk) < BYTES_A_CHUNK + longest for chunk in chunks[:-1])
    assert gated_log.read < LINES_A_CHUNK + 1.5 * len(expected)


async def test_after_long_lines_many_short_ones_are_read_at_once_again(
    instance: Instance, gated_log: GatedLog
) -> None:
    match_id = await started(instance, "grouping-bw")
    await refused(instance, match_id, LONG, 50)
    await refused(instance, match_id, Call(), 500)
    expected = frames(instance, match_id)
    chunks = await whole(stream(instance, match_id), sum(map(len, expected)))
    assert b"".join(chunks) == b"".join(expected)
    # Except one in between, and the last.
    assert sum(len(chunk) < BYTES_A_CHUNK for chunk in chunks) <= 2 < len(chunks)


async def whole(read: AsyncIterator[bytes], size: int) -> list[bytes]:
    """All chunks of a stream until this many bytes have come."""
    chunks: list[bytes] = []
    async with asyncio.timeout(PATIENCE):
        while sum(map(len, chunks)) < size:
            chunks.append(await anext(read))
    return chunks


async def test_only_bytes_wait_for_a_reader_that_does_not_read(instance: Instance) -> None:
    """The records after the bytes take many times as much memory."""
    match_id = await started(instance)
    await refused(instance, match_id, NOT_NOW, 300)
    streams = [stream(instance, match_id) for _ in range(1 + READERS)]
    await anext(streams[0])
    tracemalloc.start()
    try:
        for one in streams[1:]:
            await anext(one)
        left, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert left < READERS * 1.5 * BYTES_A_CHUNK
