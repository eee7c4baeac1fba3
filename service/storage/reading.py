"""How a store is read: in threads of its own, for a limited time, by so many at once."""

import asyncio
import os
import sqlite3
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeVar

from eventsourcing.persistence import PersistenceError

from service import logs

FINISH_SECONDS = 5.0

READ_SECONDS = 5.0
"""Whoever reads a store that says nothing for so long is told that it is out of reach."""

READERS = min(32, (os.cpu_count() or 1) + 4)

MOST_READING = 1_024
"""So many wait for the threads of one store at most: half of the requests that the server takes at
once. Where there are several stores the other half is left for the others."""

ALONE_READING = 16_384
"""And so many for those of the only one, where nobody else is held up."""

P = ParamSpec("P")
T = TypeVar("T")


class StoreUnavailable(Exception):
    """The store did not answer, or too much is waiting; nothing was acknowledged."""


class Readers(ThreadPoolExecutor):
    """The threads that read a store, for which `most` may wait."""

    def __init__(self, name: str, most: int = MOST_READING) -> None:
        super().__init__(READERS, name)
        self._most = most

    @property
    def full(self) -> bool:
        """Whether so many wait that nobody else should: whoever has been given up counts until a
        thread is free that passes it over."""
        return self._work_queue.qsize() >= self._most


_readers = Readers("store", ALONE_READING)

readers: ContextVar[Readers | None] = ContextVar("readers", default=None)
"""The threads that read the store at hand, where there are several: one that does not answer must
not hold up those of another."""

_under_way: set[Future[Any]] = set()


def finish_reading() -> None:
    """Waits for those who read a store, who may have been given up already, before it is closed
    under them. Blocks."""
    wait(_under_way.copy(), FINISH_SECONDS)


async def from_store(do: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Does a blocking thing with the store in a thread. Raises StoreUnavailable if it fails, takes
    too long, or too many wait already: what has begun may still be done then."""
    threads = readers.get() or _readers
    if threads.full:
        raise StoreUnavailable
    reading = threads.submit(do, *args, **kwargs)
    _under_way.add(reading)
    reading.add_done_callback(_under_way.discard)
    try:
        async with asyncio.timeout(READ_SECONDS):
            return await asyncio.wrap_future(reading)
    except (PersistenceError, sqlite3.Error, TimeoutError) as error:
        logs.failed("store_failed", error)
        raise StoreUnavailable from error
