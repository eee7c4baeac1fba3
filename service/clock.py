"""The clock of the service; everything that needs the time gets a clock as a parameter."""

import asyncio
import time
from threading import Lock
from typing import Protocol

SLOWER = 2
"""A clock ahead of the wall clock loses one part in this many of the time that passes: it runs at
half speed until the wall clock has caught up."""


class Clock(Protocol):
    """Gives the time and waits for it, in microseconds since 1970."""

    def now(self) -> int: ...

    def not_before(self, instant: int) -> None:
        """Moves the clock forward to an instant known to be past, if it is behind it."""
        ...

    def compare(self) -> None:
        """Measures how far it is ahead of the wall clock. The instance calls this every second."""
        ...

    async def wait_until(self, instant: int, changed: asyncio.Event) -> None:
        """Returns at `instant`; or earlier when `changed` is set or the clock runs slower."""
        ...


class SystemClock:
    """The machine's clock, which never goes back.

    It follows the monotonic clock from the latest time of the wall clock. When the wall clock is
    set back, this one neither stops nor jumps but runs slower until the wall clock has caught up.
    If it stopped, the time shown to one sender would depend on when another had sent something. For
    the same reason its speed is set by `compare`, once a second, and never by reading the time.
    """

    def __init__(self) -> None:
        # Threads read the time, too.
        self._lock = Lock()
        self._ahead = time.time_ns() - time.monotonic_ns()
        self._compared = time.monotonic_ns()
        self._excess = 0

    def now(self) -> int:
        with self._lock:
            # Read the wall clock first: a pause between the two readings must not make it look
            # further ahead than it is.
            wall, monotonic = time.time_ns(), time.monotonic_ns()
            return (monotonic + self._ahead_at(monotonic, wall - monotonic)) // 1000

    def not_before(self, instant: int) -> None:
        with self._lock:
            monotonic = time.monotonic_ns()
            self._ahead_at(monotonic, instant * 1000 - monotonic)

    def compare(self) -> None:
        with self._lock:
            wall, monotonic = time.time_ns(), time.monotonic_ns()
            self._ahead = self._ahead_at(monotonic, wall - monotonic)
            self._compared, self._excess = monotonic, self._ahead - (wall - monotonic)

    def _ahead_at(self, monotonic: int, least: int) -> int:
        """How far it is ahead of the monotonic clock now, in nanoseconds, at least `least`. What it
        was ahead of the wall clock at the last comparison shrinks with the time since."""
        given_back = min(self._excess, (monotonic - self._compared) // SLOWER)
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


class VirtualClock:
    """A clock that stands still until it is moved, to play a match of many days in a minute.

    Move it only in the event loop that waits for it."""

    def __init__(self, now: int) -> None:
        self._now = now
        self._waiting: dict[asyncio.Event, int] = {}
        self._wait_added = asyncio.Event()

    def now(self) -> int:
        return self._now

    def move_to(self, instant: int) -> None:
        """Sets the time, which may go back, and wakes the tasks whose time has come."""
        self._now = instant
        for changed, wanted in self._waiting.items():
            if wanted <= instant:
                changed.set()

    def not_before(self, instant: int) -> None:
        """Does nothing: only `move_to` sets the time."""

    def compare(self) -> None:
        """Does nothing: there is no wall clock to compare with."""

    def pass_time(self, microseconds: int) -> None:
        self.move_to(self._now + microseconds)

    async def somebody_waits_for(self, instant: int) -> None:
        """Returns when a task waits until exactly `instant`."""
        while instant not in self._waiting.values():
            self._wait_added.clear()
            await self._wait_added.wait()

    async def wait_until(self, instant: int, changed: asyncio.Event) -> None:
        """Returns when the clock has been moved to `instant`, or when `changed` is set."""
        if instant <= self._now:
            return
        self._waiting[changed] = instant
        self._wait_added.set()
        try:
            await changed.wait()
        finally:
            del self._waiting[changed]
