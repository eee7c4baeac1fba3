"""The machine's clock is set an hour ahead, or back, under a running service."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import pytest

from domain.match.events import DeadlineSet
from service.clock import SystemClock
from service.instance import Instance
from service.server.health import CHECKS
from tests.support.instance.service_instance import PATIENCE, on_record, settings
from tests.support.instance.virtual_deadlines import passed, timed
from tests.support.instants import SECOND

HOUR = 3600 * SECOND


class WallClock:
    """The wall clock of a machine, which can be set. Services of other tests, which may run in
    threads of this process, have another one."""

    def __init__(self) -> None:
        self.wrong = 0

    def now(self) -> int:
        return time.time_ns() + self.wrong * 1000

    def instance(self, database: Path) -> Instance:
        """An instance on this machine."""
        return Instance(settings(database), SystemClock(self.now))

    def ahead(self, instance: Instance) -> float:
        """Seconds by which the service is ahead of it."""
        return (instance.clock.now() - self.now() // 1000) / SECOND


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> WallClock:
    monkeypatch.setattr("service.instance.COMPARE_SECONDS", 0.02)
    return WallClock()


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not holds():  # noqa: ASYNC110  it must be polled
            await asyncio.sleep(0.02)


def moves(instance: Instance, match_id: UUID) -> list[DeadlineSet]:
    return [r.event for r in on_record(instance, match_id) if isinstance(r.event, DeadlineSet)]


@pytest.mark.parametrize("jump", [HOUR, -HOUR])
async def test_a_jump_is_said_at_once_and_not_followed(
    database: Path, wall: WallClock, jump: int, capsys: pytest.CaptureFixture[str]
) -> None:
    instance = wall.instance(database)
    async with instance.running():
        match_id = await timed(instance)
        assert await CHECKS["clock"](instance) is True
        wall.wrong = jump
        await until(lambda: instance.clock_watch.jump)
        instance.clock_watch.compare()
        assert await CHECKS["clock"](instance) is False
        assert wall.ahead(instance) == pytest.approx(-jump / SECOND, abs=5)
        assert (moves(instance, match_id), passed(instance, match_id)) == ([], [])
        assert instance.clock_watch.jump == pytest.approx(jump, abs=SECOND)
    logged = capsys.readouterr().out
    assert logged.count("this machine's clock jumped by") == 1


async def test_a_restart_while_the_clock_is_ahead_costs_nobody_time(
    database: Path, wall: WallClock
) -> None:
    """The new process knows no other clock; the time since the last heartbeat was no one's."""
    before = wall.instance(database)
    async with before.running():
        match_id = await timed(before)
    wall.wrong = HOUR
    after = wall.instance(database)
    async with after.running():
        await until(lambda: moves(after, match_id))
        (moved,) = moves(after, match_id)
        assert moved.ended - moved.begun == pytest.approx(HOUR, abs=5 * SECOND)
        assert passed(after, match_id) == []
        assert await CHECKS["clock"](after) is True
        assert wall.ahead(after) == pytest.approx(0, abs=2)


async def test_restarted_with_a_clock_that_was_set_back_it_begins_after_the_record(
    database: Path, wall: WallClock
) -> None:
    """It runs slower until the clock has caught up, and takes no one's time."""
    before = wall.instance(database)
    async with before.running():
        match_id = await timed(before)
        latest = on_record(before, match_id)[-1].at
    wall.wrong = -HOUR
    after = wall.instance(database)
    async with after.running():
        assert after.clock.now() >= latest
        assert await CHECKS["clock"](after) is True
        assert (moves(after, match_id), passed(after, match_id)) == ([], [])
