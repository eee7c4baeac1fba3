"""The memory of a process, as the kernel counts it."""

import asyncio
import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

EVERY = 0.05
_KIB = 1024


class Resident:
    """The memory of a process over time, in bytes; `peak` is the maximum seen while it was
    `watched`, since it was last set."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self.peak = 0

    def now(self) -> int:
        """Its present memory, including what it shares with others."""
        status = Path(f"/proc/{self._pid}/status").read_text()
        found = re.search(r"^VmRSS:\s+(\d+) kB$", status, re.MULTILINE)
        assert found is not None, status
        return int(found[1]) * _KIB

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
        fields = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
