"""Deadlines: each passes once, at its own instant, whoever is late, whatever fails meanwhile."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from uuid import UUID

import pytest
from eventsourcing.persistence import OperationalError

from domain.commands import ClosePhase, Conflict, Start
from domain.events import Event, Record
from domain.games.dollar_prize.actions import ChooseSide
from domain.games.dollar_prize.events import SideChosen
from domain.match_events import (
    ActionReceived,
    ActionRefused,
    AwaitingChanged,
    DeadlinePassed,
    PhaseClosed,
)
from service.arbiter import Arbiter
from service.clock import VirtualClock
from service.scheduler import RETRY, Scheduler
from tests.clock import NOON, SECOND
from tests.service.instance import (
    NOT_NOW,
    PATIENCE,
    on_record,
    seen,
    sends,
    settings,
    started,
    watched,
)

TURN = 60
DUE = NOON + TURN * SECOND
HEADS, TAILS = ChooseSide("heads"), ChooseSide("tails")


async def timed(arbiter: Arbiter, game: str = "dollar-prize") -> UUID:
    """A match whose first deadline is at `DUE`."""
    return await started(arbiter, game, {"turn_seconds": TURN}, clock="rules")


def passed(arbiter: Arbiter, match_id: UUID) -> list[Record[Event]]:
    return [r for r in on_record(arbiter, match_id) if isinstance(r.event, DeadlinePassed)]


async def news(arbiter: Arbiter, match_id: UUID, wanted: Callable[[], bool]) -> None:
    """Returns when the match's record is as wanted; looks whenever there is news of it."""
    with arbiter.hub.listening(match_id) as heard:
        async with asyncio.timeout(PATIENCE):
            while not wanted():
                heard.clear()
                await heard.wait()


async def has_passed(arbiter: Arbiter, match_id: UUID, times: int) -> None:
    await news(arbiter, match_id, lambda: len(passed(arbiter, match_id)) >= times)


async def rest(arbiter: Arbiter, match_id: UUID) -> None:
    """Lets whatever has been reported come through the door: what comes in now comes after it."""
    await asyncio.sleep(0)
    with suppress(Conflict):
        await arbiter.matches.enter(match_id, Start(), "moderator")


@asynccontextmanager
async def instance(database: Path, clock: VirtualClock) -> AsyncIterator[Arbiter]:
    arbiter = Arbiter(settings(database), clock)
    async with arbiter.running():
        yield arbiter


# One deadline.


async def test_a_deadline_passes_when_its_instant_is_reached_and_not_before(
    arbiter: Arbiter, clock: VirtualClock
) -> None:
    match_id = await timed(arbiter)
    clock.move_to(DUE - 1)
    await rest(arbiter, match_id)
    assert passed(arbiter, match_id) == []

    clock.move_to(DUE)
    await has_passed(arbiter, match_id, 1)


async def test_it_is_recorded_under_its_own_instant_however_late_the_report(
    arbiter: Arbiter, clock: VirtualClock
) -> None:
    match_id = await timed(arbiter)
    clock.move_to(DUE + 17 * SECOND)
    await has_passed(arbiter, match_id, 1)

    records = on_record(arbiter, match_id)
    (deadline,) = passed(arbiter, match_id)
    assert deadline == Record(DUE, DeadlinePassed("setup/side"))
    assert {r.at for r in records[records.index(deadline) :]} == {DUE}
    assert SideChosen(0, "heads") in [r.event for r in records]


async def test_a_deadline_passes_once(arbiter: Arbiter, clock: VirtualClock) -> None:
    match_id = await timed(arbiter)
    clock.move_to(DUE)
    await has_passed(arbiter, match_id, 1)
    for _ in range(3):
        await arbiter.matches.pass_deadline(match_id)
        clock.pass_time(SECOND)
        await rest(arbiter, match_id)
    assert [r.event for r in passed(arbiter, match_id)] == [DeadlinePassed("setup/side")]


async def test_an_instant_that_is_not_awaited_any_more_is_not_reported(
    arbiter: Arbiter, clock: VirtualClock
) -> None:
    """The side was chosen in time, which set the next deadline a minute from then."""
    match_id = await timed(arbiter)
    clock.move_to(DUE - 10 * SECOND)
    await arbiter.matches.enter(match_id, sends(0, HEADS), 0)
    clock.move_to(DUE + 1)
    await rest(arbiter, match_id)
    assert passed(arbiter, match_id) == []

    clock.move_to(DUE - 10 * SECOND + TURN * SECOND)
    await has_passed(arbiter, match_id, 1)
    assert passed(arbiter, match_id)[0].at == DUE + 50 * SECOND


async def test_a_match_without_a_clock_waits_for_ever(
    arbiter: Arbiter, clock: VirtualClock
) -> None:
    match_id = await started(arbiter, options={"turn_seconds": TURN})
    clock.pass_time(365 * 24 * 3600 * SECOND)
    await rest(arbiter, match_id)
    assert passed(arbiter, match_id) == []


