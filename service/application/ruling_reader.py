"""Reads what rulings are decided on and shown from: a match as it is now, an audience's own
records, and the standings."""

from uuid import UUID

from domain.encoding import decode_all
from domain.events import Event, Record
from domain.match_state import Match
from projections.disclosure import MODERATOR, Viewer
from projections.standings import Standing
from service.application.loaded_match import LoadedMatch
from service.application.match_sessions import MatchSessions
from service.event_store.checked_records import own_states
from service.event_store.closed_records import ClosedRecords
from service.event_store.store import Store
from service.event_store.store_threads import in_store_thread
from service.read_models.lists import Lists


class RulingReader:
    """Reads for `RulingService`."""

    def __init__(
        self, sessions: MatchSessions, lists: Lists, store: Store, closed: ClosedRecords
    ) -> None:
        self._sessions = sessions
        self._lists = lists
        self._store = store
        self._closed = closed

    async def now(self, match_id: UUID) -> tuple[LoadedMatch, int]:
        """The match with everything on record, and the number of its events. Raises
        UnknownMatch."""
        loaded, projection = await self._sessions.projection(match_id, MODERATOR)
        return loaded, projection.seq

    async def records(self, match_id: UUID, viewer: Viewer) -> list[Record[Event]]:
        """An audience's own records. Raises UnknownMatch."""
        _, projection = await self._sessions.projection(match_id, viewer)
        own = projection.own_rows()
        with self._closed.closing():
            return decode_all(await in_store_thread(own_states, self._store, match_id, own))

    async def standings(self, match: Match) -> list[Standing] | None:
        """The standings of the match's tournament; None outside of one."""
        tournament = match.created.tournament
        if tournament is None:
            return None
        return list((await self._lists.tournament(UUID(tournament))).standings)
