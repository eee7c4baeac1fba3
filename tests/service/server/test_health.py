"""Gauges, probes and the memory of a real instance, on each store."""

import asyncio
import ctypes
import resource
import socket
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from io import StringIO
from math import isnan
from pathlib import Path
from uuid import UUID

import pytest

from service.application.scheduling.clock_watch import ClockWatch
from service.clock import SystemClock
from service.cluster import leader
from service.event_store.integrity.digests import DIFFERS, RecordAltered
from service.event_store.integrity.incarnation import LossNoticed, begin_again
from service.instance import Instance
from service.observability.metrics import GAUGES
from service.observability.readiness import Readiness, check
from service.server import process
from service.server.health import gauges, probes, traffic
from service.settings import Settings, SigningSettings
from tests.support.instance.service_instance import PATIENCE, settings, started
from tests.support.instants import NOON, SECOND
from tests.support.servers.forked_program import FORKS
from tests.support.servers.live_server import serving
from tests.support.servers.postgres_server import PostgresServer, connect
from tests.support.servers.redis_server import redis_server
from tests.support.servers.serve_process import serve
from tests.support.virtual_clock import VirtualClock
from tests.support.waiting import until

PARTS = ("database", "log", "scheduler", "clock", "records")


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    with PostgresServer() as server:
        yield server


def figures(instance: Instance) -> dict[str, float]:
    found = gauges(instance)
    assert set(found) <= set(GAUGES)
    return {name: figure() for name, figure in found.items()}


async def test_the_gauges_of_an_instance(tmp_path: Path) -> None:
    instance = Instance(settings(tmp_path / "arbiter.db"), VirtualClock(NOON))
    before = figures(instance)
    assert before["matches_in_memory"] == before["deadlines_armed"] == before["leader"] == 0
    async with instance.running():
        await started(instance)
        await started(instance, "grouping-bw", clock="rules")
        after = figures(instance)
    assert after["matches_in_memory"] == 2
    assert after["deadlines_armed"] == 1
    assert after["leader"] == 1
    assert after["unsigned"] == after["unsettled"] == 0
    assert after["clock_jump_seconds"] == after["away_seconds"] == 0
    assert 0 <= after["mark_unsynced_seconds"] < PATIENCE
    assert "redis_up" not in after


