"""Deadlines: each is reported when its instant is reached, and passes once."""

import asyncio
import json
from io import StringIO
from uuid import UUID, uuid4

import pytest
from eventsourcing.persistence import OperationalError

from domain.game import Refused
from service.application.scheduling.leader_tasks import EndedMatches
from service.application.scheduling.scheduler import RETRY, Scheduler
from service.instance import Instance
from tests.support.instance.service_instance import PATIENCE, watched
from tests.support.instance.virtual_deadlines import DUE, has_passed, passed, rest, timed
from tests.support.instants import NOON, SECOND
from tests.support.virtual_clock import VirtualClock

MATCH = UUID(int=1)

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


@pytest.mark.parametrize("errors", [1, 3])
async def test_a_deadline_that_the_store_could_not_record_is_reported_again(
    instance: Instance, clock: VirtualClock, errors: int
) -> None:
    match_id = await timed(instance)
    watched(instance).before.extend(OperationalError("disk full") for _ in range(errors))
    clock.move_to(DUE)
    for _ in range(errors):
        async with asyncio.timeout(PATIENCE):
            await clock.somebody_waits_for(clock.now() + RETRY)
        assert passed(instance, match_id) == []
        clock.pass_time(RETRY)
    await has_passed(instance, match_id, 1)
    assert [r.at for r in passed(instance, match_id)] == [DUE]


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


async def test_a_retry_does_not_replace_a_later_deadline_in_force(clock: VirtualClock) -> None:
    """The report was committed and a new deadline armed before something failed."""
    reported: asyncio.Queue[int] = asyncio.Queue()
    next_due = NOON + 60 * SECOND

    async def report(match: UUID) -> None:
        reported.put_nowait(clock.now())
        if reported.qsize() == 1:
            scheduler.arm(match, next_due)
            raise OSError

    scheduler = Scheduler(clock, report)
    scheduler.arm(MATCH, NOON + SECOND)
    running = asyncio.create_task(scheduler.run())
    for instant in (NOON + SECOND, NOON + SECOND + RETRY, next_due - 1, next_due):
        clock.move_to(instant)
        await turns()
    running.cancel()

    assert [reported.get_nowait() for _ in range(reported.qsize())] == [NOON + SECOND, next_due]


async def turns() -> None:
    """Lets the scheduler do everything it can at this instant."""
    for _ in range(8):
        await asyncio.sleep(0)


@pytest.mark.parametrize("waiting", [1, 500])
def test_arming_again_and_again_does_not_pile_up(clock: VirtualClock, waiting: int) -> None:
    scheduler = Scheduler(clock, nobody)
    scheduler.arm_all((UUID(int=n), DUE) for n in range(waiting))
    for n in range(100_000):
        scheduler.arm(MATCH, DUE + n)
    assert len(scheduler._heap) < 3 * waiting + 100


async def nobody(match: UUID) -> None:
    raise AssertionError


# What follows the end of a match is tried again.


def test_what_is_refused_again_and_again_is_said_once_without_its_place(logged: StringIO) -> None:
    tournament, refused = uuid4(), [True]

    async def advance(_: UUID) -> None:
        if refused[0]:
            raise Refused("not_enough_garnets", "Ann does not have that many")

    ended = EndedMatches(lambda: [tournament], advance, "round_not_continued")
    assert [asyncio.run(ended.do_all()) for _ in range(3)] == [False, False, False]
    refused[0] = False
    assert asyncio.run(ended.do_all())
    refused[0] = True
    assert not asyncio.run(ended.do_all())
    said = [json.loads(line) for line in logged.getvalue().splitlines()]
    assert [(one["event"], one["level"], one["match"], one["code"]) for one in said] == [
        ("round_not_continued", "info", str(tournament), "not_enough_garnets")
    ] * 2
    assert "exception" not in logged.getvalue()
    assert "Ann" not in logged.getvalue()
