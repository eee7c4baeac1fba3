"""Waits for a condition that no one reports: it is polled, and must come true."""

import asyncio
import time
from collections.abc import Awaitable, Callable

PATIENCE = 20.0
"""Seconds after which what was waited for has failed."""
PACE = 0.01


def wait_until(
    condition: Callable[[], bool],
    patience: float = PATIENCE,
    failure: Callable[[], object] = lambda: "waited in vain",
) -> None:
    """Returns when it is true. Blocks."""
    give_up = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < give_up, failure()
        time.sleep(PACE)


async def until(
    condition: Callable[[], bool | Awaitable[bool]], patience: float = PATIENCE
) -> None:
    """Returns when it is true, and lets other tasks run meanwhile."""
    async with asyncio.timeout(patience):
        while True:
            answer = condition()
            if answer if isinstance(answer, bool) else await answer:
                return
            await asyncio.sleep(PACE)


async def woken(event: asyncio.Event) -> None:
    """Returns when it is set, and clears it."""
    async with asyncio.timeout(PATIENCE):
        await event.wait()
    event.clear()
