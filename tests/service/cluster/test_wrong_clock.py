"""One instance with a wrong clock; the database and the other instances are right."""

import asyncio
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from domain.match.events import DeadlineSet
from service.clock import SystemClock
from service.cluster.clock_agreement import CLOCKS_APART
from service.instance import Instance
from service.server.health import CHECKS
from service.settings import Settings, SigningSettings
from tests.support.instance.service_instance import (
    PATIENCE,
    created,
    on_record,
    recorded,
    settings,
    started,
    tried,
)
from tests.support.instance.virtual_deadlines import passed, timed
from tests.support.instants import SECOND
from tests.support.servers.postgres_server import fresh_database

HOUR = 3600 * SECOND


class WrongClock(SystemClock):
    """A clock that is ahead of the time by `wrong` microseconds."""

    def __init__(self, wrong: int) -> None:
        super().__init__()
        self.wrong = wrong

    def now(self) -> int:
        return super().now() + self.wrong


@pytest.fixture
def postgres_settings(tmp_path: Path) -> Iterator[Settings]:
    """A store on PostgreSQL, for several instances."""
    with fresh_database() as store:
        yield Settings(store=store, signing=SigningSettings(keys=tmp_path / "keys"), shared=True)


async def leads(instance: Instance) -> None:
    """Returns when the instance leads."""
    async with asyncio.timeout(PATIENCE):
        while not instance.leader.leads:  # noqa: ASYNC110  it must be polled
            await asyncio.sleep(0.02)


def ahead(instance: Instance) -> int:
    """Microseconds by which an instance is ahead of the time."""
    return instance.clock.now() - time.time_ns() // 1000


async def test_a_match_keeps_its_order_behind_a_wrong_clock(postgres_settings: Settings) -> None:
    """Recorded times stay, and the clock of another instance is right; later records of the same
    match have later times."""
    off = Instance(postgres_settings, WrongClock(HOUR))
    async with off.running():
        match_id = await started(off)
    fresh = Instance(postgres_settings)
    async with fresh.running():
        assert 0 < ahead(fresh) <= CLOCKS_APART
        await leads(fresh)
        before = (await fresh.sessions.current(match_id)).at
        assert before > fresh.clock.now() + HOUR // 2
        answer = await tried(fresh, match_id)
        assert answer is not None and answer.result.at >= before


async def test_the_clock_starts_after_a_record_of_the_last_moment(
    postgres_settings: Settings,
) -> None:
    """A difference within the tolerance counts as before."""
    off = Instance(postgres_settings, WrongClock(SECOND // 2))
    async with off.running():
        await leads(off)
        await created(off)
        latest = off.store.latest()
    fresh = Instance(postgres_settings)
    async with fresh.running():
        await leads(fresh)
        assert latest is not None and latest < fresh.clock.now() < latest + PATIENCE * SECOND


async def test_the_embedded_store_starts_after_its_record_and_logs_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its record is the only other clock."""
    embedded = settings(tmp_path / "arbiter.db")
    off = Instance(embedded, WrongClock(HOUR))
    async with off.running():
        await created(off)
    assert "record_ahead" not in capsys.readouterr().out
    fresh = Instance(embedded)
    async with fresh.running():
        assert ahead(fresh) > HOUR - 60 * SECOND
    logged = capsys.readouterr().out
    assert "record_ahead_of_clock" in logged
    assert "the record is 3600 s ahead" in logged or "the record is 3599 s ahead" in logged


# The machine's clock is set an hour ahead, or back, under a running service.


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
        assert (recorded(instance, match_id, DeadlineSet), passed(instance, match_id)) == ([], [])
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
        await until(lambda: recorded(after, match_id, DeadlineSet))
        (moved,) = recorded(after, match_id, DeadlineSet)
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
        assert (recorded(after, match_id, DeadlineSet), passed(after, match_id)) == ([], [])
