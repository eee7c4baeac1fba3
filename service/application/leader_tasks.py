"""The tasks that one instance does for all on its store: deadlines, settlements, signatures,
notices, and the scrub."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any
from uuid import UUID

from service.application.heartbeat import Presence
from service.application.key_records import KeyRecords
from service.application.scheduler import Scheduler
from service.application.settlement import Settlement
from service.checking.scrub import Scrub
from service.clock import Clock
from service.event_store.errors import StoreUnavailable
from service.event_store.store_threads import in_store_thread
from service.notices.log_reader import NoticeReader
from service.notices.sender import Sender
from service.notices.webhook_table import WebhookTable
from service.observability import logs
from service.read_models.index import FarBehind, Index
from service.signing.notary import Notary

RETRY_SECONDS = 1.0

KEYS_SECONDS, LAPSES_SECONDS, NOTICES_SECONDS, FORGET_SECONDS = 1.0, 5.0, 1.0, 3600.0
"""Pauses between two looks at keys that were changed, at rulings that have lapsed, at the log for
notices, and at notices sent long ago. They are the same whatever happens, so the delay of a notice
does not tell its receiver how much else there was."""

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
        lapse: Callable[[UUID], Awaitable[None]],
        notices: NoticeReader,
        sender: Sender,
        webhooks: WebhookTable,
        *,
        shared: bool,
    ) -> None:
        """`move` lets a match have its deadline moved, if an absence is not on its record yet;
        `lapse` records what has lapsed in a tournament."""
        self._index = index
        self._scheduler = scheduler
        self._settlement = settlement
        self._notary = notary
        self._clock = clock
        self._presence = presence
        self._move = move
        self._scrub = scrub
        self._key_records = key_records
        self._lapse = lapse
        self._notices = notices
        self._sender = sender
        self._webhooks = webhooks
        self._shared = shared

    def start(self) -> Sequence[Coroutine[Any, Any, None]]:
        """All tasks, to be run side by side; each runs until it is cancelled."""
        self._key_records.begin()
        return (
            repeated(RETRY_SECONDS, self._move_deadlines),
            self._report_deadlines(),
            self._follow_log(),
            self._settlement.run(),
            self._notary.run(),
            repeated(KEYS_SECONDS, self._key_records.follow),
            repeated(LAPSES_SECONDS, self.record_lapses),
            repeated(NOTICES_SECONDS, self._follow_notices),
            repeated(FORGET_SECONDS, self._forget_notices),
            self._sender.run(),
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
        upto = self._presence.unmoved
        if upto is not None and await self._all_moved():
            await in_store_thread(self._presence.moved, upto)

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

    async def record_lapses(self) -> None:
        """Records the pending corrections of all tournaments that have lapsed, each at its instant.
        A tournament that is changed meanwhile records its own first."""

        def due() -> Sequence[UUID]:
            self._index.follow()
            return self._index.lapsing(self._clock.now())

        for tournament in await in_store_thread(due):
            await self._lapse(tournament)

    async def _follow_notices(self) -> None:
        """Addresses to webhooks what is new."""
        await in_store_thread(self._notices.follow)

    async def _forget_notices(self) -> None:
        """Forgets what was sent long ago."""
        await in_store_thread(self._webhooks.forget, self._clock.now())

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


async def repeated(seconds: float, step: Callable[[], Awaitable[None]]) -> None:
    """Takes a step again and again, with this pause. What fails is tried again."""
    while True:
        try:
            await step()
        except (StoreUnavailable, FarBehind):
            pass  # Reported where it was found.
        except Exception as error:  # noqa: BLE001  see above
            logs.failure("not_done", error, what=step.__qualname__)
        await asyncio.sleep(seconds)
