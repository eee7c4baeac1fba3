"""Deadlines: each is reported when its instant is reached, and passes once."""

import asyncio
from uuid import UUID

from service.application.scheduling.scheduler import Scheduler
from service.instance import Instance
from tests.support.instance.service_instance import PATIENCE
from tests.support.instance.virtual_deadlines import (
    DUE,
    has_passed,
    passed,
    rest,
    timed,
)
from tests.support.instants import NOON
from tests.support.virtual_clock import VirtualClock

# One deadline.


async def test_a_deadline_passes_when_its_instant_is_reached_and_not_before(
    instance: Instance, clock: VirtualClock
) -> None:
    match_id = await timed(instance)
    clock.move_to(DUE - 1)
    await rest(instance, match_id)
    assert passed(instance, match_id) == []

    clock.move_to(DUE)
    await has_passed(instance, match_id, 1)


# The scheduler by itself.


async def test_an_earlier_deadline_armed_later_is_reported_first(clock: VirtualClock) -> None:
    reported: asyncio.Queue[UUID] = asyncio.Queue()
    scheduler = Scheduler(clock, reported.put)
    one, two = UUID(int=1), UUID(int=2)
    scheduler.arm(one, NOON + 9)
    running = asyncio.create_task(scheduler.run())
    await asyncio.sleep(0)
    scheduler.arm(two, NOON + 4)
    for instant in range(NOON, NOON + 12):
        clock.move_to(instant)
        for _ in range(5):
            await asyncio.sleep(0)
    running.cancel()
    assert [reported.get_nowait() for _ in range(reported.qsize())] == [two, one]


async def test_a_deadline_that_is_moved_or_dropped_is_not_reported(clock: VirtualClock) -> None:
    reported: asyncio.Queue[UUID] = asyncio.Queue()
    scheduler = Scheduler(clock, reported.put)
    moved, dropped = UUID(int=1), UUID(int=2)
    scheduler.arm_all([(moved, NOON + 4), (dropped, NOON + 5)])
    scheduler.arm(moved, NOON + 20)
    scheduler.arm(dropped, None)
    running = asyncio.create_task(scheduler.run())
    await asyncio.sleep(0)
    clock.move_to(NOON + 10)
    for _ in range(5):
        await asyncio.sleep(0)
    assert reported.empty()
    clock.move_to(NOON + 20)
    assert await asyncio.wait_for(reported.get(), PATIENCE) == moved
    running.cancel()


# Around a deadline every action is judged by the time it was received.
