"""A clock that is ahead of the machine's own."""

import asyncio

from service.clock import SystemClock


class Shifted:
    """The machine's own clock, shifted far enough that a deadline days away is now."""

    def __init__(self) -> None:
        self._real = SystemClock()
        self._ahead = 0

    def now(self) -> int:
        return self._real.now() + self._ahead

    def set_forward(self) -> int:
        return self._real.set_forward()

    def go_to(self, instant: int) -> None:
        self._ahead += instant - self.now()

    def not_before(self, instant: int) -> None:
        self._real.not_before(instant - self._ahead)

    def compare(self) -> None:
        self._real.compare()

    async def wait_until(self, instant: int, changed: asyncio.Event) -> None:
        await self._real.wait_until(instant - self._ahead, changed)
