"""One instance with a wrong clock; the database and the other instances are right."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.clock import SystemClock
from service.cluster.clock_agreement import CLOCKS_APART
from service.instance import Instance
from service.settings import Settings, SigningSettings
from tests.support.instance.service_instance import PATIENCE, created, settings, started, tried
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
