"""What one instance does for all on its store: deadlines and lapses. Other parts have their own."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from uuid import UUID

from service.application.announcer import Announcer
from service.application.heartbeat import Presence
from service.application.scheduler import Scheduler
from service.application.tournament_service import TournamentService
from service.clock import Clock
from service.event_store.errors import StoreUnavailable
from service.event_store.store_threads import in_store_thread
from service.observability import logs
from service.read_models.index import FarBehind, Index

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


class Deadlines:
    """The deadlines of all matches on a store."""

    def __init__(
        self,
        index: Index,
        scheduler: Scheduler,
        clock: Clock,
        presence: Presence,
        announcer: Announcer,
    ) -> None:
        self._index = index
        self._scheduler = scheduler
        self._clock = clock
        self._presence = presence
        self._announcer = announcer

    async def report(self) -> None:
        """Arms all deadlines that the log knows, then reports each when it falls due."""
        deadlines = await self._recorded(None)
        while deadlines is None:
            await asyncio.sleep(RETRY_SECONDS)
            deadlines = await self._recorded(None)
        self._scheduler.arm_all(deadlines)
        try:
            await self._scheduler.run()
        finally:
            self._scheduler.clear()

    async def move(self) -> None:
        """After each absence moves all deadlines in force at once, so that everybody sees them.
        Each match does so by itself before anything in it is judged."""
        upto = self._presence.unmoved
        if upto is not None and await self._all_moved():
            await in_store_thread(self._presence.moved, upto)

    async def follow_log(self, *, shared: bool) -> None:
        """Follows the log, and acts on events from other instances and on own events whose commit
        the store could not confirm."""
        while True:
            await asyncio.sleep(POLL_SECONDS_SHARED if shared else POLL_SECONDS_SINGLE)
            soon = await self._recorded(self._clock.now() + AHEAD_MICROSECONDS)
            if soon is not None:
                self._scheduler.arm_all(soon)
                self._announcer.over(True)

    async def _all_moved(self) -> bool:
        """Whether every match with a deadline in force had it moved, or cannot be judged."""
        deadlines = await self._recorded(None)
        if deadlines is None:
            return False
        for first in range(0, len(deadlines), AT_ONCE):
            some = deadlines[first : first + AT_ONCE]
            done = await asyncio.gather(
                *(self._scheduler.report(match) for match, _ in some), return_exceptions=True
            )
            for (match, _), error in zip(some, done, strict=True):
                if isinstance(error, StoreUnavailable):
                    return False
                if error is not None:
                    logs.failure("deadline_not_moved", error, match=str(match))
        return True

    async def _recorded(self, before: int | None) -> list[tuple[UUID, int]] | None:
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


async def record_lapses(index: Index, tournaments: TournamentService, clock: Clock) -> None:
    """Records the pending rulings of all tournaments that have lapsed, each at its instant. A
    tournament that is changed meanwhile records its own first."""

    def due() -> Sequence[UUID]:
        index.follow()
        return index.lapsing(clock.now())

    for tournament in await in_store_thread(due):
        await tournaments.lapse(tournament)


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
