"""The service's clock: set back, it runs slower and neither stops nor jumps; when the wall clock
jumps, it goes on by the steady clock until the jump is undone or accepted."""

from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest

from service.clock import JUMP, SteadyClock, SystemClock
from service.instance import Instance
from tests.support.instance.service_instance import NOT_NOW, created, sends, settings
from tests.support.tables.directing import START as START_MATCH

SECOND, MINUTE, HOUR = 1_000_000_000, 60_000_000_000, 3_600_000_000_000
START: Final = 1_767_268_800_000_000_000


class Machine:
    """The clocks of a machine, in nanoseconds."""

    def __init__(self) -> None:
        self.wall, self.monotonic, self.suspended = START, 5 * SECOND, 0
        self.clock = self.new_clock()

    def new_clock(self) -> SystemClock:
        return SystemClock(lambda: self.wall, lambda: self.monotonic, lambda: self.suspended)

    def tick(self, nanoseconds: int) -> None:
        """Time passes, and no clock is compared."""
        self.wall += nanoseconds
        self.monotonic += nanoseconds

    def pass_time(self, nanoseconds: int) -> None:
        """Time passes, and the service compares its clock every second."""
        for passed in range(0, nanoseconds, SECOND):
            self.tick(min(SECOND, nanoseconds - passed))
            self.clock.compare()

    def suspend(self, nanoseconds: int) -> None:
        """Nothing runs for a time, and the monotonic clock stands still."""
        self.wall += nanoseconds
        self.suspended += nanoseconds

    @property
    def ahead(self) -> float:
        """Seconds by which the service is ahead of the wall clock."""
        return (self.clock.now() * 1000 - self.wall) / SECOND


@pytest.fixture
def machine() -> Machine:
    return Machine()


def test_it_shows_the_wall_time_and_follows_it_forward(machine: Machine) -> None:
    clock = machine.new_clock()
    assert clock.now() == machine.wall // 1000
    machine.tick(MINUTE)
    assert clock.now() == machine.wall // 1000
    before = clock.set_forward()
    machine.tick(MINUTE)
    assert clock.set_forward() == before
    machine.wall += SECOND
    assert clock.now() == machine.wall // 1000
    assert clock.set_forward() == before + SECOND // 1000


