"""The one clock of the service; whatever needs the time is handed one."""

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """Tells the time and waits for it, in microseconds since 1970."""

    def now(self) -> int: ...

    async def wait_until(self, instant: int, changed: asyncio.Event) -> None:
        """Returns at `instant`, or earlier when `changed` is set."""
        ...


class SystemClock:
    """The machine's own clock, which never goes back: were it set back, the time told to one
    sender could depend on what another had sent before."""

    def __init__(self) -> None:
        self._latest = 0

    def now(self) -> int:
        self._latest = max(self._latest, time.time_ns() // 1000)
        return self._latest

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
