"""Deadlines: each is reported when its instant is reached, and passes once."""

import asyncio
from uuid import UUID

import pytest

from domain.events import Record
from domain.games.dollar_prize.events import SideChosen
from domain.match.commands import Conflict
from domain.match.events import ActionReceived, ActionRefused, DeadlinePassed, PhaseClosed
from service.application.scheduling.scheduler import Scheduler
from service.instance import Instance
from tests.support.instance.service_instance import NOT_NOW, PATIENCE, on_record, sends, watched
from tests.support.instance.virtual_deadlines import (
    DUE,
    HEADS,
    TAILS,
    TURN,
    has_passed,
    passed,
    rest,
    timed,
)
from tests.support.instants import NOON, SECOND
from tests.support.tables.directing import close_phase
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


async def test_received_a_microsecond_before_the_deadline_is_in_time(
    instance: Instance, clock: VirtualClock
) -> None:
    match_id = await timed(instance)
    clock.move_to(DUE - 1)
    answer = await instance.matches.execute(match_id, sends(0, TAILS), 0)
    assert answer.result.code is None and answer.result.at == DUE - 1
    assert passed(instance, match_id) == []


@pytest.mark.parametrize("late", [0, 1, 3 * SECOND])
async def test_received_at_the_deadline_or_later_is_late(
    instance: Instance, clock: VirtualClock, late: int
) -> None:
    """The deadline passes first although it has not been reported yet."""
    match_id = await timed(instance)
    clock.move_to(DUE + late)
    answer = await instance.matches.execute(match_id, sends(0, TAILS), 0)

    assert answer.result.code == "wrong_phase"
    kinds = [type(r.event) for r in on_record(instance, match_id)]
    assert kinds.index(DeadlinePassed) < kinds.index(ActionReceived)
    assert SideChosen(0, "heads") in [r.event for r in on_record(instance, match_id)]


async def test_an_input_in_time_counts_though_the_store_is_slow(
    instance: Instance, clock: VirtualClock
) -> None:
    """The action is received before the deadline and committed long after it."""
    match_id = await timed(instance)
    store = watched(instance)
    store.block()
    clock.move_to(DUE - 1)
    first = asyncio.create_task(instance.matches.execute(match_id, sends(1, NOT_NOW), 1))
    await store.blocked()
    in_time = asyncio.create_task(instance.matches.execute(match_id, sends(0, TAILS), 0))
    await asyncio.sleep(0)
    clock.move_to(DUE + 5 * SECOND)
    late = asyncio.create_task(instance.matches.execute(match_id, sends(0, HEADS), 0))
    await asyncio.sleep(0)
    store.open.set()

    answers = await asyncio.gather(first, in_time, late)

    assert [a.result.code for a in answers] == ["wrong_phase", None, "wrong_phase"]
    assert passed(instance, match_id) == []


async def test_a_thousand_around_a_deadline_are_each_judged_by_their_time_of_receipt(
    instance: Instance, clock: VirtualClock
) -> None:
    match_id = await timed(instance)
    tasks = []
    for n in range(-500, 500):
        clock.move_to(DUE + 10 * n)
        command = sends(1, NOT_NOW, f"{n}")
        tasks.append(asyncio.create_task(instance.matches.execute(match_id, command, 1)))
        await asyncio.sleep(0)
    await asyncio.gather(*tasks)

    records = on_record(instance, match_id)
    (deadline,) = passed(instance, match_id)
    split = records.index(deadline)
    early = {r.event.key for r in records[:split] if isinstance(r.event, ActionReceived)}
    late = {r.event.key for r in records[split:] if isinstance(r.event, ActionReceived)}
    assert early == {f"{n}" for n in range(-500, 0)}
    assert late == {f"{n}" for n in range(500)}
    codes = [r.event.code for r in records[split:] if isinstance(r.event, ActionRefused)]
    assert codes == ["not_your_turn"] * 500


async def test_a_close_that_comes_at_the_deadline_does_not_end_the_next_phase(
    instance: Instance, clock: VirtualClock
) -> None:
    """The deadline has passed by then, which is what the moderator wanted."""
    match_id = await timed(instance)
    clock.move_to(DUE)
    with pytest.raises(Conflict) as conflict:
        await instance.matches.execute(match_id, close_phase("setup/side"), "moderator")
    assert conflict.value.code == "nothing_to_close"
    await has_passed(instance, match_id, 1)
    assert not any(isinstance(r.event, PhaseClosed) for r in on_record(instance, match_id))


async def test_of_two_closes_of_a_phase_one_counts(instance: Instance) -> None:
    match_id = await timed(instance)
    closes = [
        instance.matches.execute(match_id, close_phase("setup/side"), "moderator") for _ in range(2)
    ]
    answers = await asyncio.gather(*closes, return_exceptions=True)
    assert sum(isinstance(answer, Conflict) for answer in answers) == 1
    assert sum(isinstance(r.event, PhaseClosed) for r in on_record(instance, match_id)) == 1
