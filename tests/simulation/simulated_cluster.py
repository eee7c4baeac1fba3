"""What simulated instances share next to the store: a leader lock, notifications, and the time."""

import asyncio
from collections.abc import Callable
from math import inf
from uuid import UUID

from service.clock import Clock
from service.cluster.redis_notifications import RedisNotifications
from tests.simulation.virtual_loop import VirtualLoop

LOCK_POLL_SECONDS = 0.2


class SimulatedClock(Clock):
    """A process's clock: the loop's time, and `ahead` microseconds. It never goes back."""

    def __init__(self, loop: VirtualLoop, start: int, ahead: int) -> None:
        self._loop = loop
        self._start = start
        self.ahead = ahead

    def now(self) -> int:
        return self._start + self._loop.micros + self.ahead

    def set_forward(self) -> int:
        return self.ahead

    def not_before(self, instant: int) -> None:
        self.ahead += max(0, instant - self.now())

    def compare(self) -> None:
        """Does nothing: there is no wall clock."""

    async def wait_until(self, instant: int, changed: asyncio.Event) -> None:
        try:
            async with asyncio.timeout(max(0.0, (instant - self.now()) / 1e6)):
                await changed.wait()
        except TimeoutError:
            return


class LockServer:
    """Has the leader lock: at most one holder, which may have lost it without having heard."""

    def __init__(self) -> None:
        self.holder: SimulatedLock | None = None


class SimulatedLock:
    """The leader lock as one process sees it; a dead process does nothing."""

    def __init__(self, server: LockServer, dead: Callable[[], bool]) -> None:
        self._server = server
        self._dead = dead
        self._lost = asyncio.Event()
        self.last_seen = -inf

    async def acquire(self) -> None:
        while self._server.holder is not None:  # noqa: ASYNC110  as with a database
            await asyncio.sleep(LOCK_POLL_SECONDS)
        if not self._dead():
            self._server.holder = self
            self._lost.clear()

    async def lost(self) -> None:
        await self._lost.wait()

    async def release(self) -> None:
        if not self._dead():
            self.free()

    def free(self) -> None:
        """Frees the lock if this process has it; the process does not hear of that."""
        if self._server.holder is self:
            self._server.holder = None

    def hear(self) -> None:
        """The process hears that it has lost the lock."""
        if self._server.holder is not self:
            self._lost.set()


class SimulatedNotifications(RedisNotifications):
    """What a process tells the others; `send` delivers it or loses it."""

    def __init__(self, send: Callable[[UUID], None]) -> None:
        self._send = send

    @property
    def alive(self) -> bool:
        return True

    def notify(self, stream: UUID) -> None:
        self._send(stream)

    async def run(self) -> None:
        await asyncio.Event().wait()
