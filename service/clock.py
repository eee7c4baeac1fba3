"""The one clock of the service; whatever needs the time is handed one."""

import asyncio
import time
from threading import Lock
from typing import Protocol

SLOWER = 2
"""A clock that is ahead of the wall gives back one of so many parts of the time that passes: it
runs at half speed until the wall has caught up."""


class Clock(Protocol):
    """Tells the time and waits for it, in microseconds since 1970."""

    def now(self) -> int: ...

    def not_before(self, instant: int) -> None:
        """Tells of an instant that has been already: from now on it is later than that."""
        ...

    def compare(self) -> None:
        """Looks how far it is ahead. Whoever keeps it going does that every second, whatever else
        happens."""
        ...

    async def wait_until(self, instant: int, changed: asyncio.Event) -> None:
        """Returns at `instant`, or earlier: when `changed` is set, or the clock runs slower."""
        ...


class SystemClock:
    """The machine's own clock, which never goes back.

    It counts on by the monotonic clock from the latest time that the wall clock has said: when the
    wall clock is set back, this one goes on, neither standing still nor jumping, but slower, until
    the wall has caught up. If it stood still, the time told to one sender would depend on when
    another had sent something. For the same reason how fast it runs is settled by `compare`, which
    comes every second, and never by who asks for the time.
    """

    def __init__(self) -> None:
        # The time is asked for in threads, too.
        self._lock = Lock()
        self._ahead = time.time_ns() - time.monotonic_ns()
        self._compared = time.monotonic_ns()
        self._excess = 0

    def now(self) -> int:
        with self._lock:
            # The wall first: whatever comes between the two, its lead is not taken for more than it
            # is.
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
        """How far ahead of the monotonic clock it is now, of which it gives back what it was found
        to be ahead of the wall; `least` it is from now on."""
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
    """A clock that stands still until it is moved: for matches of many days in a minute.

    To be moved by the loop on which it is waited for."""

    def __init__(self, now: int) -> None:
        self._now = now
        self._waiting: dict[asyncio.Event, int] = {}
        self._came = asyncio.Event()

    def now(self) -> int:
        return self._now

    def move_to(self, instant: int) -> None:
        """Makes it `instant`, which may lie in the past, and wakes those whose time has come."""
        self._now = instant
        for changed, wanted in self._waiting.items():
            if wanted <= instant:
                changed.set()

    def not_before(self, instant: int) -> None:
        """It stands where it has been put."""

    def compare(self) -> None:
        """There is nothing that it could be ahead of."""

    def pass_time(self, microseconds: int) -> None:
        self.move_to(self._now + microseconds)

    async def somebody_waits_for(self, instant: int) -> None:
        """Returns when somebody waits until exactly `instant`."""
        while instant not in self._waiting.values():
            self._came.clear()
            await self._came.wait()

    async def wait_until(self, instant: int, changed: asyncio.Event) -> None:
        """Returns when the clock has been moved to `instant`, or when `changed` is set."""
        if instant <= self._now:
            return
        self._waiting[changed] = instant
        self._came.set()
        try:
            await changed.wait()
        finally:
            del self._waiting[changed]
