"""`/readyz`: whether this instance should be sent requests, part by part, without the reasons."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.cluster.clock_agreement import clock_offset, clocks_agree
from service.observability import readiness
from service.observability.readiness import CachedReadiness, CheckValue, Probe, Readiness, check
from tests.support.servers.live_server import Live
from tests.support.servers.operated_server import operated

REASON = "role arbiter_7 may not log in"

WITHIN_SECONDS = 2.0
"""The time limit of the probe in `deploy/kubernetes/base/workers.yaml`."""


async def up() -> bool:
    return True


async def down() -> bool:
    return False


async def failing() -> bool:
    raise ConnectionRefusedError(REASON)


async def hanging() -> bool:
    await asyncio.Event().wait()
    return True


async def test_all_parts_up_is_ready() -> None:
    readiness_now = await check({"database": up, "redis": up})
    assert readiness_now.ready
    assert readiness_now.checks == {"database": "up", "redis": "up"}


@pytest.mark.parametrize("value", ["degraded", "low"])
async def test_a_part_that_needs_a_look_is_degraded_and_ready(value: CheckValue) -> None:
    async def found() -> CheckValue:
        return value

    readiness_now = await check({"record": found, "database": up})
    assert readiness_now == Readiness(True, {"record": value, "database": "up"}, degraded=True)


@pytest.mark.parametrize("value", ["down", "corrupt", "full", "read_only", "io_error"])
async def test_a_part_that_does_not_work_says_why(
    value: CheckValue, capsys: pytest.CaptureFixture[str]
) -> None:
    async def found() -> CheckValue:
        return value

    assert await check({"database": found}) == Readiness(False, {"database": value})
    assert f"database: {value}" in capsys.readouterr().out


@pytest.mark.parametrize("probe", [down, failing])
async def test_one_part_down_is_not_ready(probe: Probe, capsys: pytest.CaptureFixture[str]) -> None:
    readiness_now = await check({"database": probe, "redis": up})
    assert not readiness_now.ready
    assert readiness_now.checks == {"database": "down", "redis": "up"}
    assert "not_ready" in capsys.readouterr().out


async def test_without_redis_it_is_slower_and_ready() -> None:
    readiness_now = await check({"database": up, "redis": down})
    assert readiness_now.ready
    assert readiness_now.checks == {"database": "up", "redis": "down"}


async def test_parts_that_do_not_answer_are_down_after_one_limit_for_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(readiness, "PROBE_SECONDS", 0.2)
    calls, calls_at_timeout = 0, []

    async def counted() -> bool:
        nonlocal calls
        calls += 1
        try:
            return await hanging()
        finally:
            calls_at_timeout.append(calls)

    probes = {f"part {n}": counted for n in range(20)} | {"database": up}
    begun = time.monotonic()
    readiness_now = await check(probes)
    took = time.monotonic() - begun
    assert took < WITHIN_SECONDS
    assert calls_at_timeout == [20] * 20
    assert readiness_now.checks["database"] == "up"
    assert list(readiness_now.checks.values()).count("down") == 20


async def test_frequent_requests_probe_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "CACHE_SECONDS", 60.0)
    monkeypatch.setattr(readiness, "PROBE_SECONDS", 60.0)
    looks, looking, go_on = 0, asyncio.Event(), asyncio.Event()

    async def counted() -> bool:
        nonlocal looks
        looks += 1
        looking.set()
        return await go_on.wait()

    readings = CachedReadiness({"database": counted})
    callers = [asyncio.create_task(readings.now()) for _ in range(100)]
    await looking.wait()
    go_on.set()
    assert all(readiness_now.ready for readiness_now in await asyncio.gather(*callers))
    assert (await readings.now()).ready
    assert looks == 1


async def test_an_answer_is_cached_for_a_moment_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "CACHE_SECONDS", 0.0)
    is_up = True

    async def changing() -> bool:
        return is_up

    readings = CachedReadiness({"database": changing})
    assert (await readings.now()).ready
    is_up = False
    assert not (await readings.now()).ready


async def test_the_first_requester_may_disconnect() -> None:
    go_on = asyncio.Event()

    async def blocked() -> bool:
        await go_on.wait()
        return True

    readings = CachedReadiness({"database": blocked})
    first = asyncio.create_task(readings.now())
    await asyncio.sleep(0)
    second = asyncio.create_task(readings.now())
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    go_on.set()
    assert (await second).ready


SECOND = 1_000_000


@pytest.mark.parametrize(
    ("before", "database", "after", "offset"),
    [
        (10, 10, 10, 0),
        (10, 15, 20, 0),
        (10, 20, 20, 0),
        (10, 21, 20, 1),
        (10, 9, 20, -1),
        (0, 3 * SECOND, SECOND, 2 * SECOND),
        (3 * SECOND, SECOND, 4 * SECOND, -2 * SECOND),
    ],
)
def test_the_offset_excludes_slow_answers(
    before: int, database: int, after: int, offset: int
) -> None:
    assert clock_offset(before, database, after) == offset


def test_clocks_a_second_apart_do_not_agree() -> None:
    assert clocks_agree(SECOND - 1)
    assert clocks_agree(1 - SECOND)
    assert not clocks_agree(SECOND)
    assert not clocks_agree(-SECOND)


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    with operated(tmp_path) as server:
        yield server


def test_a_service_that_runs_is_ready(live: Live) -> None:
    answer = live.anyone.get("/readyz")
    assert answer.status_code == 200
    assert answer.json() == {"ready": True, "checks": {"service": "up"}}
    assert answer.headers["cache-control"] == "no-store"


def test_a_service_that_stops_is_alive_and_not_ready(live: Live) -> None:
    assert live.anyone.get("/readyz").status_code == 200
    live.run(live.instance.stopping.set)
    answer = live.anyone.get("/readyz")
    assert answer.status_code == 503
    assert answer.json() == {"ready": False, "checks": {"service": "down"}}
    assert int(answer.headers["retry-after"]) >= 1
    assert live.anyone.get("/healthz").status_code == 200


def test_the_reason_for_a_failed_part_is_not_shown(tmp_path: Path) -> None:
    with operated(tmp_path, {"database": failing, "redis": up}) as live:
        answer = live.anyone.get("/readyz")
        assert answer.status_code == 503
        assert answer.json() == {
            "ready": False,
            "checks": {"service": "up", "database": "down", "redis": "up"},
        }
        assert REASON not in answer.text + str(answer.headers)