async def test_deadlines_pass_one_after_another_a_turn_apart(
    arbiter: Arbiter, clock: VirtualClock
) -> None:
    match_id = await timed(arbiter, "twelve-chips")
    for n in range(6):
        clock.move_to(DUE + n * TURN * SECOND)
        await has_passed(arbiter, match_id, n + 1)
    assert [r.at for r in passed(arbiter, match_id)] == [DUE + n * TURN * SECOND for n in range(6)]


async def test_what_falls_due_together_passes_in_every_match(
    arbiter: Arbiter, clock: VirtualClock
) -> None:
    matches = [await timed(arbiter) for _ in range(50)]
    watched(arbiter).appended.clear()
    clock.move_to(DUE)
    for match_id in matches:
        await has_passed(arbiter, match_id, 1)
    assert [len(passed(arbiter, match_id)) for match_id in matches] == [1] * 50
    assert len(watched(arbiter).appended) <= 3


# Early and late.


async def test_received_a_microsecond_before_the_deadline_is_in_time(
    arbiter: Arbiter, clock: VirtualClock
) -> None:
    match_id = await timed(arbiter)
    clock.move_to(DUE - 1)
    answer = await arbiter.matches.enter(match_id, sends(0, TAILS), 0)
    assert answer.verdict.code is None and answer.verdict.at == DUE - 1
    assert passed(arbiter, match_id) == []


@pytest.mark.parametrize("late", [0, 1, 3 * SECOND])
async def test_received_at_the_deadline_or_later_is_late(
    arbiter: Arbiter, clock: VirtualClock, late: int
) -> None:
    """Though nobody has reported it yet, the deadline comes first."""
    match_id = await timed(arbiter)
    clock.move_to(DUE + late)
    answer = await arbiter.matches.enter(match_id, sends(0, TAILS), 0)

    assert answer.verdict.code == "wrong_phase"
    kinds = [type(r.event) for r in on_record(arbiter, match_id)]
    assert kinds.index(DeadlinePassed) < kinds.index(ActionReceived)
    assert SideChosen(0, "heads") in [r.event for r in on_record(arbiter, match_id)]


async def test_an_input_in_time_counts_though_the_store_is_slow(
    arbiter: Arbiter, clock: VirtualClock
) -> None:
    """Received before the deadline, committed long after it."""
    match_id = await timed(arbiter)
    store = watched(arbiter)
    store.hold()
    clock.move_to(DUE - 1)
    first = asyncio.create_task(arbiter.matches.enter(match_id, sends(1, NOT_NOW), 1))
    await store.held()
    in_time = asyncio.create_task(arbiter.matches.enter(match_id, sends(0, TAILS), 0))
    await asyncio.sleep(0)
    clock.move_to(DUE + 5 * SECOND)
    late = asyncio.create_task(arbiter.matches.enter(match_id, sends(0, HEADS), 0))
    await asyncio.sleep(0)
    store.open.set()

    answers = await asyncio.gather(first, in_time, late)

    assert [a.verdict.code for a in answers] == ["wrong_phase", None, "wrong_phase"]
    assert passed(arbiter, match_id) == []


async def test_a_thousand_around_a_deadline_are_each_judged_by_when_they_came(
    arbiter: Arbiter, clock: VirtualClock
) -> None:
    match_id = await timed(arbiter)
    tasks = []
    for n in range(-500, 500):
        clock.move_to(DUE + 10 * n)
        command = sends(1, NOT_NOW, f"{n}")
        tasks.append(asyncio.create_task(arbiter.matches.enter(match_id, command, 1)))
        await asyncio.sleep(0)
    await asyncio.gather(*tasks)

    records = on_record(arbiter, match_id)
    (deadline,) = passed(arbiter, match_id)
    split = records.index(deadline)
    early = {r.event.key for r in records[:split] if isinstance(r.event, ActionReceived)}
    late = {r.event.key for r in records[split:] if isinstance(r.event, ActionReceived)}
    assert early == {f"{n}" for n in range(-500, 0)}
    assert late == {f"{n}" for n in range(500)}
    codes = [r.event.code for r in records[split:] if isinstance(r.event, ActionRefused)]
    assert codes == ["not_your_turn"] * 500


async def test_a_close_that_comes_at_the_deadline_does_not_end_the_next_phase(
    arbiter: Arbiter, clock: VirtualClock
) -> None:
    """The deadline has passed by then: what the moderator wanted has happened."""
    match_id = await timed(arbiter)
    clock.move_to(DUE)
    with pytest.raises(Conflict) as conflict:
        await arbiter.matches.enter(match_id, ClosePhase("setup/side"), "moderator")
    assert conflict.value.code == "nothing_to_close"
    await has_passed(arbiter, match_id, 1)
    assert not any(isinstance(r.event, PhaseClosed) for r in on_record(arbiter, match_id))


