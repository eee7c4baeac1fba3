"""A store that does not answer fails its own reads in time, and delays nothing else."""

import asyncio
from collections.abc import Iterator
from threading import Event as ThreadEvent

import pytest

from service.application.matches.command_queue import CommandResponse
from service.event_store.errors import StoreUnavailable
from service.event_store.store_threads import (
    READER_THREADS,
    StoreThreads,
    current_threads,
    in_store_thread,
)
from service.instance import Instance
from tests.support.instance.service_instance import NOT_NOW, PATIENCE, sends, started, watched

SOON = 0.2


@pytest.fixture
def silence() -> Iterator[ThreadEvent]:
    """An event for which reads wait; it is set at the end in any case."""
    answers = ThreadEvent()
    yield answers
    answers.set()


async def test_a_read_of_a_silent_store_fails_in_time(
    silence: ThreadEvent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.event_store.store_threads.READ_SECONDS", SOON)
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(StoreUnavailable):
            await in_store_thread(silence.wait, PATIENCE)
    silence.set()
    assert await in_store_thread(silence.wait, PATIENCE)


async def test_with_a_full_queue_further_reads_fail_at_once(
    silence: ThreadEvent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also after the queued reads have timed out, until the store answers again."""
    monkeypatch.setattr("service.event_store.store_threads.READ_SECONDS", SOON)
    most = 3
    threads = StoreThreads("silent", most)
    current_threads.set(threads)
    reads = [in_store_thread(silence.wait, PATIENCE) for _ in range(READER_THREADS + most)]
    errors = await asyncio.gather(*reads, return_exceptions=True)
    assert [type(one) for one in errors] == [StoreUnavailable] * len(reads)

    monkeypatch.setattr("service.event_store.store_threads.READ_SECONDS", PATIENCE)
    async with asyncio.timeout(SOON):
        with pytest.raises(StoreUnavailable):
            await in_store_thread(silence.wait, PATIENCE)

    silence.set()
    async with asyncio.timeout(PATIENCE):
        while threads.full:  # noqa: ASYNC110  a thread skips them
            await asyncio.sleep(0.01)
        assert await in_store_thread(silence.wait, PATIENCE)
    threads.shutdown()


async def test_during_an_endless_transaction_commands_are_rejected(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.application.matches.match_service.SILENT_SECONDS", SOON)
    match_id = await started(instance)
    watched(instance).block()
    waits = asyncio.create_task(instance.matches.execute(match_id, sends(0, NOT_NOW), 0))
    await watched(instance).blocked()
    await asyncio.sleep(1.5 * SOON)

    async with asyncio.timeout(PATIENCE / 2):
        with pytest.raises(StoreUnavailable):
            await instance.matches.execute(match_id, sends(1, NOT_NOW), 1)

    watched(instance).open.set()
    assert isinstance(await waits, CommandResponse)
    assert isinstance(
        await instance.matches.execute(match_id, sends(1, NOT_NOW), 1), CommandResponse
    )


async def test_during_an_endless_transaction_everybody_is_answered_in_time(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those whose transaction it is may be on record; those who wait for it are not, and never
    will be."""
    monkeypatch.setattr("service.application.matches.match_service.ANSWER_SECONDS", SOON)
    match_id = await started(instance)
    before = instance.store.end()
    watched(instance).block()
    under_way = asyncio.create_task(
        instance.matches.execute(match_id, sends(0, NOT_NOW, "first"), 0)
    )
    await watched(instance).blocked()
    waits = asyncio.create_task(instance.matches.execute(match_id, sends(1, NOT_NOW, "next"), 1))
    rows = asyncio.create_task(instance.matches.append([]))
    async with asyncio.timeout(PATIENCE / 2):
        met = await asyncio.gather(under_way, waits, rows, return_exceptions=True)
    assert [type(error) for error in met] == [StoreUnavailable] * 3

    watched(instance).open.set()
    again = await instance.matches.execute(match_id, sends(0, NOT_NOW, "first"), 0)
    assert again.result.replayed
    once = instance.store.end()
    assert once > before
    later = await instance.matches.execute(match_id, sends(1, NOT_NOW, "next"), 1)
    assert not later.result.replayed
    assert instance.store.end() > once
