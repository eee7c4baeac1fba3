"""The leader: the one instance on a store that reports deadlines, settles and signs.

A leader avoids doing work twice; correctness does not depend on it. If two leaders did the same at
the same moment, the store would accept only one of them.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from math import inf
from time import monotonic
from typing import Any, Protocol

from service.observability import logs

CLOCK_SECONDS = 1.0
"""Interval at which the leader's clock is checked."""

UNLED_SECONDS = 10.0
"""No one leads when no one has shown it for so long; a change of leaders takes less."""

OFF = "this machine's clock differs from the database's: correct one of them"


class ClockOff(logs.OperatorError):
    """The clock is too far off for this instance to lead."""


class LeaderLock(Protocol):
    """A lock that at most one instance has at a time. `seen` is when another instance last showed
    that it has it, in monotonic seconds."""

    @property
    def last_seen(self) -> float: ...

    async def acquire(self) -> None:
        """Returns when this instance has the lock."""

    async def lost(self) -> None:
        """Returns when this instance has lost the lock."""

    async def release(self) -> None:
        """Releases the lock, so that another instance can acquire it at once."""


class SoleInstance:
    """The leader lock of the only instance on a store, which always has it."""

    last_seen = -inf

    async def acquire(self) -> None:
        return

    async def lost(self) -> None:
        await asyncio.Event().wait()

    async def release(self) -> None:
        return


class Leader:
    """Runs the tasks of the leader for as long as this instance has the lock and, where the
    database has a clock, this machine's `is_right`: the leader's clock ends the turns of all
    matches. `now` returns monotonic seconds."""

    def __init__(
        self,
        lock: LeaderLock,
        tasks: Callable[[], Sequence[Coroutine[Any, Any, None]]],
        is_right: Callable[[], Awaitable[bool]] | None = None,
        now: Callable[[], float] = monotonic,
    ) -> None:
        self._lock = lock
        self._start_tasks = tasks
        self._is_right = is_right
        self._now = now
        self._led = now()
        self.leads = False

    @property
    def somebody_leads(self) -> bool:
        """Whether an instance, here or elsewhere, leads, or has shown so not long ago. A new
        instance waits as long before it says that no one does."""
        last_sign = max(self._led, self._lock.last_seen)
        return self.leads or self._now() - last_sign < UNLED_SECONDS

    async def run(self) -> None:
        """Acquires the lock and runs the tasks, again and again. Raises what a task raises;
        RuntimeError if one ends."""
        try:
            while True:
                await self._acquire()
                await self._run_tasks()
        finally:
            await asyncio.shield(self._lock.release())

    async def _acquire(self) -> None:
        """Returns when this instance has the lock, and a right clock."""
        while True:
            if not await self._clock_is_right():
                logs.failure("lead_not_taken", ClockOff(OFF))
                while not await self._clock_is_right():  # noqa: ASYNC110  it has to be asked
                    await asyncio.sleep(CLOCK_SECONDS)
            await self._lock.acquire()
            # Acquiring may have taken long.
            if await self._clock_is_right():
                return
            await self._lock.release()

    async def _run_tasks(self) -> None:
        """Runs the tasks until the lock is lost, or released because the clock becomes wrong."""
        self.leads = True
        lost, wrong = map(asyncio.create_task, (self._lock.lost(), self._clock_becomes_wrong()))
        tasks = [asyncio.create_task(task) for task in self._start_tasks()]
        try:
            ended_tasks, _ = await asyncio.wait(
                [lost, wrong, *tasks], return_when=asyncio.FIRST_COMPLETED
            )
            for task in ended_tasks - {lost, wrong}:
                task.result()
                raise RuntimeError("a task of the leader ended")
            for end in ended_tasks:
                end.result()
            if lost not in ended_tasks:
                logs.failure("lead_given_up", ClockOff(OFF))
                await self._lock.release()
        finally:
            self.leads, self._led = False, self._now()
            for task in (lost, wrong, *tasks):
                task.cancel()
            await asyncio.gather(lost, wrong, *tasks, return_exceptions=True)

    async def _clock_is_right(self) -> bool:
        return self._is_right is None or await self._is_right()

    async def _clock_becomes_wrong(self) -> None:
        if self._is_right is None:
            await asyncio.Event().wait()
        while await self._clock_is_right():  # noqa: ASYNC110  as above
            await asyncio.sleep(CLOCK_SECONDS)
