"""Threads that read a store, with a time limit and a bounded queue."""

import asyncio
import os
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import ContextVar
from math import inf
from typing import Any, ParamSpec, TypeVar

from eventsourcing.persistence import PersistenceError

from service.event_store.errors import StoreUnavailable
from service.observability import logs
from service.observability.store_faults import Fault

FINISH_SECONDS = 5.0
"""Maximum seconds to wait for running reads before the store is closed."""

READ_SECONDS = 5.0
"""Maximum seconds for a read; after that the store counts as unavailable."""

READER_THREADS = min(32, (os.cpu_count() or 1) + 4)

MAX_QUEUED_READS = 16_384
"""Maximum reads in the queue."""

SIDE_THREADS, MAX_QUEUED_SIDE_READS = 2, 256
"""The same for tables next to the log and its lists."""


class StoreSilent(logs.OperatorError):
    """The store has not answered in time."""

    store_fault: Fault = "down"


P = ParamSpec("P")
T = TypeVar("T")


class StatementLimit(threading.local):
    """Maximum seconds for a statement of this thread."""

    seconds: float = inf


statement_limit = StatementLimit()


def _limit_statements() -> None:
    statement_limit.seconds = READ_SECONDS


class StoreThreads(ThreadPoolExecutor):
    """The threads that read a store. At most `max_queued` reads wait for one. None is held by a
    statement for which no one waits any more."""

    def __init__(
        self, name: str, max_queued: int = MAX_QUEUED_READS, threads: int = READER_THREADS
    ) -> None:
        super().__init__(threads, name, _limit_statements)
        self._max_queued = max_queued

    @property
    def full(self) -> bool:
        """Whether the queue is full. A read that timed out counts until a thread skips it."""
        return self._work_queue.qsize() >= self._max_queued


_readers = StoreThreads("store")
_side_readers = StoreThreads("side", MAX_QUEUED_SIDE_READS, SIDE_THREADS)

current_threads: ContextVar[StoreThreads] = ContextVar("readers", default=_readers)
"""The threads of this process; each simulated process has its own."""

_running: set[Future[Any]] = set()


def finish_store_threads() -> None:
    """Waits for running reads, also for those that timed out, before the store closes. Blocks."""
    wait(_running.copy(), FINISH_SECONDS)


async def in_store_thread(read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Runs a blocking read of the store in a thread. Raises StoreUnavailable if it fails, takes too
    long, or the queue is full; a read that takes too long still runs to its end."""
    return await _in_thread(current_threads.get(), read, *args, **kwargs)


async def in_side_thread(read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The same for webhooks and calendars: if someone has locked their tables, the threads by
    which everything else is read stay free."""
    return await _in_thread(_side_readers, read, *args, **kwargs)


async def _in_thread(
    threads: StoreThreads, read: Callable[P, T], *args: P.args, **kwargs: P.kwargs
) -> T:
    if threads.full:
        raise StoreUnavailable
    running = threads.submit(read, *args, **kwargs)
    _running.add(running)
    running.add_done_callback(_running.discard)
    try:
        async with asyncio.timeout(READ_SECONDS):
            return await asyncio.wrap_future(running)
    except TimeoutError:
        silent = StoreSilent(f"no answer in {READ_SECONDS:g} s")
        logs.failure("store_failed", silent)
        raise StoreUnavailable(silent) from None
    except (PersistenceError, sqlite3.Error) as error:
        logs.failure("store_failed", error)
        raise StoreUnavailable(error) from error
