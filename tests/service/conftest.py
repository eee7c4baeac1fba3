"""Instances of the service for the tests of its parts."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest
import pytest_asyncio

from domain.games import GAMES
from service.arbiter import Arbiter
from service.clock import VirtualClock
from tests.clock import NOON
from tests.service.cups import BROUGHT, CHIPS, CUP, EARNED, KEPT
from tests.service.instance import WatchedStore, settings


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(NOON)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "arbiter.db"


@pytest_asyncio.fixture
async def arbiter(
    database: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Arbiter]:
    """An instance that runs; its store is a `WatchedStore`."""
    monkeypatch.setattr("service.arbiter.Store", WatchedStore)
    running = Arbiter(settings(database), clock)
    async with running.running():
        yield running


@pytest_asyncio.fixture
async def rival(arbiter: Arbiter, database: Path, clock: VirtualClock) -> AsyncIterator[Arbiter]:
    """A second instance on the same file."""
    running = Arbiter(settings(database), clock)
    async with running.running():
        yield running


@pytest.fixture
def garnets(monkeypatch: pytest.MonkeyPatch) -> None:
    """12 Chips is played for garnets."""
    game = replace(
        GAMES[CHIPS], brought=lambda *_: BROUGHT, kept=lambda _: KEPT, earned=lambda _: EARNED
    )
    monkeypatch.setitem(GAMES, CHIPS, game)


@pytest_asyncio.fixture
async def cup(arbiter: Arbiter) -> UUID:
    """A tournament of Ann, Ben and Cy."""
    made, _ = await arbiter.creation.tournament(CUP)
    return made
