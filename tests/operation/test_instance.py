"""What is looked up of a real instance, on each store."""

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.arbiter import Arbiter
from service.clock import SystemClock, VirtualClock
from service.operation.instance import gauges, probes
from service.operation.metrics import GAUGES
from service.operation.readiness import Readiness, check
from service.server import make_server
from service.settings import Settings
from service.stores import Stores
from tests.clock import NOON, SECOND
from tests.operation.live import operated
from tests.postgres import PostgresServer
from tests.redis_server import redis_server
from tests.service.instance import PATIENCE, settings, started


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    with PostgresServer() as server:
        yield server


def figures(arbiter: Arbiter) -> dict[str, float]:
    found = gauges(Stores.of_one(arbiter), make_server(_nothing, arbiter).connections)
    assert set(found) <= set(GAUGES)
    return {name: figure() for name, figure in found.items()}


async def _nothing(*_: object) -> None:
    """An application that answers nobody."""


async def test_the_figures_of_an_instance(tmp_path: Path) -> None:
    arbiter = Arbiter(settings(tmp_path / "arbiter.db"), VirtualClock(NOON))
    before = figures(arbiter)
    assert before["matches_in_memory"] == before["deadlines_armed"] == before["leader"] == 0
    async with arbiter.running():
        await started(arbiter)
        await started(arbiter, "grouping-bw", clock="rules")
        after = figures(arbiter)
    assert after["matches_in_memory"] == 2
    assert after["deadlines_armed"] == 1
    assert after["leader"] == 1
    assert after["unsigned"] == after["unsettled"] == 0
    assert "redis_up" not in after


def test_connections_are_counted(tmp_path: Path) -> None:
    with operated(tmp_path) as live:
        found = gauges(Stores.of_one(live.arbiter), live.server.connections)
        match = live.started("dollar-prize")
        before = found["connections"]()
        asks = f"GET {match.anyone.path}/stream HTTP/1.1\r\nHost: x\r\n\r\n".encode()
        with socket.create_connection(("127.0.0.1", live.port)) as reader:
            reader.sendall(asks)
            assert reader.recv(12) == b"HTTP/1.1 200"
            assert found["connections"]() == before + 1
            assert found["requests_under_way"]() == 0


async def test_the_embedded_store_is_up(tmp_path: Path) -> None:
    arbiter = Arbiter(settings(tmp_path / "arbiter.db"), VirtualClock(NOON))
    async with arbiter.running():
        told = await check(probes(Stores.of_one(arbiter)))
    assert told.ready
    assert told.checks == {"database": "up", "scheduler": "up", "clock": "up"}


async def becomes(arbiter: Arbiter, ready: bool, **checks: str) -> None:
    """Returns when the instance says so of itself."""
    wanted = Readiness(ready, checks)  # type: ignore[arg-type]
    async with asyncio.timeout(PATIENCE):
        while await check(probes(Stores.of_one(arbiter))) != wanted:  # noqa: ASYNC110  it has to be asked
            await asyncio.sleep(0.1)


class WrongClock(SystemClock):
    """A clock that is ahead of the time by so many microseconds."""

    wrong = 0

    def now(self) -> int:
        return super().now() + self.wrong


async def test_parts_go_and_come_back(tmp_path: Path, postgres: PostgresServer) -> None:
    with postgres.database() as store, redis_server() as redis:
        chosen = Settings(store, keys=tmp_path / "keys", shared=True, redis=redis.url)
        clock = WrongClock()
        arbiter = Arbiter(chosen, clock)
        up = {"database": "up", "scheduler": "up", "redis": "up", "clock": "up"}
        async with arbiter.running():
            await becomes(arbiter, True, **up)
            redis.kill()
            await becomes(arbiter, True, **up | {"redis": "down"})
            postgres.kill()
            await becomes(arbiter, False, **dict.fromkeys(up, "down"))
            redis.start()
            postgres.start()
            await becomes(arbiter, True, **up)
            for wrong in (5 * SECOND, -5 * SECOND):
                clock.wrong = wrong
                # Nor does it lead, and there is nobody else.
                await becomes(arbiter, False, **up | {"clock": "down", "scheduler": "down"})
                clock.wrong = 0
                await becomes(arbiter, True, **up)
