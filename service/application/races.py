"""Races between writers: what loses one is read and decided again."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

from service.event_store.errors import ConcurrencyConflict, StoreUnavailable

T = TypeVar("T")

MOST_TRIES = 12
PAUSE_SECONDS = 0.002
"""Pause after a lost race. It is random and grows each time: two instances that retry at once would
collide again."""


async def retried(attempt: Callable[[], Awaitable[T]]) -> T:
    """Tries until no other writer is first. Raises StoreUnavailable if one always is."""
    for lost in range(MOST_TRIES):
        if lost:
            await asyncio.sleep(lost * PAUSE_SECONDS * random.random())  # noqa: S311  a pause is no secret
        try:
            return await attempt()
        except ConcurrencyConflict:
            continue
    raise StoreUnavailable
