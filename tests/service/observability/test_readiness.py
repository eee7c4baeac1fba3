"""`/readyz`: whether this instance should be sent requests, part by part, without the reasons."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.cluster.clock_agreement import clock_offset, clocks_agree
from service.observability import readiness
from service.observability.readiness import CachedReadiness, CheckValue, Probe, Readiness, check
from tests.support.servers.live_server import Live, Setup, serving

REASON = "role arbiter_7 may not log in"

WITHIN_SECONDS = 2.0
"""The time limit of the probe in `deploy/kubernetes/base/workers.yaml`."""


async def up() -> bool:
    return True


async def failing() -> bool:
    raise ConnectionRefusedError(REASON)


async def hanging() -> bool:
    await asyncio.Event().wait()
    return True


def finds(value: bool | CheckValue) -> Probe:
    async def probe() -> bool | CheckValue:
        return value

    return probe


@pytest.mark.parametrize(
    ("part", "probe", "value", "ready", "degraded", "said"),
    [
        ("database", finds(value=True), "up", True, False, ""),
        ("database", finds(value=False), "down", False, False, "database: down"),
        ("database", failing, "down", False, False, REASON),
        ("redis", finds(value=False), "down", True, True, "redis: down"),
        *(("record", finds(value), value, True, True, "") for value in ("degraded", "low")),
        *(
            ("database", finds(value), value, False, False, f"database: {value}")
            for value in ("down", "corrupt", "full", "read_only", "io_error")
        ),
    ],
)
async def test_how_a_part_is_and_why_it_does_not_work(
    capsys: pytest.CaptureFixture[str],
    part: str,
    probe: Probe,
    value: CheckValue,
    ready: bool,
    degraded: bool,
    said: str,
) -> None:
    found = await check({"other": up, part: probe})
    assert found == Readiness(ready, {"other": "up", part: value}, degraded)
    logged = capsys.readouterr().out
    assert said in logged and bool(said) == ("not_ready" in logged)


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
        (0, 2 * SECOND, SECOND, SECOND),
        (0, 2 * SECOND - 1, SECOND, SECOND - 1),
        (SECOND, 0, SECOND, -SECOND),
        (SECOND, 1, SECOND, 1 - SECOND),
        (0, 3 * SECOND, SECOND, 2 * SECOND),
        (3 * SECOND, SECOND, 4 * SECOND, -2 * SECOND),
    ],
)
def test_the_offset_excludes_slow_answers(
    before: int, database: int, after: int, offset: int
) -> None:
    found = clock_offset(before, database, after)
    assert found == offset
    assert clocks_agree(found) == (abs(offset) < SECOND)


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    with serving(tmp_path) as server:
        yield server


def test_a_service_that_stops_is_alive_and_not_ready(live: Live) -> None:
    answer = live.anyone.get("/readyz")
    assert answer.status_code == 200
    assert answer.json() == {"ready": True, "checks": {"service": "up"}}
    assert answer.headers["cache-control"] == "no-store"
    live.run(live.instance.stopping.set)
    answer = live.anyone.get("/readyz")
    assert answer.status_code == 503
    assert answer.json() == {"ready": False, "checks": {"service": "down"}}
    assert int(answer.headers["retry-after"]) >= 1
    assert live.anyone.get("/healthz").status_code == 200


def test_the_reason_for_a_failed_part_is_not_shown(tmp_path: Path) -> None:
    with serving(tmp_path, setup=Setup(probes={"database": failing, "redis": up})) as live:
        answer = live.anyone.get("/readyz")
        assert answer.status_code == 503
        assert answer.json() == {
            "ready": False,
            "checks": {"service": "up", "database": "down", "redis": "up"},
        }
        assert REASON not in answer.text + str(answer.headers)
