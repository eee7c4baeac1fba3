"""A clock that a test moves."""

import asyncio


class VirtualClock:
    """A clock that stands still until it is moved.

    Move it only in the event loop that waits for it."""

    def __init__(self, now: int) -> None:
        self._now = now
        self._waiting: dict[asyncio.Event, int] = {}
        self._wait_added = asyncio.Event()

    def now(self) -> int:
        return self._now

    def set_forward(self) -> int:
        """Returns 0: here moving the clock is the passing of time."""
        return 0

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
