"""Errors of the event store and of its streams, and races between writers: what loses one is read
and decided again."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

from service.observability.store_faults import Fault, fault_of

PASSES: frozenset[Fault] = frozenset({"down", "full", "read_only"})
"""Faults with which what is on record can be read again as soon as the store answers."""


class StoreUnavailable(Exception):
    """The store did not answer, its queue is full, or it is not written because of a `fault`;
    nothing was acknowledged. `cause` is the store's own error, if there is one."""

    def __init__(self, cause: BaseException | None = None, fault: Fault = "down") -> None:
        super().__init__()
        self.store_fault: Fault = (None if cause is None else fault_of(cause)) or fault

    @property
    def passes(self) -> bool:
        """Whether a reader may hope that the store answers again."""
        return self.store_fault in PASSES


class ConcurrencyConflict(Exception):
    """Another writer was first: the events were decided on an older state."""


class UnknownMatch(LookupError):
    """No match has this id."""


class UnknownTournament(LookupError):
    """No tournament has this id."""


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
