"""The clock of the service; everything that needs the time gets a clock as a parameter."""

import asyncio
import time
from collections.abc import Callable
from threading import Lock
from typing import Protocol

JUMP = 2_000_000
"""Difference, in microseconds, by which the wall clock may move against the steady one within a
second. More is a jump: of someone who sets it, or of a wrong time server."""

SUSPENSION = 500_000_000
"""Nanoseconds of suspension from which on they are noticed."""

SLOWER = 2
"""A clock ahead of the wall clock loses one part in this many of the time that passes: it runs at
half speed until the wall clock has caught up."""


class Clock(Protocol):
    """Gives the time and waits for it, in microseconds since 1970."""

    def now(self) -> int: ...

    def set_forward(self) -> int:
        """By how many microseconds it has been set forward against a steady clock, counted from any
        moment."""
        ...

    def not_before(self, instant: int) -> None:
        """Moves the clock forward to an instant known to be past, if it is behind it."""
        ...

    def compare(self) -> None:
        """Measures how far it is ahead of the wall clock. The instance calls this every second."""
        ...

    async def wait_until(self, instant: int, changed: asyncio.Event) -> None:
        """Returns at `instant`; or earlier when `changed` is set or the clock runs slower."""
        ...


def wall_ns() -> int:
    """The wall clock, which people and time servers set."""
    return time.time_ns()


def monotonic_ns() -> int:
    """A clock that no one can set. On Linux it stands still while the machine is suspended."""
    return time.monotonic_ns()


BOOT_CLOCK: int | None = getattr(time, "CLOCK_BOOTTIME", None)


def suspended_ns() -> int:
    """For how long the machine has been suspended since it was started, about; 0 where its
    monotonic clock runs on."""
    if BOOT_CLOCK is None:
        return 0
    return time.clock_gettime_ns(BOOT_CLOCK) - time.clock_gettime_ns(time.CLOCK_MONOTONIC)


class SteadyClock:
    """The monotonic clock, with the time added in which the machine was suspended: a suspension is
    no jump of the wall clock. Any thread may read it."""

    def __init__(
        self,
        monotonic: Callable[[], int] = monotonic_ns,
        suspended: Callable[[], int] = suspended_ns,
    ) -> None:
        self._lock = Lock()
        self._monotonic, self._suspended = monotonic, suspended
        self._added = suspended()

    def now(self) -> int:
        """The time in nanoseconds since some moment."""
        with self._lock:
            before, suspended = self._monotonic(), self._suspended()
            now = self._monotonic()
            # What is shorter is the time between two readings, of which a long one says nothing.
            if suspended - self._added > SUSPENSION > now - before:
                self._added = suspended
            return now + self._added


class SystemClock:
    """The machine's clock, which never goes back and never jumps.

    It follows the steady clock from the latest time of the wall clock, and small corrections of
    that. When the wall clock jumps, forward or back, this one goes on by the steady clock alone
    until the wall clock has come back to it.

    Where it is ahead of the wall clock, after a small step back or a start behind the record, it
    neither stops nor jumps but runs slower until the wall clock has caught up. If it stopped, the
    time shown to one sender would depend on when another had sent something. For the same reason
    its speed is set by `compare`, once a second, and never by reading the time.
    """

    def __init__(
        self,
        wall: Callable[[], int] = wall_ns,
        monotonic: Callable[[], int] = monotonic_ns,
        suspended: Callable[[], int] = suspended_ns,
    ) -> None:
        """Each of these reads a clock of the machine, in nanoseconds."""
        # Threads read the time, too.
        self._lock = Lock()
        self._wall, self._steady = wall, SteadyClock(monotonic, suspended).now
        self._trusted = wall() - self._steady()
        self._ahead = self._trusted
        self._compared = self._steady()
        self._excess = 0
        self._jump = 0

    def now(self) -> int:
        with self._lock:
            steady, ahead, _ = self._read()
            return (steady + self._ahead_at(steady, ahead)) // 1000

    def set_forward(self) -> int:
        with self._lock:
            steady, ahead, _ = self._read()
            return self._ahead_at(steady, ahead) // 1000

    def not_before(self, instant: int) -> None:
        with self._lock:
            steady = self._steady()
            self._ahead_at(steady, instant * 1000 - steady)

    def compare(self) -> None:
        with self._lock:
            steady, trusted, self._jump = self._read()
            self._follow(steady, trusted)

    @property
    def jump(self) -> int:
        """By how many microseconds the wall clock has jumped and is not followed; 0 if it has not.
        Negative: it was set back."""
        return self._jump // 1000

    def _read(self) -> tuple[int, int, int]:
        """The steady clock, how far ahead of it the wall clock is without its jump, and the
        jump."""
        # Read the wall clock first: a pause between the two readings must not make it look further
        # ahead than it is.
        wall, steady = self._wall(), self._steady()
        moved = wall - steady - self._trusted
        if abs(moved) > JUMP * 1000:
            return steady, self._trusted, moved
        return steady, wall - steady, 0

    def _follow(self, steady: int, trusted: int) -> None:
        """Trusts the wall clock where it is this far ahead of the steady one."""
        self._ahead = self._ahead_at(steady, trusted)
        self._trusted = trusted
        self._compared, self._excess = steady, self._ahead - trusted

    def _ahead_at(self, steady: int, least: int) -> int:
        """How far it is ahead of the steady clock now, in nanoseconds, at least `least`. What it
        was ahead of the wall clock at the last comparison shrinks with the time since."""
        given_back = min(self._excess, (steady - self._compared) // SLOWER)
        ahead = self._ahead - given_back
        if least <= ahead:
            return ahead
        self._ahead, self._excess = least, 0
        return least

    async def wait_until(self, instant: int, changed: asyncio.Event) -> None:
        delay = (instant - self.now()) / 1e6
        try:
            async with asyncio.timeout(max(0.0, min(delay, 3600.0))):
                await changed.wait()
        except TimeoutError:
            return
