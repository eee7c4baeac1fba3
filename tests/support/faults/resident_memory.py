"""How much memory a process has, as the kernel counts it."""

import asyncio
import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

EVERY = 0.05
_KIB = 1024


class Resident:
    """The memory of a process over time, in bytes; `peak` is the most that was seen while it was
    `watched`, since it was last set."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self.peak = 0

    def now(self) -> int:
        """What it has now, all that it shares with others included."""
        told = Path(f"/proc/{self._pid}/status").read_text()
        found = re.search(r"^VmRSS:\s+(\d+) kB$", told, re.MULTILINE)
        assert found is not None, told
        return int(found[1]) * _KIB

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        """Looks again and again until this is left."""
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
        """For how many seconds it has kept a core busy."""
        fields = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
