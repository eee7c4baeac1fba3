"""The tasks that one instance does for all on its store: deadlines, settlements, signatures,
notices, and the scrub."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any
from uuid import UUID

from service.application.correction_lapses import CorrectionLapses
from service.application.heartbeat import Presence
from service.application.key_records import KeyRecords
from service.application.scheduler import Scheduler
from service.application.settlement import Settlement
from service.checking.scrub import Scrub
from service.clock import Clock
from service.event_store.errors import StoreUnavailable
from service.event_store.store_threads import in_store_thread
from service.notices.notice_tasks import NoticeTasks
from service.observability import logs
from service.read_models.index import Index
from service.signing.notary import Notary

RETRY_SECONDS = 1.0

POLL_SECONDS_SINGLE, POLL_SECONDS_SHARED = 5.0, 0.5
"""Pause between two readings of the log into the index. The index is where the leader finds the
deadlines and the ended matches that other instances have recorded, and those whose commit the store
could not confirm."""

AT_ONCE = 64
"""Maximum number of matches that are read and moved at the same time."""

AHEAD_MICROSECONDS = 2_000_000
"""How far ahead deadlines are read from the index. It spans several readings, so that deadlines set
by other instances are found before they fall due."""


class LeaderTasks:
    """The leader's tasks, started again each time an instance becomes the leader."""

    def __init__(
        self,
        index: Index,
        scheduler: Scheduler,
        settlement: Settlement,
        notary: Notary,
        clock: Clock,
        presence: Presence,
        move: Callable[[UUID], Awaitable[None]],
        scrub: Scrub | None,
        key_records: KeyRecords,
        lapses: CorrectionLapses,
        notices: NoticeTasks,
        *,
        shared: bool,
    ) -> None:
        """`move` lets a match have its deadline moved, if an absence is not on its record yet."""
        self._index = index
        self._scheduler = scheduler
        self._settlement = settlement
        self._notary = notary
        self._clock = clock
        self._presence = presence
        self._move = move
        self._scrub = scrub
        self._key_records = key_records
        self._lapses = lapses
        self._notices = notices
        self._shared = shared

    def start(self) -> Sequence[Coroutine[Any, Any, None]]:
        """All tasks, to be run side by side; each runs until it is cancelled."""
        return (
            self._move_deadlines(),
            self._report_deadlines(),
            self._follow_log(),
            self._settlement.run(),
            self._notary.run(),
            self._key_records.run(),
            self._lapses.run(),
            self._notices.follow_log(),
            self._notices.send(),
            self._notices.forget(),
            *(() if self._scrub is None else (self._scrub.run(),)),
        )

    async def _report_deadlines(self) -> None:
        """Arms all deadlines that the log knows, then reports each when it falls due."""
        deadlines = await self._deadlines(None)
        while deadlines is None:
            await asyncio.sleep(RETRY_SECONDS)
            deadlines = await self._deadlines(None)
        self._scheduler.arm_all(deadlines)
        try:
            await self._scheduler.run()
        finally:
            self._scheduler.clear()

    async def _move_deadlines(self) -> None:
        """After each absence moves all deadlines in force at once, so that everybody sees them.
        Each match does so by itself before anything in it is judged."""
        while True:
            upto = self._presence.unmoved
            if upto is not None and await self._all_moved():
                await self._note_moved(upto)
            await asyncio.sleep(RETRY_SECONDS)

    async def _all_moved(self) -> bool:
        """Whether every match with a deadline in force had it moved, or cannot be judged."""
        deadlines = await self._deadlines(None)
        if deadlines is None:
            return False
        for first in range(0, len(deadlines), AT_ONCE):
            some = deadlines[first : first + AT_ONCE]
            done = await asyncio.gather(
                *(self._move(match) for match, _ in some), return_exceptions=True
            )
            for (match, _), error in zip(some, done, strict=True):
                if isinstance(error, StoreUnavailable):
                    return False
                if error is not None:
                    logs.failure("deadline_not_moved", error, match=str(match))
        return True

    async def _note_moved(self, upto: int) -> None:
        try:
            await in_store_thread(self._presence.moved, upto)
        except Exception as error:  # noqa: BLE001  it is done again
            logs.failure("not_done", error, what="_note_moved")

    async def _follow_log(self) -> None:
        """Follows the log, and acts on events from other instances and on own events whose commit
        the store could not confirm."""
        while True:
            await asyncio.sleep(POLL_SECONDS_SHARED if self._shared else POLL_SECONDS_SINGLE)
            soon = await self._deadlines(self._clock.now() + AHEAD_MICROSECONDS)
            if soon is not None:
                self._scheduler.arm_all(soon)
                self._notary.match_ended()
                self._settlement.match_ended()

    async def _deadlines(self, before: int | None) -> list[tuple[UUID, int]] | None:
        """All recorded deadlines in force that fall due before an instant; None if the store does
        not answer."""

        def read() -> list[tuple[UUID, int]]:
            self._index.follow()
            return self._index.deadlines(before)

        try:
            return await in_store_thread(read)
        except StoreUnavailable:
            return None
        except Exception as error:  # noqa: BLE001  it is tried again
            logs.failure("log_not_followed", error)
            return None
