"""A service that stops closes its store when nobody reads it any more: SQLite may crash a process
(SIGSEGV) that closes what another thread reads."""

import asyncio
from pathlib import Path
from threading import Timer

import pytest

from service.arbiter import Arbiter
from service.clock import VirtualClock
from service.proof.notary import Notary
from tests.service.cups import CUP, played
from tests.service.instance import PATIENCE, settings
from tests.service.signatures import TellingStore, telling

A_MOMENT = 0.5
"""Seconds for which a read is held up: longer than closing takes that does not wait for it."""


@pytest.fixture
def arbiter(database: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch) -> Arbiter:
    monkeypatch.setattr("service.arbiter.Store", TellingStore)
    return Arbiter(settings(database), clock)


async def stopped_while_reading(arbiter: Arbiter) -> None:
    """Stops a service as soon as somebody reads the match of a tournament that is over."""
    store = telling(arbiter)
    async with arbiter.running():
        cup, _ = await arbiter.creation.tournament(CUP)
        store.hold_reads()
        await played(arbiter, cup)
        assert await asyncio.to_thread(store.has_read.wait, PATIENCE)
        Timer(A_MOMENT, store.go_on.set).start()
    assert not store.closed_too_early


async def test_the_notary_may_finish_reading(
    arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arbiter.tournaments, "_unsettled", list)
    await stopped_while_reading(arbiter)


async def test_the_settlement_may_finish_reading(
    arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nothing(_: Notary) -> bool:
        return True

    monkeypatch.setattr(Notary, "_sign_all", nothing)
    await stopped_while_reading(arbiter)
