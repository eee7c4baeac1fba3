"""Settlement: a tournament match that has ended counts in its tournament exactly once.

It happens soon after the end and is retried until it works. The sender of the last action does not
wait for the ledger, and a crash in between only delays it.
"""

import asyncio
from contextlib import suppress
from uuid import UUID

from domain.replay import replayed
from domain.settling import settlement_of
from service.application.tournament_service import TournamentService
from service.event_store.checked_records import read_checked
from service.event_store.closed_records import ClosedRecords
from service.event_store.digests import RecordAltered
from service.event_store.store import Store
from service.event_store.store_threads import in_store_thread
from service.observability import logs
from service.read_models.index import Index

RETRY_SECONDS = 5.0
"""Pause before a failed settlement is tried again."""

LOOK_SECONDS = 60.0
"""Pause between two searches for matches that have ended on other instances."""


class NotOver(Exception):
    """The match to be settled has not ended."""


class Settlement:
    """Settles matches that have ended, for as long as `run` runs."""

    def __init__(
        self, store: Store, index: Index, tournaments: TournamentService, closed: ClosedRecords
    ) -> None:
        self._store = store
        self._index = index
        self._tournaments = tournaments
        self._closed = closed
        self._ended = asyncio.Event()

    def match_ended(self) -> None:
        """Notes that a tournament match has ended; it is settled soon."""
        self._ended.set()

    async def run(self) -> None:
        """Settles for as long as the service runs, beginning with what an earlier leader left."""
        while True:
            self._ended.clear()
            wait = LOOK_SECONDS if await self._settle_all() else RETRY_SECONDS
            with suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._ended.wait()

    async def settle(self, match_id: UUID) -> None:
        """Makes a match that has ended count in its tournament, once.

        Its record is read from the store, where its end was found: memory may be behind that.
        Raises NotOver if it has not ended after all, or RecordAltered.
        """
        self._closed.check(match_id)
        with self._closed.closing():
            read = await in_store_thread(read_checked, self._store, match_id)
        game, match = await asyncio.to_thread(replayed, str(match_id), read.records)
        tournament = match.created.tournament
        command = settlement_of(game, match)
        if tournament is None or command is None:
            raise NotOver(match_id)
        await self._tournaments.execute(UUID(tournament), command)

    async def _settle_all(self) -> bool:
        """Settles every match that has ended. Returns whether all went well; failures are
        logged."""
        try:
            unsettled = await in_store_thread(self._unsettled)
        except Exception as error:  # noqa: BLE001  it is tried again
            logs.failure("not_settled", error)
            return False
        settled = [await self._settled(match_id) for match_id in unsettled]
        return all(settled)

    def _unsettled(self) -> list[UUID]:
        self._index.follow()
        return self._index.unsettled()

    async def _settled(self, match_id: UUID) -> bool:
        try:
            await self.settle(match_id)
        except RecordAltered:
            # Reported when it was found; there is nothing to settle until it is repaired.
            return True
        except Exception as error:  # noqa: BLE001  the others must not wait for it
            logs.failure("not_settled", error, match=str(match_id))
            return False
        return True