async def test_of_two_closes_of_a_phase_one_counts(arbiter: Arbiter) -> None:
    match_id = await timed(arbiter)
    closes = [
        arbiter.matches.enter(match_id, ClosePhase("setup/side"), "moderator") for _ in range(2)
    ]
    answers = await asyncio.gather(*closes, return_exceptions=True)
    assert sum(isinstance(answer, Conflict) for answer in answers) == 1
    assert sum(isinstance(r.event, PhaseClosed) for r in on_record(arbiter, match_id)) == 1


# Restarts and failures.


async def test_what_fell_due_while_the_service_was_down_passes_at_its_instant(
    database: Path, clock: VirtualClock
) -> None:
    async with instance(database, clock) as before:
        match_id = await timed(before)
    clock.move_to(DUE + 30 * SECOND)
    async with instance(database, clock) as after:
        await has_passed(after, match_id, 1)
        assert [r.at for r in passed(after, match_id)] == [DUE]


async def test_a_chain_of_deadlines_that_fell_due_meanwhile_passes_link_by_link(
    database: Path, clock: VirtualClock
) -> None:
    """Each deadline counts from the one before, as if nothing had been amiss."""
    async with instance(database, clock) as before:
        match_id = await timed(before, "twelve-chips")
    clock.move_to(DUE + 10 * TURN * SECOND)
    async with instance(database, clock) as after:
        await has_passed(after, match_id, 11)
        await rest(after, match_id)
        assert [r.at for r in passed(after, match_id)] == [
            DUE + n * TURN * SECOND for n in range(11)
        ]
        _, view = await after.open_matches.view(match_id, "public", None)
        assert view == seen(on_record(after, match_id), match_id, "twelve-chips", "public")


async def test_downtime_and_no_downtime_give_the_same_record(
    arbiter: Arbiter, clock: VirtualClock, tmp_path: Path
) -> None:
    """But for what chance dealt: the same deadlines, at the same instants, in the same order."""
    awake = await timed(arbiter)
    async with instance(tmp_path / "other.db", clock) as before:
        asleep = await timed(before)
    for n in range(5):
        clock.move_to(DUE + n * TURN * SECOND)
        await has_passed(arbiter, awake, n + 1)
    async with instance(tmp_path / "other.db", clock) as after:
        await has_passed(after, asleep, 5)
        assert passed(after, asleep) == passed(arbiter, awake)


async def test_an_action_after_a_restart_comes_behind_what_fell_due(
    database: Path, clock: VirtualClock
) -> None:
    async with instance(database, clock) as before:
        match_id = await timed(before)
    clock.move_to(DUE + SECOND)
    after = Arbiter(settings(database), clock)
    async with after.running():
        answer = await after.matches.enter(match_id, sends(0, TAILS), 0)
    assert answer.verdict.code == "wrong_phase"


async def test_a_deadline_ahead_is_still_armed_after_a_restart(
    database: Path, clock: VirtualClock
) -> None:
    async with instance(database, clock) as before:
        match_id = await timed(before)
    clock.move_to(DUE - SECOND)
    async with instance(database, clock) as after:
        await rest(after, match_id)
        assert passed(after, match_id) == []
        clock.move_to(DUE)
        await has_passed(after, match_id, 1)


@pytest.mark.parametrize("errors", [1, 3])
async def test_a_deadline_that_the_store_could_not_take_is_reported_again(
    arbiter: Arbiter, clock: VirtualClock, errors: int
) -> None:
    match_id = await timed(arbiter)
    watched(arbiter).before.extend(OperationalError("disk full") for _ in range(errors))
    clock.move_to(DUE)
    for _ in range(errors):
        async with asyncio.timeout(PATIENCE):
            await clock.somebody_waits_for(clock.now() + RETRY)
        assert passed(arbiter, match_id) == []
        clock.pass_time(RETRY)
    await has_passed(arbiter, match_id, 1)
    assert [r.at for r in passed(arbiter, match_id)] == [DUE]


async def test_a_deadline_passes_once_though_two_instances_report_it(
    arbiter: Arbiter, database: Path, clock: VirtualClock
) -> None:
    matches = [await timed(arbiter) for _ in range(10)]
    async with instance(database, clock) as rival:
        clock.move_to(DUE)
        await asyncio.gather(
            *(
                reporting.matches.pass_deadline(match_id)
                for match_id in matches
                for reporting in (arbiter, rival)
            )
        )
        assert [len(passed(rival, match_id)) for match_id in matches] == [1] * 10


async def test_the_scheduler_waits_for_the_deadline_last_announced(
    arbiter: Arbiter, clock: VirtualClock
) -> None:
    match_id = await timed(arbiter, "twelve-chips")
    for n in range(8):
        events = [record.event for record in on_record(arbiter, match_id)]
        announced = [event for event in events if isinstance(event, AwaitingChanged)]
        assert announced[-1].deadline == DUE + n * TURN * SECOND
        async with asyncio.timeout(PATIENCE):
            await clock.somebody_waits_for(DUE + n * TURN * SECOND)
        clock.move_to(DUE + n * TURN * SECOND)
        await has_passed(arbiter, match_id, n + 1)


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
