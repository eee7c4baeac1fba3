"""Deadlines: each is reported when its instant is reached, and passes once."""

import asyncio
from uuid import UUID

from domain.events import Record
from domain.games.dollar_prize.events import SideChosen
from domain.match.events import AwaitingChanged, DeadlinePassed
from service.application.scheduling.scheduler import Scheduler
from service.instance import Instance
from tests.support.instance.service_instance import PATIENCE, on_record, sends, started, watched
from tests.support.instance.virtual_deadlines import (
    DUE,
    HEADS,
    TURN,
    has_passed,
    passed,
    rest,
    timed,
)
from tests.support.instants import NOON, SECOND
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


async def test_it_is_recorded_under_its_own_instant_however_late_the_report(
    instance: Instance, clock: VirtualClock
) -> None:
    match_id = await timed(instance)
    clock.move_to(DUE + 17 * SECOND)
    await has_passed(instance, match_id, 1)

    records = on_record(instance, match_id)
    (deadline,) = passed(instance, match_id)
    assert deadline == Record(DUE, 0, DeadlinePassed("setup/side"))
    assert {r.at for r in records[records.index(deadline) :]} == {DUE}
    assert SideChosen(0, "heads") in [r.event for r in records]


async def test_a_deadline_passes_once(instance: Instance, clock: VirtualClock) -> None:
    match_id = await timed(instance)
    clock.move_to(DUE)
    await has_passed(instance, match_id, 1)
    for _ in range(3):
        await instance.matches.pass_deadline(match_id)
        clock.pass_time(SECOND)
        await rest(instance, match_id)
    assert [r.event for r in passed(instance, match_id)] == [DeadlinePassed("setup/side")]


async def test_an_instant_that_is_not_awaited_any_more_is_not_reported(
    instance: Instance, clock: VirtualClock
) -> None:
    """The side was chosen in time, so the next deadline is a minute after that."""
    match_id = await timed(instance)
    clock.move_to(DUE - 10 * SECOND)
    await instance.matches.execute(match_id, sends(0, HEADS), 0)
    clock.move_to(DUE + 1)
    await rest(instance, match_id)
    assert passed(instance, match_id) == []

    clock.move_to(DUE - 10 * SECOND + TURN * SECOND)
    await has_passed(instance, match_id, 1)
    assert passed(instance, match_id)[0].at == DUE + 50 * SECOND


async def test_a_match_without_a_clock_waits_for_ever(
    instance: Instance, clock: VirtualClock
) -> None:
    match_id = await started(instance, options={"turn_seconds": TURN})
    clock.pass_time(365 * 24 * 3600 * SECOND)
    await rest(instance, match_id)
    assert passed(instance, match_id) == []


async def test_deadlines_pass_one_after_another_a_turn_apart(
    instance: Instance, clock: VirtualClock
) -> None:
    match_id = await timed(instance, "twelve-chips")
    for n in range(6):
        clock.move_to(DUE + n * TURN * SECOND)
        await has_passed(instance, match_id, n + 1)
    assert [r.at for r in passed(instance, match_id)] == [DUE + n * TURN * SECOND for n in range(6)]


async def test_simultaneous_deadlines_pass_in_every_match(
    instance: Instance, clock: VirtualClock
) -> None:
    matches = [await timed(instance) for _ in range(50)]
    watched(instance).appended.clear()
    clock.move_to(DUE)
    for match_id in matches:
        await has_passed(instance, match_id, 1)
    assert [len(passed(instance, match_id)) for match_id in matches] == [1] * 50
    assert len(watched(instance).appended) <= 3


async def test_the_scheduler_waits_for_the_deadline_last_announced(
    instance: Instance, clock: VirtualClock
) -> None:
    match_id = await timed(instance, "twelve-chips")
    for n in range(8):
        events = [record.event for record in on_record(instance, match_id)]
        announced = [event for event in events if isinstance(event, AwaitingChanged)]
        assert announced[-1].deadline == DUE + n * TURN * SECOND
        async with asyncio.timeout(PATIENCE):
            await clock.somebody_waits_for(DUE + n * TURN * SECOND)
        clock.move_to(DUE + n * TURN * SECOND)
        await has_passed(instance, match_id, n + 1)


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
