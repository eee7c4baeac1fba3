"""The machine's clock: when it is set back, it runs slower and neither jumps nor stops."""

import time
from pathlib import Path

import pytest

from service.clock import SystemClock
from service.instance import Instance
from tests.support.instance.service_instance import NOT_NOW, created, sends, settings
from tests.support.tables.directing import START

SECOND_NS, MINUTE = 1_000_000_000, 60_000_000_000


class ClockReadings:
    """The readings of both clocks, in nanoseconds."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.wall = 1_767_268_800_000_000_000
        self.monotonic = 5_000_000_000
        monkeypatch.setattr(time, "time_ns", lambda: self.wall)
        monkeypatch.setattr(time, "monotonic_ns", lambda: self.monotonic)
        # An instance compares by the real time, which is independent of these clocks.
        monkeypatch.setattr("service.instance.COMPARE_SECONDS", 3600.0)

    def pass_time(self, nanoseconds: int) -> None:
        self.wall += nanoseconds
        self.monotonic += nanoseconds


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> ClockReadings:
    return ClockReadings(monkeypatch)


def test_it_shows_the_wall_time_and_follows_it_forward(readings: ClockReadings) -> None:
    clock = SystemClock()
    assert clock.now() == readings.wall // 1000
    readings.pass_time(MINUTE)
    assert clock.now() == readings.wall // 1000
    before = clock.set_forward()
    readings.pass_time(MINUTE)
    assert clock.set_forward() == before
    readings.wall += SECOND_NS
    assert clock.now() == readings.wall // 1000
    assert clock.set_forward() == before + SECOND_NS // 1000


@pytest.mark.parametrize("looks", [0, 1, 5])
def test_set_back_it_continues_the_same_for_every_caller(
    readings: ClockReadings, looks: int
) -> None:
    """The time shown to one sender must not depend on whether another has sent something."""
    clock = SystemClock()
    begin = clock.now()
    for _ in range(looks):
        readings.pass_time(MINUTE // 10)
        clock.now()
    readings.pass_time(MINUTE - looks * MINUTE // 10)
    readings.wall -= 10 * MINUTE
    readings.pass_time(MINUTE)
    assert clock.now() == begin + 2 * MINUTE // 1000


def test_an_earlier_instant_never_comes_again(readings: ClockReadings) -> None:
    clock = SystemClock()
    later = clock.now() + 7
    clock.not_before(later)
    assert clock.now() == later
    clock.not_before(later - 5)
    readings.pass_time(1_000)
    assert clock.now() == later + 1


@pytest.mark.parametrize("looks", [0, 1, 7])
def test_ahead_of_the_wall_it_is_slower_until_that_has_caught_up(
    readings: ClockReadings, looks: int
) -> None:
    """However often the clock is read."""
    before = SystemClock().now()
    readings.wall -= 10 * SECOND_NS
    clock = SystemClock()
    clock.not_before(before)
    ahead: list[float] = []
    for _ in range(25):
        clock.compare()
        for _ in range(looks):
            assert clock.now() > before or not ahead
            before = clock.now()
            readings.pass_time(SECOND_NS // 10)
        readings.pass_time(SECOND_NS - looks * SECOND_NS // 10)
        ahead.append((clock.now() - readings.wall // 1000) / 1e6)
    assert ahead == [max(0.0, 9.5 - half / 2) for half in range(25)]


def test_reading_does_not_change_its_speed(readings: ClockReadings) -> None:
    """The wall clock is set back between two comparisons; all readers get the same time."""
    clocks = SystemClock(), SystemClock()
    readings.wall -= 10 * SECOND_NS
    for _ in range(9):
        readings.pass_time(SECOND_NS // 10)
        clocks[0].now()
    assert clocks[0].now() == clocks[1].now() == readings.wall // 1000 + 10_000_000


@pytest.mark.parametrize("submissions", [0, 1, 3])
async def test_after_a_restart_with_the_wall_clock_set_back_no_time_reveals_another_seat(
    readings: ClockReadings, tmp_path: Path, submissions: int
) -> None:
    """A restarted service begins after the latest recorded time of any match."""
    first = Instance(settings(tmp_path / "arbiter.db"))
    async with first.running():
        match_id = await created(first, "dollar-prize", {}, "server", "none")
        await first.matches.execute(match_id, START, "moderator")
        for _ in range(submissions):
            readings.pass_time(MINUTE)
            await first.matches.execute(match_id, sends(0, NOT_NOW), 0)
        readings.pass_time((10 - submissions) * MINUTE)
        await created(first, "dollar-prize", {}, "server", "none")
    readings.wall -= 60 * MINUTE
    second = Instance(settings(tmp_path / "arbiter.db"))
    async with second.running():
        readings.pass_time(MINUTE)
        answer = await second.matches.execute(match_id, sends(1, NOT_NOW), 1)
    assert answer.result.at == 1_767_268_800_000_000 + 11 * MINUTE // 1000
