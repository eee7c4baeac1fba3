"""How far the event loop is behind: by so much every answer comes later."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

BEAT_SECONDS = 0.05
"""Interval at which the loop is looked at."""

FADING = 0.8
"""What is left of a delay at the next look, if the loop is not behind any more."""


class LoopDelay:
    """Measures the delay; `seconds` is the longest one lately."""

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
            self.seconds = max(late, FADING * self.seconds)
            observe(late)
