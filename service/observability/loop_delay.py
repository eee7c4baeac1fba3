"""How far the event loop is behind: by so much every answer comes later."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from math import exp

BEAT_SECONDS = 0.05
"""Interval at which the loop is looked at."""

MEMORY_SECONDS = 2.0
"""For how long a delay counts: one long step of the loop is no overload, many are."""


class LoopDelay:
    """Measures the delay; `seconds` is what it has been lately, as an average over time."""

    def __init__(self) -> None:
        self.seconds = 0.0

    @asynccontextmanager
    async def measured(self, observe: Callable[[float], None]) -> AsyncIterator[None]:
        """Measures within the block, and reports each measurement."""
        measuring = asyncio.create_task(self._measure(observe))
        try:
            yield
        finally:
            measuring.cancel()

    async def _measure(self, observe: Callable[[float], None]) -> None:
        now = asyncio.get_running_loop().time
        while True:
            due = now() + BEAT_SECONDS
            await asyncio.sleep(BEAT_SECONDS)
            late = max(0.0, now() - due)
            share = 1 - exp(-(late + BEAT_SECONDS) / MEMORY_SECONDS)
            self.seconds += share * (late - self.seconds)
            observe(late)
