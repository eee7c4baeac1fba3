"""Moved deadlines: only the one in force is reported, and the others cost nothing."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import pytest
import pytest_asyncio

from service.application.scheduling.scheduler import RETRY, Scheduler
from service.instance import Instance
from tests.support.instance.service_instance import settings
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
