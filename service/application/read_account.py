"""The account of reads: who has read what of a match, beside the log and never in it.

A read of what is hidden is on disk before it is answered; what many such reads wait for at the same
time is one transaction. All other reads are written together at intervals, one row a reader.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from uuid import UUID

from service.event_store.errors import StoreUnavailable
from service.event_store.reads import EVERYTHING, Read, ReadTable
from service.event_store.store_threads import in_store_thread
from service.observability import logs

BATCH_SECONDS = 1.0
"""Seconds between two writes of what need not be on disk at once: what a crash may lose, as long as
the store can be written."""

_Key = tuple[str, str, str, bool]


class ReadAccount:
    """The account of one instance. `run` writes it."""

    def __init__(self, table: ReadTable) -> None:
        self._table = table
        self._noted: dict[_Key, Read] = {}
        self._going_on: list[Callable[[], Read]] = []
        self._urgent: list[tuple[Read, asyncio.Future[None]]] = []
        self._work = asyncio.Event()
        self._batch_due = False
        self._writing = 0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def waiting(self) -> int:
        """The number of rows that are not written yet."""
        return len(self._noted) + len(self._going_on) + len(self._urgent) + self._writing

    async def add(self, read: Read) -> None:
        """Accounts for a read: it is on disk when this returns if it is one of hidden things, and
        soon otherwise. Raises StoreUnavailable if it cannot be written: then it must not be
        answered."""
        if not read.hidden:
            self.note(read)
            return
        written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._urgent.append((read, written))
        self._work.set()
        await written

    def note(self, read: Read) -> None:
        """Accounts for a read that is written with the next batch."""
        before = self._noted.get(read.key)
        self._noted[read.key] = read if before is None else before.joined(read)
        self._write_soon()

    def note_later(self, read: Callable[[], Read]) -> None:
        """Accounts for a read that goes on: what it is by then is asked for when the next batch is
        written."""
        self._going_on.append(read)
        self._write_soon()

    def _write_soon(self) -> None:
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(BATCH_SECONDS, self._plan_batch)

    async def of_match(self, match_id: UUID, after: int = 0, limit: int = EVERYTHING) -> list[Read]:
        """The reads of a match in the order in which they began, those of this instance up to now.
        Raises StoreUnavailable."""
        await self._write_noted()
        return await in_store_thread(self._table.of_match, match_id, after, limit)

    async def hidden(self, matches: Sequence[str]) -> list[Read]:
        """The reads of what was hidden, of these matches. Raises StoreUnavailable."""
        return await in_store_thread(self._table.hidden, matches) if matches else []

    async def run(self) -> None:
        """Writes for as long as the service runs."""
        try:
            while True:
                await self._work.wait()
                self._work.clear()
                await self._write_urgent()
                if self._batch_due:
                    await self._try_to_write_noted()
        finally:
            _fail(self._urgent, StoreUnavailable())

    def close(self) -> None:
        """Writes what was noted, if the store accepts it, and closes the table. Blocks."""
        if self._timer is not None:
            self._timer.cancel()
        try:
            if noted := self._take_noted():
                self._table.add(noted)
        except Exception as error:  # noqa: BLE001  the account lacks them, and nothing else fails
            logs.failure("reads_not_written", error)
        self._table.close()

    def _plan_batch(self) -> None:
        self._timer, self._batch_due = None, True
        self._work.set()

    async def _write_urgent(self) -> None:
        """Writes what requests wait for, all in one transaction."""
        waiting, self._urgent = self._urgent, []
        if not waiting:
            return
        try:
            await in_store_thread(self._table.add, _joined(read for read, _ in waiting))
        except asyncio.CancelledError:
            _fail(waiting, StoreUnavailable())
            raise
        except Exception as error:  # noqa: BLE001  whoever waits is told
            _fail(waiting, error)
            return
        for _, written in waiting:
            if not written.done():
                written.set_result(None)

    async def _try_to_write_noted(self) -> None:
        self._batch_due = False
        try:
            await self._write_noted()
        except StoreUnavailable:
            # The failure has been logged; it is tried again with the next batch.
            return
        except Exception as error:  # noqa: BLE001  whoever reads is served all the same
            logs.failure("reads_not_written", error)

    def _take_noted(self) -> list[Read]:
        """What was noted and is not written yet, one read for each row."""
        going_on, self._going_on = self._going_on, []
        noted, self._noted = self._noted, {}
        return _joined([*noted.values(), *(read() for read in going_on)])

    async def _write_noted(self) -> None:
        """Writes what was noted until now; after an error it is noted again."""
        noted = self._take_noted()
        if not noted:
            return
        self._writing += len(noted)
        try:
            await in_store_thread(self._table.add, noted)
        except BaseException:
            for read in noted:
                self.note(read)
            raise
        finally:
            self._writing -= len(noted)


def _joined(reads: Iterable[Read]) -> list[Read]:
    """The reads with those of one row joined."""
    rows: dict[_Key, Read] = {}
    for read in reads:
        before = rows.get(read.key)
        rows[read.key] = read if before is None else before.joined(read)
    return list(rows.values())


def _fail(waiting: Iterable[tuple[Read, "asyncio.Future[None]"]], error: Exception) -> None:
    for _, written in waiting:
        if not written.done():
            written.set_exception(error)
