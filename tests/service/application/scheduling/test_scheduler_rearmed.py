"""Moved deadlines: only the one in force is reported, and the others cost nothing."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import pytest
import pytest_asyncio

from domain.match.events import DeadlinePassed
from service.application.scheduling.scheduler import RETRY, Scheduler
from service.instance import Instance
from tests.support.instance.match_growth import joined
from tests.support.instance.service_instance import PATIENCE, on_record, settings, started
from tests.support.instants import NOON, SECOND
from tests.support.virtual_clock import VirtualClock

MATCH = UUID(int=1)
TURN = 60
DUE = NOON + TURN * SECOND


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


async def test_after_many_moves_each_deadline_in_force_is_reported_once(
    clock: VirtualClock,
) -> None:
    """Including deadlines of idle matches, at their own instants, in order."""
    reported: list[tuple[int, UUID]] = []

    async def report(match: UUID) -> None:
        reported.append((clock.now(), match))

    scheduler = Scheduler(clock, report)
    still = [UUID(int=2 + n) for n in range(5)]
    for n, match in enumerate(still):
        scheduler.arm(match, NOON + 2 * n)
    for n in range(1_000):
        scheduler.arm(MATCH, NOON + 1_000 - n)
        scheduler.arm(MATCH, None)
    scheduler.arm(MATCH, NOON + 3)
    running = asyncio.create_task(scheduler.run())
    for instant in range(NOON, NOON + 1_002):
        clock.move_to(instant)
        await turns()
    running.cancel()

    expected = [(NOON + 2 * n, match) for n, match in enumerate(still)] + [(NOON + 3, MATCH)]
    assert reported == sorted(expected)


async def nobody(match: UUID) -> None:
    raise AssertionError


class ClockSetBack(VirtualClock):
    """A clock that is set back as soon as it has been read."""

    def __init__(self) -> None:
        super().__init__(NOON)
        self.back_to: int | None = None
        self.went_back = asyncio.Event()

    def now(self) -> int:
        instant = super().now()
        if self.back_to is not None:
            self.move_to(self.back_to)
            self.back_to = None
            self.went_back.set()
        return instant


@pytest_asyncio.fixture
async def clock_set_back() -> ClockSetBack:
    return ClockSetBack()


@pytest_asyncio.fixture
async def instance(database: Path, clock_set_back: ClockSetBack) -> AsyncIterator[Instance]:
    instance = Instance(settings(database), clock_set_back)
    async with instance.running():
        yield instance


async def test_a_deadline_reported_too_early_by_a_clock_set_back_passes_at_its_instant(
    instance: Instance, clock_set_back: ClockSetBack
) -> None:
    match_id = await started(instance, "dollar-prize", {"turn_seconds": TURN}, clock="rules")
    async with asyncio.timeout(PATIENCE):
        await clock_set_back.somebody_waits_for(DUE)
        clock_set_back.back_to = NOON + SECOND
        clock_set_back.move_to(DUE)
        await clock_set_back.went_back.wait()
        await clock_set_back.somebody_waits_for(DUE)
    assert passed(instance, match_id) == []

    async with joined(instance, match_id) as member:
        clock_set_back.move_to(DUE)
        await asyncio.wait_for(member.left.wait(), PATIENCE)
    assert passed(instance, match_id) == [DUE]


def passed(instance: Instance, match_id: UUID) -> list[int]:
    records = on_record(instance, match_id)
    return [record.at for record in records if isinstance(record.event, DeadlinePassed)]
