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
from tests.support.cli.store_with_history import run
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


async def recorded_jump(instance: Instance) -> int:
    """The number of the open jump."""
    log = instance.clock_watch.log
    await until(lambda: any(jump.end is None for jump in log.jumps().values()))
    return next(jump.number for jump in log.jumps().values() if jump.end is None)


async def accepted(instance: Instance, data: Path) -> None:
    """An operator accepts the jump."""
    number = await recorded_jump(instance)
    said = await asyncio.to_thread(run, "clock", "accept", str(number), "--data", data)
    assert said.exit_code == 0, said.output
    await until(lambda: instance.clock_watch.jump == 0)


@pytest.mark.parametrize("jump", [HOUR, -HOUR])
async def test_a_jump_is_said_at_once_and_not_followed(
    database: Path, wall: WallClock, jump: int, capsys: pytest.CaptureFixture[str]
) -> None:
    instance = Instance(settings(database))
    async with instance.running():
        match_id = await timed(instance)
        assert await CHECKS["clock"](instance) is True
        wall.wrong = jump
        number = await recorded_jump(instance)
        assert await CHECKS["clock"](instance) == ("down", f"arbiter clock accept {number}")
        assert wall.ahead(instance) == pytest.approx(-jump / SECOND, abs=5)
        assert (moves(instance, match_id), passed(instance, match_id)) == ([], [])
        found = instance.clock_watch.log.jumps()[number].jumped
        assert found.microseconds == pytest.approx(jump, abs=SECOND)
    logged = capsys.readouterr().out
    assert logged.count("this machine's clock jumped by") == 1
    assert f"arbiter clock accept {number} --data {database.parent}" in logged


async def test_a_jump_undone_leaves_nothing_behind(database: Path, wall: WallClock) -> None:
    instance = Instance(settings(database))
    async with instance.running():
        match_id = await timed(instance)
        wall.wrong = HOUR
        number = await recorded_jump(instance)
        wall.wrong = 0
        log = instance.clock_watch.log
        await until(lambda: log.jumps()[number].end is not None)
        assert await CHECKS["clock"](instance) is True
        assert wall.ahead(instance) == pytest.approx(0, abs=2)
        assert moves(instance, match_id) == []


async def test_an_accepted_jump_ahead_moves_all_deadlines_by_it(
    database: Path, wall: WallClock
) -> None:
    instance = Instance(settings(database))
    async with instance.running():
        match_id = await timed(instance)
        before = (await instance.sessions.current(match_id)).match.awaiting.deadline
        wall.wrong = HOUR
        await accepted(instance, database.parent)
        await until(lambda: moves(instance, match_id))
        (moved,) = moves(instance, match_id)
        assert before is not None and moved.deadline - before == moved.ended - moved.begun
        assert moved.ended - moved.begun == pytest.approx(HOUR, abs=2 * SECOND)
        assert passed(instance, match_id) == []
        assert wall.ahead(instance) == pytest.approx(0, abs=1)
        assert await CHECKS["clock"](instance) is True
        listed = run("clock", "list", "--data", database.parent)
        assert "+3600.0" in listed.output and "accepted" in listed.output


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
        assert passed(after, match_id) == []


def test_what_is_not_open_cannot_be_accepted(database: Path) -> None:
    Instance(settings(database)).store.close()
    said = run("clock", "accept", "1", "--data", database.parent)
    assert said.exit_code == 1
    assert "there is no such jump, or it is over" in said.output
