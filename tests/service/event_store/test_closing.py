"""A stopping service closes its store only after all reads have ended: SQLite may crash a process
(SIGSEGV) that closes what another thread reads."""

import asyncio
from pathlib import Path
from threading import Timer

import pytest

from service.instance import Instance
from tests.support.instance.log_signatures import NotifyingStore, notifying
from tests.support.instance.service_instance import PATIENCE, settings
from tests.support.instance.tournament_play import CUP, played
from tests.support.virtual_clock import VirtualClock

A_MOMENT = 0.5
"""Seconds for which a read is delayed: longer than closing takes if it does not wait for reads."""


@pytest.fixture
def instance(database: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch) -> Instance:
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
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(instance.settling, "_left", list)
    await stopped_while_reading(instance)


async def test_the_settlement_may_finish_reading(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(instance.signing, "_left", list)
    await stopped_while_reading(instance)
