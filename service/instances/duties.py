"""What one instance does for everybody on its store: deadlines, settlements, signatures."""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any
from uuid import UUID

from service import logs
from service.clock import Clock
from service.door.scheduler import Scheduler
from service.door.tournaments import Tournaments
from service.proof.notary import Notary
from service.storage.index import Index
from service.storage.reading import StoreUnavailable, from_store

AGAIN_SECONDS = 1.0

LOOK_ALONE, LOOK_SHARED = 5.0, 0.5
"""How often the index follows the log by itself, in seconds. Where others write too, it is there
that their deadlines, and the ends of their matches, come to be known; and in any case those of
which the store did not say that they are on record."""

AHEAD = 2_000_000
"""Deadlines that fall due within so many microseconds are looked up: where others write, a few
looks ahead."""


class Duties:
    """The duties of the leader, begun anew whenever an instance takes the lead."""

    def __init__(
        self,
        index: Index,
        scheduler: Scheduler,
        tournaments: Tournaments,
        notary: Notary,
        clock: Clock,
        *,
        shared: bool,
    ) -> None:
        self._index = index
        self._scheduler = scheduler
        self._tournaments = tournaments
        self._notary = notary
        self._clock = clock
        self._shared = shared

    def begun(self) -> Sequence[Coroutine[Any, Any, None]]:
        """All of them; each goes on until it is cancelled."""
        return (
            self._report_deadlines(),
            self._look_around(),
            self._tournaments.run(),
            self._notary.run(),
        )

    async def _report_deadlines(self) -> None:
        """What an earlier leader knew is in the log."""
        deadlines = await self._found(None)
        while deadlines is None:
            await asyncio.sleep(AGAIN_SECONDS)
            deadlines = await self._found(None)
        self._scheduler.arm_all(deadlines)
        try:
            await self._scheduler.run()
        finally:
            self._scheduler.forget()

    async def _look_around(self) -> None:
        """Follows the log; and does what others' events call for, and what was recorded here while
        the store could not say so."""
        while True:
            await asyncio.sleep(LOOK_SHARED if self._shared else LOOK_ALONE)
            soon = await self._found(self._clock.now() + AHEAD)
            if soon is not None:
                self._scheduler.arm_all(soon)
                self._notary.over()
                self._tournaments.over()

    async def _found(self, before: int | None) -> list[tuple[UUID, int]] | None:
        """The deadlines in force before an instant, of all that is on record; None if the store
        does not say."""

        def found() -> list[tuple[UUID, int]]:
            self._index.follow()
            return self._index.deadlines(before)

        try:
            return await from_store(found)
        except StoreUnavailable:
            return None
        except Exception as error:  # noqa: BLE001  it is tried again
            logs.failed("log_not_followed", error)
            return None
