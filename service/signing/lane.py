"""Lane: one thread for one kind of evidence, so that no other kind waits for it."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from typing import ParamSpec, TypeVar

from eventsourcing.persistence import PersistenceError

from service.event_store.errors import StoreUnavailable
from service.observability import logs

P = ParamSpec("P")
T = TypeVar("T")


class Lane:
    """A thread, and the turn to use it; turns are given in the order of arrival."""

    def __init__(self, name: str) -> None:
        self._turn = asyncio.Semaphore(1)
        self._thread = ThreadPoolExecutor(1, name)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """The context has the lane to itself."""
        async with self._turn:
            yield

    async def run(self, do: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Calls a blocking function in the lane's thread, which `close` waits for. Raises
        StoreUnavailable if the store fails."""
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._thread, partial(do, *args, **kwargs))
        except (PersistenceError, sqlite3.Error) as error:
            logs.failure("store_failed", error)
            raise StoreUnavailable(error) from error

    def close(self) -> None:
        """Waits for the call under way, if any. Blocks."""
        self._thread.shutdown()
