"""The values that the parts of the service report to the instrumentation."""

import asyncio
from pathlib import Path
from typing import Any, cast
from uuid import UUID, uuid4

import pytest
from litestar.types import Receive, Scope, Send

from service.application.scheduling.scheduler import Scheduler
from service.instance import Instance
from service.observability.instrumentation import Instrumentation
from service.observability.metrics import Metrics
from service.observability.request_log import WAITED, InstrumentedApp
from tests.service.observability.metric_values import value
from tests.support.instance.service_instance import settings, started
from tests.support.instants import NOON
from tests.support.virtual_clock import VirtualClock

SECOND = 1_000_000


@pytest.mark.parametrize("fails", [False, True])
async def test_a_deadline_reports_its_delay_once_it_is_reported(fails: bool) -> None:
    clock, metrics, tried = VirtualClock(NOON), Metrics(), asyncio.Event()

    async def report(_: UUID) -> None:
        clock.pass_time(5 * SECOND)
        tried.set()
        if fails:
            raise ConnectionError

    scheduler = Scheduler(clock, report, metrics)
    scheduler.arm(uuid4(), NOON - 2 * SECOND)
    assert len(scheduler) == 1
    running = asyncio.create_task(scheduler.run())
    await tried.wait()
    await asyncio.sleep(0)
    running.cancel()
    assert fails or len(scheduler) == 0
    assert value(metrics, "arbiter_deadline_late_seconds_count") == (not fails)
    assert value(metrics, "arbiter_deadline_late_seconds_sum") == (0 if fails else 2.0)


async def test_a_signature_reports_its_duration(tmp_path: Path) -> None:
    metrics = Metrics()
    instance = Instance(settings(tmp_path / "arbiter.db"), VirtualClock(NOON), metrics)
    async with instance.running():
        match_id = await started(instance)
        await instance.notary.checkpoint(match_id)
    assert value(metrics, "arbiter_sign_seconds_count") == 1
    assert value(metrics, "arbiter_sign_seconds_sum") > 0


# What is measured of a request.


class Durations(Instrumentation):
    """Remembers how long the answers took."""

    def __init__(self) -> None:
        self.found: list[float] = []

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        self.found.append(seconds)


async def measured(waited: float | None) -> float:
    """How long an answer took whose client wanted to wait as long."""
    durations = Durations()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if waited is not None:
            scope["state"][WAITED] = waited
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def ignored(*_: Any) -> Any:
        """Receives and sends nothing."""

    scope = cast(Scope, {"type": "http", "method": "GET", "path": "/", "state": {}})
    await InstrumentedApp(app, durations)(scope, ignored, ignored)
    (seconds,) = durations.found
    return seconds


async def test_the_time_that_a_client_wants_to_wait_is_not_the_services() -> None:
    assert await measured(None) >= 0
    assert await measured(1_000.0) < -900
