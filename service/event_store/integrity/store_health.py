"""Whether the store can be reached and written, whether its pages are sound, and the room on its
disk: looked at every few seconds, and at once when something has failed."""

import asyncio
import math
import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from time import monotonic

from service.event_store.database import SQLiteDatabase
from service.event_store.properties import TABLE, TABLES, UPSERT
from service.event_store.sqlite.disk_room import DiskLimits, DiskRoom, disk_room
from service.event_store.store import Store
from service.event_store.store_threads import StoreSilent
from service.observability import logs
from service.observability.readiness import CheckValue
from service.observability.store_faults import UNWRITABLE, Fault, Outages, worst

LOOK_SECONDS = 5.0
"""Interval at which the store is written while nothing fails."""

LOOK_AGAIN_SECONDS = 0.5
"""The same during an outage, and the least time between two looks."""

SILENT_SECONDS = 2.0
"""Time limit for a look; the store counts as down after that."""

CHECK_AGAIN_REST = 10
"""The pause between two checks of pages that were found damaged, in multiples of the time that the
last one took."""

CHECK_WAIT_SECONDS = 1.0
"""How long a start waits for the check of the pages, which goes on in a thread."""


CHECK_SECONDS = 60.0
"""Time limit for that check. It reads the whole file; a larger one is checked in part, and the log
says so."""

STEPS = 10_000
"""After how many steps of SQLite it is looked whether that time is over."""

PROBE = "probe"
"""The name of the property that is written to know whether the store can be written."""

ROOM_BYTES = 256 * 1024
"""Bytes that must fit into the store again before it counts as writable after a failed write. A few
more may still fit into a file that has no room for a match."""


class DamagedPages(logs.OperatorError):
    """The file has pages that SQLite cannot use."""

    store_fault: Fault = "corrupt"


def check_pages(path: str, seconds: float = CHECK_SECONDS) -> bool:
    """Checks the structure of every table with `PRAGMA quick_check`, and returns whether it came to
    the end in time. Others read and write meanwhile. Blocks.

    Raises DamagedPages, or the errors of SQLite.
    """
    late = monotonic() + seconds
    with closing(sqlite3.connect(path)) as connection:
        connection.set_progress_handler(lambda: monotonic() > late, STEPS)
        try:
            ((verdict,),) = connection.execute("PRAGMA quick_check(1)").fetchall()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
                raise
            return False
    if verdict != "ok":
        raise DamagedPages(f"{path}: {verdict}")
    return True


class ProbedFile(SQLiteDatabase):
    """The embedded store on a connection that syncs each commit, as the log's own does, keeps one
    page in memory, so that each write reads from the file, too, and leaves checkpoints to the
    others."""

    def __init__(self, path: str) -> None:
        super().__init__(path, durable=True)
        self._db.execute("PRAGMA cache_size=1")
        self._db.execute("PRAGMA wal_autocheckpoint=0")


class StoreProbe:
    """Finds out whether a store can be written, and whether the log would take a record, which is
    tried and taken back. All methods block, and any thread may call them."""

    def __init__(self, store: Store) -> None:
        """Raises NotMigrated if the table is missing and the settings forbid to make it."""
        self._recorder = store.recorder
        self._db = store.open_database(TABLES, (TABLE,), ProbedFile)
        self.close = self._db.close

    def write(self, *, room: bool = False) -> None:
        """Writes and commits; with `room`, `ROOM_BYTES` first. Raises the database's errors, and
        those with which the log refuses what it should take."""
        self._recorder.rehearse()
        for size in (ROOM_BYTES, 8) if room else (8,):
            # A statement without a transaction around it: no instance that hangs holds a lock.
            self._db.select(f"{UPSERT} RETURNING name", (PROBE, os.urandom(size)))


class EmbeddedFile:
    """The file of an embedded store: its path, its folder, and the limits of
    its disk."""

    def __init__(self, path: str, limits: DiskLimits) -> None:
        self.path = path
        self.folder = str(Path(path).parent)
        self.limits = limits


