"""A clock that stands still until the test moves it."""

import asyncio

NOON = 1_767_268_800_000_000
"""2026-01-01T12:00:00Z, in microseconds."""

SECOND = 1_000_000


class VirtualClock:
    """The time of `service.clock.Clock`, moved only by `move_to` and `pass_time`."""

    def __init__(self, now: int = NOON) -> None:
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
