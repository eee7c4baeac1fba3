"""The machine's clock is set an hour ahead, or back, under a running service."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import pytest

from domain.match.events import DeadlineSet
from service.instance import Instance
from service.server.health import CHECKS
from tests.support.instance.service_instance import PATIENCE, on_record, settings
from tests.support.instance.virtual_deadlines import passed, timed
from tests.support.instants import SECOND

HOUR = 3600 * SECOND


class WallClock:
    """The machine's wall clock, which can be set."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.wrong = 0
        real = time.time_ns
        monkeypatch.setattr(time, "time_ns", lambda: real() + self.wrong * 1000)
        monkeypatch.setattr("service.instance.COMPARE_SECONDS", 0.02)

    def ahead(self, instance: Instance) -> float:
        """Seconds by which the service is ahead of it."""
        return (instance.clock.now() - time.time_ns() // 1000) / SECOND


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> WallClock:
    return WallClock(monkeypatch)


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
    instance = Instance(settings(database))
    async with instance.running():
        match_id = await timed(instance)
        assert await CHECKS["clock"](instance) is True
        wall.wrong = jump
        await until(lambda: instance.clock_watch.jump)
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
    before = Instance(settings(database))
    async with before.running():
        match_id = await timed(before)
    wall.wrong = HOUR
    after = Instance(settings(database))
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
    before = Instance(settings(database))
    async with before.running():
        match_id = await timed(before)
        latest = on_record(before, match_id)[-1].at
    wall.wrong = -HOUR
    after = Instance(settings(database))
    async with after.running():
        assert after.clock.now() >= latest
        assert await CHECKS["clock"](after) is True
        assert (moves(after, match_id), passed(after, match_id)) == ([], [])