class StoreHealth:
    """The health of one store. `file` is given for an embedded one.

    `worked` is set, and replaced, whenever a look finds that the store can be read and written.
    Damaged pages of an embedded store count as damaged until a check of all finds nothing: SQLite
    calls a page damaged, too, that the disk did not return. Those of other stores count so until
    the process is started again.
    """

    def __init__(
        self, probe: StoreProbe, outages: Outages, file: EmbeddedFile | None = None
    ) -> None:
        self._probe = probe
        self.outages = outages
        self._file = file
        self._looking: asyncio.Future[None] | None = None
        self._down = False
        self._check_after = 0.0
        self._soon = asyncio.Event()
        self._checking: asyncio.Task[None] | None = None
        self.worked = asyncio.Event()
        self._looked = asyncio.Event()
        self.room: DiskRoom | None = None

    @property
    def fault(self) -> Fault | None:
        """What has failed, and has not been found to work since. Whether the store is down looks
        alone decide. A disk with little room, where writes still succeed, is no fault."""
        failing: set[Fault] = {fault for fault in self.outages.failing if fault != "down"}
        return worst(failing) or ("down" if self._down else None)

    @property
    def value(self) -> CheckValue:
        """How the store is, as `/readyz` shows it."""
        fault = self.fault
        if fault is None and self._file is not None and self.room is not None:
            return self.room.value(self._file.limits)
        return fault or "up"

    @property
    def embedded(self) -> bool:
        """Whether the store is a file of this machine."""
        return self._file is not None

    @property
    def free(self) -> float:
        """Free bytes on the disk of an embedded store at the latest look; NaN before the first."""
        return math.nan if self.room is None else self.room.free

    async def begin(self) -> None:
        """Starts to count failures, and to check the pages of an embedded store."""
        loop = asyncio.get_running_loop()

        def failed() -> None:
            if not self._soon.is_set() and not loop.is_closed():
                loop.call_soon_threadsafe(self._soon.set)

        self.outages.start(failed)
        if self._file is not None:
            self._checking = asyncio.create_task(self._check(self._file.path, again=False))
            await asyncio.wait({self._checking}, timeout=CHECK_WAIT_SECONDS)

    async def run(self) -> None:
        """Looks at the store for as long as the service runs."""
        while True:
            self._soon.clear()
            await self._look()
            self._check_again()
            await asyncio.sleep(LOOK_AGAIN_SECONDS)
            if not self._down and not self.outages.folding:
                with suppress(TimeoutError):
                    async with asyncio.timeout(LOOK_SECONDS - LOOK_AGAIN_SECONDS):
                        await self._soon.wait()

    async def fails(self) -> bool:
        """Whether the store has a fault: at once if that is known, or else by the next look."""
        if self.fault is None:
            self._soon.set()
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_AGAIN_SECONDS + SILENT_SECONDS):
                    await self._looked.wait()
        return self.fault is not None

    def stop(self) -> None:
        """Ends what `begin` has started. The look under way, if any, goes on in its thread."""
        self.outages.start(None)
        if self._checking is not None:
            self._checking.cancel()
        if self._looking is not None:
            # The store closes under it: what it finds matters to no one.
            self._looking.add_done_callback(lambda look: look.cancelled() or look.exception())

    def close(self) -> None:
        """Closes the probe. Blocks."""
        self._probe.close()

    async def _look(self) -> None:
        """Writes to the store, and measures the room on its disk. While a write has not returned,
        no other begins."""
        if self._looking is None:
            self._looking = asyncio.ensure_future(asyncio.to_thread(self._write))
        finished_writes, _ = await asyncio.wait({self._looking}, timeout=SILENT_SECONDS)
        try:
            if not finished_writes:
                raise StoreSilent(f"no write in {SILENT_SECONDS:g} s")
            self._looking.result()
        except Exception as error:  # noqa: BLE001  whatever it is, the store cannot be written
            self._down = True
            logs.failure("store_failed", error)
        else:
            self._down = False
            self._works()
        finally:
            if finished_writes:
                self._looking = None
            event, self._looked = self._looked, asyncio.Event()
            event.set()

    def _write(self) -> None:
        if self._file is not None:
            self.room = disk_room(self._file.folder)
        self._probe.write(room=not UNWRITABLE.isdisjoint(self.outages.failing))

    def _works(self) -> None:
        for ended in self.outages.works():
            seconds, failures = ended.seconds, ended.failures
            logs.info("store_works_again", outage=ended.fault, seconds=seconds, failures=failures)
        worked, self.worked = self.worked, asyncio.Event()
        worked.set()

    def _check_again(self) -> None:
        """Checks damaged pages again, if it is time."""
        idle = self._checking is None or self._checking.done()
        damaged = "corrupt" in self.outages.failing
        if damaged and self._file is not None and idle and monotonic() >= self._check_after:
            self._checking = asyncio.create_task(self._check(self._file.path, again=True))

    async def _check(self, path: str, *, again: bool) -> None:
        """Checks the pages. What is wrong is logged once, and stays in `value` until a check of all
        pages finds nothing."""
        began, damaged = monotonic(), self.outages.failing.get("corrupt", 0)
        try:
            if not await asyncio.to_thread(check_pages, path):
                logs.info("store_checked_in_part")
            else:
                self.outages.mended(damaged)
        except Exception as error:  # noqa: BLE001  a file that cannot be checked is met again
            if not again:
                logs.failure("store_check_failed", error)
        self._check_after = monotonic() + CHECK_AGAIN_REST * (monotonic() - began)