@pytest.mark.parametrize("looks", [0, 1, 5])
def test_set_back_it_continues_the_same_for_every_caller(machine: Machine, looks: int) -> None:
    """The time shown to one sender must not depend on whether another has sent something."""
    clock = machine.new_clock()
    begin = clock.now()
    for _ in range(looks):
        machine.tick(MINUTE // 10)
        clock.now()
    machine.tick(MINUTE - looks * MINUTE // 10)
    machine.wall -= 10 * MINUTE
    machine.tick(MINUTE)
    assert clock.now() == begin + 2 * MINUTE // 1000


def test_an_earlier_instant_never_comes_again(machine: Machine) -> None:
    clock = machine.new_clock()
    later = clock.now() + 7
    clock.not_before(later)
    assert clock.now() == later
    clock.not_before(later - 5)
    machine.tick(1_000)
    assert clock.now() == later + 1


@pytest.mark.parametrize("looks", [0, 1, 7])
def test_ahead_of_the_wall_it_is_slower_until_that_has_caught_up(
    machine: Machine, looks: int
) -> None:
    """However often the clock is read."""
    before = machine.new_clock().now()
    machine.wall -= 10 * SECOND
    clock = machine.new_clock()
    clock.not_before(before)
    ahead: list[float] = []
    for _ in range(25):
        clock.compare()
        for _ in range(looks):
            assert clock.now() > before or not ahead
            before = clock.now()
            machine.tick(SECOND // 10)
        machine.tick(SECOND - looks * SECOND // 10)
        ahead.append((clock.now() - machine.wall // 1000) / 1e6)
    assert ahead == [max(0.0, 9.5 - half / 2) for half in range(25)]


def test_reading_does_not_change_its_speed(machine: Machine) -> None:
    """The wall clock is set back between two comparisons; all readers get the same time."""
    clocks = machine.new_clock(), machine.new_clock()
    machine.wall -= 10 * SECOND
    for _ in range(9):
        machine.tick(SECOND // 10)
        clocks[0].now()
    assert clocks[0].now() == clocks[1].now() == machine.wall // 1000 + 10_000_000


@pytest.mark.parametrize("submissions", [0, 1, 3])
async def test_after_a_restart_with_the_wall_clock_set_back_no_time_reveals_another_seat(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, submissions: int
) -> None:
    """A restarted service begins after the latest recorded time of any match."""
    # An instance compares by the real time, which is independent of these clocks.
    monkeypatch.setattr("service.instance.COMPARE_SECONDS", 3600.0)
    first = Instance(settings(tmp_path / "arbiter.db"), machine.new_clock())
    async with first.running():
        match_id = await created(first, "dollar-prize", {}, "server", "none")
        await first.matches.execute(match_id, START_MATCH, "moderator")
        for _ in range(submissions):
            machine.tick(MINUTE)
            await first.matches.execute(match_id, sends(0, NOT_NOW), 0)
        machine.tick((10 - submissions) * MINUTE)
        await created(first, "dollar-prize", {}, "server", "none")
    machine.wall -= 60 * MINUTE
    second = Instance(settings(tmp_path / "arbiter.db"), machine.new_clock())
    async with second.running():
        machine.tick(MINUTE)
        answer = await second.matches.execute(match_id, sends(1, NOT_NOW), 1)
    assert answer.result.at == (START + 11 * MINUTE) // 1000


# The wall clock jumps.


@pytest.mark.parametrize("jump", [HOUR, -HOUR, 3 * SECOND, -3 * SECOND])
@pytest.mark.parametrize("compared", [False, True])
def test_a_jump_is_not_followed(machine: Machine, jump: int, compared: bool) -> None:
    """Not even between two comparisons."""
    machine.pass_time(10 * SECOND)
    machine.wall += jump
    if compared:
        machine.clock.compare()
        assert machine.clock.jump == jump // 1000
    assert machine.clock.now() == (START + 10 * SECOND) // 1000
    machine.pass_time(60 * SECOND)
    assert machine.clock.now() == (START + 70 * SECOND) // 1000
    assert machine.clock.jump == jump // 1000


@pytest.mark.parametrize("jump", [HOUR, -HOUR])
@pytest.mark.parametrize("left", [-SECOND, 0, SECOND])
def test_a_jump_undone_leaves_nothing_behind(machine: Machine, jump: int, left: int) -> None:
    """The wall clock need not come back to the very moment."""
    machine.wall += jump
    machine.pass_time(90 * SECOND)
    machine.wall -= jump - left
    machine.pass_time(5 * SECOND)
    assert (machine.clock.jump, machine.ahead) == (0, 0)


def test_a_jump_on_top_of_another_is_one_jump(machine: Machine) -> None:
    machine.wall += HOUR
    machine.clock.compare()
    machine.wall += HOUR
    machine.clock.compare()
    assert machine.clock.jump == 2 * HOUR // 1000
    assert machine.clock.now() == START // 1000


@pytest.mark.parametrize("step", [1, -1])
def test_small_corrections_are_no_jump_however_many(machine: Machine, step: int) -> None:
    """A time server moves the clock a little at a time."""
    for _ in range(100):
        machine.wall += step * JUMP * 1000 // 4
        machine.pass_time(SECOND)
        assert machine.clock.jump == 0
    machine.pass_time(200 * SECOND)
    assert machine.ahead == 0


def test_a_suspended_machine_has_no_jump(machine: Machine) -> None:
    """The time is gone, and the wall clock is right."""
    machine.pass_time(10 * SECOND)
    machine.suspend(HOUR)
    assert machine.ahead == 0
    machine.clock.compare()
    assert (machine.clock.jump, machine.ahead) == (0, 0)


def test_a_clock_set_during_a_suspension_is_a_jump_all_the_same(machine: Machine) -> None:
    machine.suspend(HOUR)
    machine.wall += HOUR
    machine.clock.compare()
    assert machine.clock.jump == HOUR // 1000
    assert machine.clock.now() == (START + HOUR) // 1000


def test_the_steady_clock_does_not_tremble_with_its_two_readings() -> None:
    """They are not read at the same moment."""
    monotonic, suspended = iter(range(0, 10**12, 1000)), iter([0, 900, -900, 40_000, 0, 0, 0])
    clock = SteadyClock(lambda: next(monotonic), lambda: next(suspended))
    readings = [clock.now() for _ in range(5)]
    assert [later - one for one, later in pairwise(readings)] == [2000] * 4


def test_a_pause_between_two_readings_is_no_suspension() -> None:
    monotonic, suspended = iter([0, SECOND]), iter([0, SECOND])
    clock = SteadyClock(lambda: next(monotonic), lambda: next(suspended))
    assert clock.now() == SECOND
