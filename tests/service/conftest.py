"""Service instances for the tests of its parts."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest
import pytest_asyncio
from msgspec import structs

from domain.games import GAMES
from service.instance import Instance
from tests.support.captured_logs import logged
from tests.support.cli.store_with_history import Happened, happen
from tests.support.instance.index_log import Log, log_in
from tests.support.instance.service_instance import WatchedStore, settings
from tests.support.instance.tournament_play import BROUGHT, CHIPS, CUP, EARNED, KEPT
from tests.support.instants import NOON
from tests.support.servers.redis_server import RedisServer, redis_server
from tests.support.virtual_clock import VirtualClock

__all__ = ["logged"]


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(NOON)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "arbiter.db"


@pytest.fixture(params=["sqlite", "postgres"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Log]:
    with log_in(request.param, tmp_path) as log:
        yield log


@pytest.fixture
def redis() -> Iterator[RedisServer]:
    with redis_server() as server:
        yield server


@pytest_asyncio.fixture
async def instance(
    database: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Instance]:
    """A running instance; its store is a `WatchedStore`."""
    monkeypatch.setattr("service.composition.storage.Store", WatchedStore)
    running = Instance(settings(database), clock)
    async with running.running():
        yield running


@pytest_asyncio.fixture
async def other(instance: Instance, database: Path, clock: VirtualClock) -> AsyncIterator[Instance]:
    """A second instance, which knows that it is not the only one. Nothing notifies it."""
    running = Instance(structs.replace(settings(database), shared=True), clock)
    async with running.running():
        yield running


@pytest_asyncio.fixture
async def rival(instance: Instance, database: Path, clock: VirtualClock) -> AsyncIterator[Instance]:
    """A second instance on the same file."""
    running = Instance(settings(database), clock)
    async with running.running():
        yield running


@pytest.fixture
def garnets(monkeypatch: pytest.MonkeyPatch) -> None:
    """12 Chips is played for garnets."""
    game = replace(
        GAMES[CHIPS], stake=lambda *_: BROUGHT, balance=lambda _: KEPT, payout=lambda _: EARNED
    )
    monkeypatch.setitem(GAMES, CHIPS, game)


@pytest_asyncio.fixture
async def cup(instance: Instance) -> UUID:
    """A tournament of Ann, Ben and Cy."""
    made, _ = await instance.creation.tournament(CUP)
    return made


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Happened]:
    """A store with a history, and what is known of it. No test changes it."""
    folder = tmp_path_factory.mktemp("played") / "store"
    folder.mkdir()
    return folder, asyncio.run(happen(folder))
