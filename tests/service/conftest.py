"""Instances of the service for the tests of its parts."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from service.arbiter import Arbiter
from service.clock import VirtualClock
from tests.clock import NOON
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
