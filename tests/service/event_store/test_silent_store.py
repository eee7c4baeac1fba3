"""A store that does not answer fails its own reads in time, and delays nothing else."""

import asyncio
from collections.abc import Iterator
from contextvars import ContextVar
from math import inf
from pathlib import Path
from threading import Event as ThreadEvent
from threading import Timer

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
from service.observability import arrival
from tests.support.instance.log_signatures import NotifyingStore, notifying
from tests.support.instance.service_instance import (
    NOT_NOW,
    PATIENCE,
    sends,
    settings,
    started,
    watched,
)
from tests.support.instance.tournament_play import CUP, played
from tests.support.virtual_clock import VirtualClock

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
    match_id = await started(instance)
    monkeypatch.setattr("service.application.matches.commits.ANSWER_SECONDS", SOON)
    before = instance.store.end()
    watched(instance).block()
    under_way = asyncio.create_task(
        instance.matches.execute(match_id, sends(0, NOT_NOW, "first"), 0)
    )
    await watched(instance).blocked()
    waits = asyncio.create_task(instance.matches.execute(match_id, sends(1, NOT_NOW, "next"), 1))
    rows = asyncio.create_task(instance.matches.commits.append([]))
    async with asyncio.timeout(PATIENCE / 2):
        met = await asyncio.gather(under_way, waits, rows, return_exceptions=True)
    assert [type(error) for error in met] == [StoreUnavailable] * 3

    monkeypatch.setattr("service.application.matches.commits.ANSWER_SECONDS", PATIENCE)
    watched(instance).open.set()
    again = await instance.matches.execute(match_id, sends(0, NOT_NOW, "first"), 0)
    assert again.result.replayed
    once = instance.store.end()
    assert once > before
    later = await instance.matches.execute(match_id, sends(1, NOT_NOW, "next"), 1)
    assert not later.result.replayed
    assert instance.store.end() > once


async def test_what_a_sender_has_waited_for_before_is_part_of_the_time_in_which_they_are_answered(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As for the key of a seat, when it is read from a slow store."""
    for seconds in ("ANSWER_SECONDS", "READ_SECONDS"):
        monkeypatch.setattr(f"service.application.matches.commits.{seconds}", 2 * PATIENCE)
    match_id = await started(instance)
    watched(instance).block()
    monkeypatch.setattr(arrival, "_arrived", ContextVar("long ago", default=-inf))
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(StoreUnavailable):
            await instance.matches.execute(match_id, sends(0, NOT_NOW), 0)
    watched(instance).open.set()


# A stopping service closes its store only after all reads have ended: SQLite may crash a process
# (SIGSEGV) that closes what another thread reads.

A_MOMENT = 0.5
"""Seconds for which a read is delayed: longer than closing takes if it does not wait for reads."""


@pytest.fixture
def reader(database: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch) -> Instance:
    monkeypatch.setattr("service.composition.storage.Store", NotifyingStore)
    return Instance(settings(database), clock)


async def stopped_while_reading(instance: Instance) -> None:
    """Stops a service while a finished match of a tournament is being read."""
    store = notifying(instance)
    async with instance.running():
        cup, _ = await instance.creation.tournament(CUP)
        store.block_reads()
        await played(instance, cup)
        assert await asyncio.to_thread(store.has_read.wait, PATIENCE)
        Timer(A_MOMENT, store.go_on.set).start()
    assert not store.closed_too_early


async def test_the_notary_may_finish_reading(
    reader: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader.settling, "_find_left", list)
    await stopped_while_reading(reader)


async def test_the_settlement_may_finish_reading(
    reader: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader.signing, "_find_left", list)
    await stopped_while_reading(reader)
