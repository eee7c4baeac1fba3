"""The wall clock jumps: the service goes on by the steady clock until the jump is undone or
accepted."""

from itertools import pairwise
from typing import Final

import pytest

from service.clock import JUMP, SteadyClock, SystemClock

SECOND, HOUR = 1_000_000_000, 3_600_000_000_000
START: Final = 1_767_268_800_000_000_000


class Machine:
    """The clocks of a machine, in nanoseconds."""

    def __init__(self) -> None:
        self.wall, self.monotonic, self.suspended = START, 5 * SECOND, 0
        self.clock = SystemClock(lambda: self.wall, lambda: self.monotonic, lambda: self.suspended)

    def pass_time(self, nanoseconds: int) -> None:
        """Time passes, and the service compares its clock every second."""
        for passed in range(0, nanoseconds, SECOND):
            step = min(SECOND, nanoseconds - passed)
            self.wall += step
            self.monotonic += step
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
