"""The scheduler: reports deadlines to the door when they pass; it keeps nothing of its own."""

import asyncio
import heapq
from collections.abc import Awaitable, Callable, Iterable
from uuid import UUID

from service import logs
from service.clock import Clock
from service.watcher import NOBODY, Watcher

RETRY = 1_000_000
"""How long, in microseconds, before a deadline the store could not take is reported again."""

SLACK = 64
"""So many deadlines that are not in force any more may be kept, beside as many as are."""


class Scheduler:
    """Knows when each match's deadline falls due and reports it once that has passed.

    What it forgets at a crash it is told again from the record when the service starts.
    """

    def __init__(
        self,
        clock: Clock,
        report: Callable[[UUID], Awaitable[None]],
        watcher: Watcher = NOBODY,
    ) -> None:
        self._clock = clock
        self._watcher = watcher
        self._report = report
        self._due: dict[UUID, int] = {}
        self._heap: list[tuple[int, UUID]] = []
        self._changed = asyncio.Event()
        self._reports: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        """How many deadlines are in force."""
        return len(self._due)

    def arm(self, match: UUID, due: int | None) -> None:
        """From now on the match's deadline is `due`, or none."""
        if due is None:
            self._due.pop(match, None)
        elif self._due.get(match) != due:
            self._due[match] = due
            heapq.heappush(self._heap, (due, match))
            if len(self._heap) > 2 * len(self._due) + SLACK:
                self._heap = [(instant, armed) for armed, instant in self._due.items()]
                heapq.heapify(self._heap)
            if self._heap[0] == (due, match):
                self._changed.set()

    def arm_all(self, deadlines: Iterable[tuple[UUID, int]]) -> None:
        """The deadlines in force when the service starts."""
        for match, due in deadlines:
            self.arm(match, due)

    def forget(self) -> None:
        """No deadline is reported any more; another instance does that."""
        self._due.clear()
        self._heap.clear()

    async def run(self) -> None:
        """Reports deadlines for as long as the service runs."""
        while True:
            self._changed.clear()
            now = self._clock.now()
            for match, due in self._take(now):
                task = asyncio.create_task(self._fire(match, due))
                self._reports.add(task)
                task.add_done_callback(self._reports.discard)
            wake_at = self._heap[0][0] if self._heap else now + 3_600_000_000
            await self._clock.wait_until(wake_at, self._changed)

    def _take(self, now: int) -> list[tuple[UUID, int]]:
        taken = []
        while self._heap and self._heap[0][0] <= now:
            due, match = heapq.heappop(self._heap)
            if self._due.get(match) == due:
                del self._due[match]
                taken.append((match, due))
        return taken

    async def _fire(self, match: UUID, due: int) -> None:
        began = self._clock.now()
        try:
            await self._report(match)
            seconds = (self._clock.now() - began) / 1e6
            self._watcher.deadline_reported((began - due) / 1e6, seconds)
        except Exception as error:  # noqa: BLE001  whatever the trouble, the deadline stays due
            if match not in self._due:
                self.arm(match, self._clock.now() + RETRY)
            logs.failed("deadline_not_reported", error, match=str(match))
