"""What the parts of the service tell who watches them."""

import asyncio
from pathlib import Path
from uuid import UUID, uuid4

from service.arbiter import Arbiter
from service.clock import VirtualClock
from service.door.scheduler import Scheduler
from service.operation.metrics import Metrics
from service.proof.notary import Notary
from tests.clock import NOON
from tests.operation.test_metrics import value
from tests.service.instance import settings, started

SECOND = 1_000_000


async def test_a_deadline_tells_how_late_it_was_reported() -> None:
    clock, metrics, reported = VirtualClock(NOON), Metrics(), asyncio.Event()

    async def report(_: UUID) -> None:
        clock.pass_time(5 * SECOND)
        reported.set()

    scheduler = Scheduler(clock, report, metrics)
    scheduler.arm(uuid4(), NOON - 2 * SECOND)
    assert len(scheduler) == 1
    running = asyncio.create_task(scheduler.run())
    await reported.wait()
    await asyncio.sleep(0)
    running.cancel()
    assert len(scheduler) == 0
    assert value(metrics, "arbiter_deadline_late_seconds_count") == 1
    assert value(metrics, "arbiter_deadline_late_seconds_sum") == 2.0


async def test_a_deadline_that_could_not_be_reported_is_not_counted() -> None:
    clock, metrics, tried = VirtualClock(NOON), Metrics(), asyncio.Event()

    async def report(_: UUID) -> None:
        tried.set()
        raise ConnectionError

    scheduler = Scheduler(clock, report, metrics)
    scheduler.arm(uuid4(), NOON)
    running = asyncio.create_task(scheduler.run())
    await tried.wait()
    await asyncio.sleep(0)
    running.cancel()
    assert value(metrics, "arbiter_deadline_late_seconds_count") == 0


async def test_a_signature_tells_how_long_it_took(tmp_path: Path) -> None:
    arbiter, metrics = Arbiter(settings(tmp_path / "arbiter.db"), VirtualClock(NOON)), Metrics()
    async with arbiter.running():
        match_id = await started(arbiter)
        notary = Notary(
            arbiter.store,
            arbiter.dealer,
            arbiter.matches.append,
            arbiter.signing,
            arbiter.clock,
            list,
            metrics,
        )
        await notary.checkpoint(match_id)
        notary.close()
    assert value(metrics, "arbiter_sign_seconds_count") == 1
    assert value(metrics, "arbiter_sign_seconds_sum") > 0
