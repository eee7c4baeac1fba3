"""Scheduler: reports deadlines to the match service when they fall due. It stores nothing."""

import asyncio
import heapq
from collections.abc import Awaitable, Callable, Iterable
from uuid import UUID

from service.clock import Clock
from service.observability import logs
from service.observability.instrumentation import NO_INSTRUMENTATION, Instrumentation

RETRY = 1_000_000
"""Pause in microseconds before a deadline whose report failed is reported again."""

SLACK = 64
"""Maximum number of outdated heap entries, besides as many as there are deadlines in force."""


class Scheduler:
    """Has the deadline of each match in memory and calls `report` once it has passed.

    After a restart the leader arms all deadlines again from the record.
    """

    def __init__(
        self,
        clock: Clock,
        report: Callable[[UUID], Awaitable[None]],
        instrumentation: Instrumentation = NO_INSTRUMENTATION,
    ) -> None:
        self._clock = clock
        self._instrumentation = instrumentation
        self.report = report
        self._due: dict[UUID, int] = {}
        self._heap: list[tuple[int, UUID]] = []
        self._changed = asyncio.Event()
        self._reports: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        """The number of deadlines in force."""
        return len(self._due)

    def arm(self, match: UUID, due: int | None) -> None:
        """Sets the match's deadline to `due`, or to none."""
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
        """Sets the deadlines of several matches."""
        for match, due in deadlines:
            self.arm(match, due)

    async def run(self) -> None:
        """Reports deadlines for as long as this instance leads; then another reports them."""
        try:
            await self._report_all()
        finally:
            self._due.clear()
            self._heap.clear()

    async def _report_all(self) -> None:
        while True:
            self._changed.clear()
            now = self._clock.now()
            for match, due in self._pop_due(now):
                task = asyncio.create_task(self._fire(match, due))
                self._reports.add(task)
                task.add_done_callback(self._reports.discard)
            wake_at = self._heap[0][0] if self._heap else now + 3_600_000_000
            await self._clock.wait_until(wake_at, self._changed)

    def _pop_due(self, now: int) -> list[tuple[UUID, int]]:
        due_now = []
        while self._heap and self._heap[0][0] <= now:
            due, match = heapq.heappop(self._heap)
            if self._due.get(match) == due:
                del self._due[match]
                due_now.append((match, due))
        return due_now

    async def _fire(self, match: UUID, due: int) -> None:
        began = self._clock.now()
        try:
            await self.report(match)
            self._instrumentation.deadline_reported((began - due) / 1e6)
        except Exception as error:  # noqa: BLE001  the deadline stays due, so it is tried again
            if match not in self._due:
                self.arm(match, self._clock.now() + RETRY)
            logs.failure("deadline_not_reported", error, match=str(match))
