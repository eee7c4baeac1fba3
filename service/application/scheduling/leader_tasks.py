"""What one instance does for all on its store: deadlines, lapses, and what follows the end of a
match. Other parts have their own."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from uuid import UUID

from domain.events import LATEST
from domain.game import Refused
from domain.rulings.tournament_decide import LapseRulings
from service.application.announcer import Announcer
from service.application.scheduling.heartbeat import Presence
from service.application.scheduling.scheduler import Scheduler
from service.application.tournaments.tournament_service import TournamentService
from service.clock import Clock
from service.event_store.errors import StoreUnavailable, UnknownMatch
from service.event_store.integrity.digests import RecordAltered
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
    """The deadlines of all matches on a store, and the lapses of its tournaments."""

    def __init__(
        self,
        index: Index,
        scheduler: Scheduler,
        clock: Clock,
        presence: Presence,
        announcer: Announcer,
        tournaments: TournamentService,
    ) -> None:
        self._index = index
        self._scheduler = scheduler
        self._clock = clock
        self._presence = presence
        self._announcer = announcer
        self._tournaments = tournaments
        self.lapsed: Callable[[], None] = lambda: None
        """Called when something in tournaments was due."""

    async def move(self) -> None:
        """After each absence moves all deadlines in force at once, so that everyone sees them.
        Each match and each tournament does so by itself before anything in it is judged."""
        upto = self._presence.unmoved
        if upto is not None and await self._all_moved():
            await self._record_lapses(LATEST)
            await in_store_thread(self._presence.moved, upto)

    async def follow_log(self, *, shared: bool) -> None:
        """Arms all deadlines that the log knows. Then follows the log, and acts on events from
        other instances and on own events whose commit the store could not confirm."""
        pause, armed = POLL_SECONDS_SHARED if shared else POLL_SECONDS_SINGLE, False
        while True:
            deadlines = await self._read_deadlines(
                self._clock.now() + AHEAD_MICROSECONDS if armed else None
            )
            if deadlines is not None:
                armed = True
                self._scheduler.arm_all(deadlines)
                self._announcer.over(True)
            await asyncio.sleep(pause if armed else RETRY_SECONDS)

    async def record_lapses(self) -> None:
        """Records the pending rulings of all tournaments that have lapsed, each at its instant. A
        tournament that is changed meanwhile records its own first."""
        if await self._record_lapses(self._clock.now()):
            self.lapsed()

    async def _record_lapses(self, upto: int) -> bool:
        """Records what has lapsed in the tournaments in which something does up to an instant, or a
        round is open; whether there are any."""

        def due() -> Sequence[UUID]:
            self._index.follow()
            return self._index.due_tournaments(upto)

        due_ids = await in_store_thread(due)
        for tournament in due_ids:
            try:
                await self._tournaments.execute(tournament, LapseRulings())
            except StoreUnavailable:
                raise
            except Exception as error:  # noqa: BLE001  the others must not wait for it
                logs.failure("lapses_not_recorded", error, tournament=str(tournament))
        return bool(due_ids)

    async def _all_moved(self) -> bool:
        """Whether every match with a deadline in force had it moved, or cannot be judged."""
        deadlines = await self._read_deadlines(None)
        if deadlines is None:
            return False
        for first in range(0, len(deadlines), AT_ONCE):
            some = deadlines[first : first + AT_ONCE]
            outcomes = await asyncio.gather(
                *(self._scheduler.report(match) for match, _ in some), return_exceptions=True
            )
            for (match, _), error in zip(some, outcomes, strict=True):
                if isinstance(error, StoreUnavailable):
                    return False
                if error is not None:
                    logs.failure("deadline_not_moved", error, match=str(match))
        return True

    async def _read_deadlines(self, before: int | None) -> list[tuple[UUID, int]] | None:
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


class EndedMatches:
    """Does something once for every match that has ended, soon after its end, and again until it
    works. No one waits for it, and a crash in between only delays it. `left` lists the matches for
    which it is left to do, and blocks; `failure` is the event that is logged."""

    def __init__(
        self,
        to_do: Callable[[], Iterable[UUID]],
        do: Callable[[UUID], Awaitable[object]],
        failure: str,
    ) -> None:
        self._find_left = to_do
        self._do = do
        self._failure = failure
        self._ended = asyncio.Event()
        self._refused: dict[UUID, str] = {}

    def match_ended(self) -> None:
        """Notes that a match has ended."""
        self._ended.set()

    async def run(self) -> None:
        """Works for as long as the instance leads, beginning with what an earlier leader left."""
        while True:
            self._ended.clear()
            if await self.do_all():
                await self._ended.wait()
            else:
                await asyncio.sleep(RETRY_SECONDS)

    async def do_all(self) -> bool:
        """Does it for every match for which it is left to do. Returns whether all went well;
        failures are logged."""
        try:
            match_ids = await in_store_thread(self._find_left)
        except Exception as error:  # noqa: BLE001  it is tried again
            logs.failure(self._failure, error)
            return False
        return all([await self._try(match_id) for match_id in match_ids])

    async def _try(self, match_id: UUID) -> bool:
        try:
            await self._do(match_id)
        except (RecordAltered, UnknownMatch):
            # Reported when it was found; there is nothing to do until it is repaired.
            return True
        except Refused as refused:
            # It is tried again, and said once: what it lacks may come.
            if self._refused.get(match_id) != refused.code:
                self._refused[match_id] = refused.code
                logs.info(self._failure, match=str(match_id), code=refused.code)
            return False
        except Exception as error:  # noqa: BLE001  the others must not wait for it
            logs.failure(self._failure, error, match=str(match_id))
            return False
        self._refused.pop(match_id, None)
        return True


async def repeat(seconds: float, step: Callable[[], Awaitable[None]]) -> None:
    """Takes a step again and again, with this pause. What fails is tried again."""
    while True:
        try:
            await step()
        except (StoreUnavailable, FarBehind):
            pass  # Reported where it was found.
        except Exception as error:  # noqa: BLE001  see above
            logs.failure("not_done", error, what=step.__qualname__)
        await asyncio.sleep(seconds)
