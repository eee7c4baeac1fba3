"""Commits rows, one transaction after another."""

import asyncio
from collections.abc import Sequence
from functools import partial
from time import perf_counter
from typing import Any

from eventsourcing.persistence import IntegrityError

from service.application.matches.writer import Writer
from service.event_store.errors import ConcurrencyConflict, StoreUnavailable
from service.event_store.recorder import Length, Row
from service.event_store.store import Store
from service.event_store.store_threads import READ_SECONDS
from service.observability import logs
from service.observability.arrival import seconds_since_arrival

ANSWER_SECONDS = 9.0
"""Seconds after which a command is answered all the same: if it was decided, it is unknown whether
it is on record."""


class Commits:
    """All commits of one instance, in order, by the thread of its `writer`."""

    def __init__(self, store: Store, writer: Writer) -> None:
        self._store = store
        self._writer = writer
        self._ended = asyncio.Event()

    def check(self) -> None:
        """Raises StoreUnavailable when nothing is recorded any more."""
        if self._ended.is_set():
            raise StoreUnavailable
        if self._store.is_damaged():
            raise StoreUnavailable(fault="corrupt")

    async def append(self, rows: Sequence[Row], digests: Sequence[Row] = ()) -> None:
        """Records rows that belong to no match, in order with all others; `digests` are those of
        their streams.

        Raises ConcurrencyConflict if another writer was first, or StoreUnavailable; then it is
        unknown whether they are on record.
        """
        self.check()
        try:
            await self._wait_for(self.begin(rows, (), digests, 1))
        except IntegrityError:
            raise ConcurrencyConflict from None
        except Exception as error:
            logs.failure("store_failed", error)
            raise StoreUnavailable(error) from error

    def begin(
        self,
        rows: Sequence[Row],
        unchanged: Sequence[Length],
        digests: Sequence[Row],
        commands: int,
    ) -> asyncio.Future[None]:
        """Passes to the writer's thread what so many commands gave; streams in `unchanged` must not
        have grown."""
        return self._writer.submit(partial(self._commit, rows, unchanged, digests, commands))

    def end(self) -> None:
        """Records nothing any more, and waits for no commit under way."""
        self._ended.set()

    def close(self) -> None:
        """Waits for the transaction under way, if any. Blocks."""
        self._writer.close()

    async def _wait_for(self, commit: asyncio.Future[None]) -> None:
        """Waits for the commit. Raises StoreUnavailable if the service ends first, or it takes too
        long."""
        end = asyncio.ensure_future(self._ended.wait())
        try:
            either: set[asyncio.Future[Any]] = {commit, end}
            await asyncio.wait(either, timeout=ANSWER_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        finally:
            end.cancel()
        if not commit.done():
            commit.add_done_callback(_ignore_result)
            raise StoreUnavailable
        await commit

    def _commit(
        self,
        rows: Sequence[Row],
        unchanged: Sequence[Length],
        digests: Sequence[Row],
        commands: int,
    ) -> None:
        """Records rows and measures the time it takes. Blocks."""
        began = perf_counter()
        self._store.append(rows, unchanged, digests)
        if rows:
            self._store.instrumentation.committed(len(rows), commands, perf_counter() - began)


def _ignore_result(commit: asyncio.Future[None]) -> None:
    """Marks the commit's error as seen: no one waits for it any more."""
    if not commit.cancelled():
        commit.exception()


def seconds_left() -> float:
    """Until the sender of a command is answered, who may have waited for a read before."""
    return ANSWER_SECONDS - min(READ_SECONDS, ANSWER_SECONDS, seconds_since_arrival())
