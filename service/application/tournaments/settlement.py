"""Settlement: a tournament match that has ended counts in its tournament exactly once."""

import asyncio
from uuid import UUID

from domain.match.replay import replay
from domain.tournament.settling import settlement_of
from service.application.tournaments.tournament_service import TournamentService
from service.event_store.integrity.checked_records import ClosedRecords, read_checked
from service.event_store.store import Store
from service.event_store.store_threads import in_store_thread


class NotOver(Exception):
    """The match to be settled has not ended."""


class Settlement:
    """Settles matches that have ended."""

    def __init__(self, store: Store, tournaments: TournamentService, closed: ClosedRecords) -> None:
        self._store = store
        self._tournaments = tournaments
        self._closed = closed

    async def settle(self, match_id: UUID) -> None:
        """Makes a match that has ended count in its tournament, once.

        Its record is read from the store, where its end was found: memory may be behind that.
        Raises NotOver if it has not ended after all, or RecordAltered.
        """
        self._closed.check(match_id)
        with self._closed.closing():
            record_read = await in_store_thread(read_checked, self._store, match_id)
        game, match = await asyncio.to_thread(replay, str(match_id), record_read.records)
        tournament = match.created.tournament
        command = settlement_of(game, match)
        if tournament is None or command is None:
            raise NotOver(match_id)
        await self._tournaments.execute(UUID(tournament), command)
