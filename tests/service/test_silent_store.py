"""A store that says nothing costs those who wait for it an answer in time, and nobody else."""

import asyncio
from collections.abc import Iterator
from threading import Event as ThreadEvent

import pytest

from service.arbiter import Arbiter
from service.door.pending import Answer
from service.storage.reading import READERS, Readers, StoreUnavailable, from_store, readers
from tests.service.instance import NOT_NOW, PATIENCE, sends, started, watched

SOON = 0.2


@pytest.fixture
def silent() -> Iterator[ThreadEvent]:
    """Reads wait for this; in the end it is said in any case."""
    says = ThreadEvent()
    yield says
    says.set()


async def test_who_reads_a_silent_store_is_told_in_time(
    silent: ThreadEvent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.storage.reading.READ_SECONDS", SOON)
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(StoreUnavailable):
            await from_store(silent.wait, PATIENCE)
    silent.set()
    assert await from_store(silent.wait, PATIENCE)


async def test_when_many_wait_for_a_store_others_are_refused_at_once(
    silent: ThreadEvent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when those who waited have been given up, until the store says something again."""
    monkeypatch.setattr("service.storage.reading.READ_SECONDS", SOON)
    most = 3
    threads = Readers("silent", most)
    readers.set(threads)
    reads = [from_store(silent.wait, PATIENCE) for _ in range(READERS + most)]
    told = await asyncio.gather(*reads, return_exceptions=True)
    assert [type(one) for one in told] == [StoreUnavailable] * len(reads)

    monkeypatch.setattr("service.storage.reading.READ_SECONDS", PATIENCE)
    async with asyncio.timeout(SOON):
        with pytest.raises(StoreUnavailable):
            await from_store(silent.wait, PATIENCE)

    silent.set()
    async with asyncio.timeout(PATIENCE):
        while threads.full:  # noqa: ASYNC110  a thread passes over them
            await asyncio.sleep(0.01)
        assert await from_store(silent.wait, PATIENCE)
    threads.shutdown()


async def test_while_a_transaction_does_not_end_nobody_is_let_in(
    arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.door.matches.SILENT_SECONDS", SOON)
    match_id = await started(arbiter)
    watched(arbiter).hold()
    waits = asyncio.create_task(arbiter.matches.enter(match_id, sends(0, NOT_NOW), 0))
    await watched(arbiter).held()
    await asyncio.sleep(1.5 * SOON)

    async with asyncio.timeout(PATIENCE / 2):
        with pytest.raises(StoreUnavailable):
            await arbiter.matches.enter(match_id, sends(1, NOT_NOW), 1)

    watched(arbiter).open.set()
    assert isinstance(await waits, Answer)
    assert isinstance(await arbiter.matches.enter(match_id, sends(1, NOT_NOW), 1), Answer)
