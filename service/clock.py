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
