"""Events hidden from an audience cost it nothing: only its own records are read."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from uuid import UUID

import pytest

from domain.encoding import encode
from domain.games.dollar_prize.actions import ChooseSide
from projections.audience.disclosure import PUBLIC_VIEWER
from service.event_store.integrity.digests import StoredRows
from service.event_store.store import Store
from service.instance import Instance
from service.streams.channels import EVENT_STREAM
from service.streams.live_stream import PING_SECONDS
from tests.support.instance.followers import contents, expected, turns
from tests.support.instance.service_instance import (
    NOT_NOW,
    PATIENCE,
    on_record,
    positions_of,
    receipts_of,
    sends,
    someone_acts,
    started,
)


def positions_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The positions of the records that stores return from now on, in order."""
    found: list[int] = []
    rows, states_at = Store.rows, Store.states_at

    def read(store: Store, match: UUID, after: int = 0, upto: int | None = None) -> StoredRows:
        returned = rows(store, match, after, upto)
        found.extend(range(after + 1, after + len(returned.rows) + 1))
        return returned

    def read_at(store: Store, match: UUID, positions: Sequence[int]) -> list[bytes]:
        found.extend(positions)
        return states_at(store, match, positions)

    monkeypatch.setattr(Store, "rows", read)
    monkeypatch.setattr(Store, "states_at", read_at)
    return found


FEW = 3
MANY = 2_000


async def crowded(instance: Instance) -> UUID:
    """A match with thousands of refused actions before and after the public events."""
    match_id = await started(instance)
    await refused(instance, match_id, MANY // 2)
    await instance.matches.execute(match_id, sends(0, ChooseSide("heads")), 0)
    await refused(instance, match_id, MANY // 2)
    return match_id


async def refused(instance: Instance, match_id: UUID, times: int) -> None:
    entering = (instance.matches.execute(match_id, sends(0, NOT_NOW), 0) for _ in range(times))
    await asyncio.gather(*entering)


async def test_lines_between_thousands_of_hidden_ones_are_read_by_themselves(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await crowded(instance)
    instance.sessions.invalidate(match_id)
    own = await positions_of(instance, match_id, PUBLIC_VIEWER)
    visible = expected(instance, match_id, PUBLIC_VIEWER)
    assert len(on_record(instance, match_id)) > 2 * MANY and len(visible) < 20
    read = positions_read(monkeypatch)

    assert await instance.sessions.lines(match_id, PUBLIC_VIEWER, 0, len(visible)) == (
        visible,
        False,
    )

    assert read == list(own)


async def test_lines_in_memory_are_not_read_however_many_hidden_ones_follow(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("projections.audience.own_lines.RECENT_LINES", FEW)
    match_id = await crowded(instance)
    visible = expected(instance, match_id, PUBLIC_VIEWER)
    read = positions_read(monkeypatch)
    after = len(visible) - FEW
    lines, _ = await instance.sessions.lines(match_id, PUBLIC_VIEWER, after, FEW)
    assert lines == visible[after:]
    assert read == []


@pytest.mark.parametrize("seat", [0, 1])
async def test_receipts_are_read_by_the_seats_own_events_alone(
    instance: Instance, monkeypatch: pytest.MonkeyPatch, seat: int
) -> None:
    match_id = await started(instance)
    for n in range(40):
        await instance.matches.execute(match_id, sends(n % 2, NOT_NOW), n % 2)
    _, projection = await instance.sessions.projection(match_id, seat, receipts=True)
    read = positions_read(monkeypatch)
    assert len(await receipts_of(instance, match_id, seat)) == 20
    assert set(read) <= set(projection.positions)


async def test_the_recorder_returns_exactly_the_rows_that_are_asked_for(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows of two seats that alternate: those of the other one are not read with them."""
    match_id = await started(instance)
    for _ in range(300):
        await instance.matches.execute(match_id, sends(0, NOT_NOW), 0)
    records = on_record(instance, match_id)
    returned: list[int] = []
    recorder = instance.store.recorder
    select = recorder.select_states_at

    def counted(stream: UUID, versions: Sequence[int]) -> list[bytes]:
        found = select(stream, versions)
        returned.append(len(found))
        return found

    monkeypatch.setattr(recorder, "select_states_at", counted)
    monkeypatch.setattr(recorder, "select_states", None)
    positions = range(1, len(records) + 1, 2)
    wanted = list(map(encode, records[::2]))
    assert instance.store.states_at(match_id, positions) == wanted
    assert sum(returned) == len(positions)


# Readers without news.


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
