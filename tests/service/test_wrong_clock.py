"""One instance whose clock is wrong, where the database and everybody else are right."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.arbiter import Arbiter
from service.clock import SystemClock
from service.operation.readiness import CLOCKS_APART
from service.settings import Settings
from tests.clock import SECOND
from tests.postgres import fresh_database
from tests.service.instance import PATIENCE, created, settings, started, tried

HOUR = 3600 * SECOND


class WrongClock(SystemClock):
    """A clock that is ahead of the time by so many microseconds."""

    def __init__(self, wrong: int) -> None:
        super().__init__()
        self.wrong = wrong

    def now(self) -> int:
        return super().now() + self.wrong


@pytest.fixture
def chosen(tmp_path: Path) -> Iterator[Settings]:
    """A store on PostgreSQL, for several instances."""
    with fresh_database() as store:
        yield Settings(store, keys=tmp_path / "keys", shared=True)


async def leads(arbiter: Arbiter) -> None:
    """Returns when the instance leads."""
    async with asyncio.timeout(PATIENCE):
        while not arbiter.leader.leads:  # noqa: ASYNC110  it has to be asked
            await asyncio.sleep(0.02)


def ahead(arbiter: Arbiter) -> int:
    """By how much an instance is ahead of the time."""
    return arbiter.clock.now() - time.time_ns() // 1000


async def test_whose_clock_is_wrong_gives_the_lead_to_one_whose_clock_is_right(
    chosen: Settings,
) -> None:
    clock = WrongClock(0)
    off, right = Arbiter(chosen, clock), Arbiter(chosen)
    async with off.running():
        await leads(off)
        async with right.running():
            clock.wrong = 5 * SECOND
            await leads(right)
            assert not off.leader.leads


async def test_whose_clock_is_wrong_does_not_lead_even_alone(chosen: Settings) -> None:
    clock = WrongClock(-5 * SECOND)
    off = Arbiter(chosen, clock)
    async with off.running():
        await asyncio.sleep(1.0)
        assert not off.leader.leads
        clock.wrong = 0
        await leads(off)


async def test_one_wrong_clock_does_not_become_everybodys(chosen: Settings) -> None:
    off = Arbiter(chosen, WrongClock(HOUR))
    async with off.running():
        await started(off)
    fresh = Arbiter(chosen)
    async with fresh.running():
        assert 0 < ahead(fresh) <= CLOCKS_APART
        await leads(fresh)


async def test_a_match_keeps_its_order_behind_a_wrong_clock(chosen: Settings) -> None:
    """What is on record stays so; what follows in the same match stands behind it."""
    off = Arbiter(chosen, WrongClock(HOUR))
    async with off.running():
        match_id = await started(off)
    fresh = Arbiter(chosen)
    async with fresh.running():
        await leads(fresh)
        before = (await fresh.open_matches.opened(match_id)).at
        assert before > fresh.clock.now() + HOUR // 2
        answer = await tried(fresh, match_id)
        assert answer is not None and answer.verdict.at >= before


async def test_a_record_of_the_last_moment_is_begun_behind(chosen: Settings) -> None:
    """What differs by less than it may counts as before."""
    off = Arbiter(chosen, WrongClock(SECOND // 2))
    async with off.running():
        await leads(off)
        await created(off)
        latest = off.store.latest()
    fresh = Arbiter(chosen)
    async with fresh.running():
        await leads(fresh)
        assert latest is not None and latest < fresh.clock.now() < latest + PATIENCE * SECOND


async def test_the_embedded_store_begins_behind_its_record_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its record is the only other clock there is."""
    chosen = settings(tmp_path / "arbiter.db")
    off = Arbiter(chosen, WrongClock(HOUR))
    async with off.running():
        await created(off)
    assert "record_ahead" not in capsys.readouterr().out
    fresh = Arbiter(chosen)
    async with fresh.running():
        assert ahead(fresh) > HOUR - 60 * SECOND
    told = capsys.readouterr().out
    assert "record_ahead_of_clock" in told
    assert "the record is 3600 s ahead" in told or "the record is 3599 s ahead" in told


async def test_an_instance_runs_slower_until_the_wall_has_caught_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.arbiter.COMPARE_EVERY", 0.05)
    arbiter = Arbiter(settings(tmp_path / "arbiter.db"))
    arbiter.clock.not_before(arbiter.clock.now() + SECOND // 2)
    async with arbiter.running(), asyncio.timeout(PATIENCE):
        assert ahead(arbiter) > SECOND // 5
        while ahead(arbiter) > SECOND // 100:  # noqa: ASYNC110  it has to be asked
            await asyncio.sleep(0.05)