async def test_an_absence_a_jump_and_a_loss_show_in_the_gauges(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = VirtualClock(NOON)
    async with Instance(settings(tmp_path / "arbiter.db"), clock).running():
        pass
    clock.move_to(NOON + 60 * SECOND)
    instance = Instance(settings(tmp_path / "arbiter.db"), clock)
    async with instance.running():
        assert figures(instance)["away_seconds"] == 60
        monkeypatch.setattr(ClockWatch, "jump", -2_500_000)
        assert figures(instance)["clock_jump_seconds"] == 2.5
        assert isnan(figures(instance)["since_history_went_back_seconds"])
        begin_again(instance.store.keyrings, LossNoticed(clock.now() - 7 * SECOND, 4, 1))
        assert figures(instance)["since_history_went_back_seconds"] == 7


def test_connections_are_counted(tmp_path: Path) -> None:
    with serving(tmp_path) as live:
        found = traffic(live.guard, live.server.connections)
        match = live.started("dollar-prize")
        before = found["connections"]()
        asks = f"GET {match.anyone.path}/stream HTTP/1.1\r\nHost: x\r\n\r\n".encode()
        with socket.create_connection(("127.0.0.1", live.port)) as reader:
            reader.sendall(asks)
            assert reader.recv(12) == b"HTTP/1.1 200"
            assert found["connections"]() == before + 1
            assert found["requests_under_way"]() == 0


async def test_the_embedded_store_is_up(tmp_path: Path) -> None:
    instance = Instance(settings(tmp_path / "arbiter.db"), VirtualClock(NOON))
    async with instance.running():
        found = await check(probes(instance))
    assert found.ready
    assert found.checks == dict.fromkeys(PARTS, "up")


async def test_a_damaged_record_degrades_and_is_counted(tmp_path: Path) -> None:
    instance = Instance(settings(tmp_path / "arbiter.db"), VirtualClock(NOON))
    async with instance.running():
        instance.closed.close(RecordAltered(UUID(int=1), DIFFERS))
        found = await check(probes(instance))
    assert found.ready and found.degraded and found.checks["records"] == "degraded"
    assert gauges(instance)["records_closed"]() == 1


async def becomes(instance: Instance, ready: bool, **checks: str) -> None:
    """Returns when the instance's probes give this result."""
    wanted = Readiness(ready, checks, ready and set(checks.values()) != {"up"})  # type: ignore[arg-type]
    async with asyncio.timeout(PATIENCE):
        while await check(probes(instance)) != wanted:  # noqa: ASYNC110  it must be polled
            await asyncio.sleep(0.1)


async def test_a_log_that_cannot_be_followed_is_down(tmp_path: Path) -> None:
    database = tmp_path / "arbiter.db"
    instance = Instance(settings(database), VirtualClock(NOON))
    spoils = "CREATE TRIGGER spoils BEFORE INSERT ON arbiter1_seats"
    async with instance.running():
        await started(instance)
        await becomes(instance, True, **dict.fromkeys(PARTS, "up"))
        with closing(sqlite3.connect(database, isolation_level=None)) as operator:
            operator.execute(f"{spoils} BEGIN SELECT RAISE(FAIL, ''); END")
            await started(instance)
            await becomes(instance, False, **dict.fromkeys(PARTS, "up") | {"log": "down"})
            operator.execute("DROP TRIGGER spoils")
        await becomes(instance, True, **dict.fromkeys(PARTS, "up"))


class WrongClock(SystemClock):
    """A clock that is ahead by this many microseconds."""

    wrong = 0

    def now(self) -> int:
        return super().now() + self.wrong


async def test_without_a_leader_it_is_not_ready(
    tmp_path: Path, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch, logged: StringIO
) -> None:
    """A session of another person keeps all instances from writing the leader's row."""
    monkeypatch.setattr(leader, "UNLED_SECONDS", 1.0)
    with postgres.database() as store, connect(store) as stranger:
        instance = Instance(
            Settings(store=store, signing=SigningSettings(keys=tmp_path / "keys"), shared=True)
        )
        async with instance.running():
            await becomes(instance, True, **dict.fromkeys(PARTS, "up"))
            with stranger.transaction():
                stranger.execute("LOCK TABLE arbiter_leader IN SHARE MODE")
                await becomes(instance, False, **dict.fromkeys(PARTS, "up") | {"scheduler": "down"})
                # Whether it led already, or was about to.
                await until(lambda: "lock timeout" in logged.getvalue())
            await becomes(instance, True, **dict.fromkeys(PARTS, "up"))


async def test_parts_go_down_and_come_back(
    tmp_path: Path, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leader, "UNLED_SECONDS", 1.0)
    with postgres.database() as store, redis_server() as redis:
        chosen = Settings(
            store=store,
            signing=SigningSettings(keys=tmp_path / "keys"),
            shared=True,
            redis=redis.url,
        )
        clock = WrongClock()
        instance = Instance(chosen, clock)
        up = dict.fromkeys((*PARTS, "redis"), "up")
        async with instance.running():
            await becomes(instance, True, **up)
            redis.kill()
            await becomes(instance, True, **up | {"redis": "down"})
            postgres.kill()
            await becomes(instance, False, **dict.fromkeys(up, "down") | {"records": "up"})
            redis.start()
            postgres.start()
            await becomes(instance, True, **up)
            clock.wrong = 5 * SECOND
            # Nor does it lead, and there is no other instance.
            await becomes(instance, False, **up | {"clock": "down", "scheduler": "down"})
            clock.wrong = 0
            await becomes(instance, True, **up)


def _forbidden(option: int) -> None:
    """In a process of its own, which ends with 3 if the system refuses."""
    process.PR_SET_DUMPABLE = option
    try:
        process.forbid_core_dumps()
    except OSError:
        sys.exit(3)
    limits, dumpable = resource.getrlimit(resource.RLIMIT_CORE), ctypes.CDLL(None).prctl(3)
    assert (limits, dumpable) == ((0, 0), 0)


@pytest.mark.parametrize(
    ("option", "status"), [(process.PR_SET_DUMPABLE, 0), (-1, 3)], ids=["forbidden", "refused"]
)
def test_a_process_is_not_dumpable_and_may_write_no_core(option: int, status: int) -> None:
    """The option is a number of Linux: with one that does not exist the call fails."""
    assert process.PR_SET_DUMPABLE == 4
    started = FORKS.Process(target=_forbidden, args=(option,))
    started.start()
    started.join(PATIENCE)
    assert started.exitcode == status


def test_the_service_forbids_core_dumps(tmp_path: Path) -> None:
    with serve(tmp_path / "data") as serving:
        limits = Path(f"/proc/{serving.pid}/limits").read_text().splitlines()
    (core,) = (line for line in limits if line.startswith("Max core file size"))
    assert core.split()[4:6] == ["0", "0"]
