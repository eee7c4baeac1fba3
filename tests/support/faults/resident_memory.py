"""The memory of a process, as the kernel counts it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psutil  # type: ignore[import-untyped]

EVERY = 0.05


class Resident:
    """The memory of a process over time, in bytes; `peak` is the maximum seen while it was
    `watched`, since it was last set."""

    def __init__(self, pid: int) -> None:
        self._process = psutil.Process(pid)
        self.peak = 0

    def now(self) -> int:
        """Its present memory, including what it shares with others."""
        return int(self._process.memory_info().rss)

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        """Looks repeatedly until the context exits."""
        watching = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            watching.cancel()

    async def _watch(self) -> None:
        while True:
            self.peak = max(self.peak, self.now())
            await asyncio.sleep(EVERY)

    def busy(self) -> float:
        """Seconds of CPU time it has used."""
        return float(sum(self._process.cpu_times()[:2]))
