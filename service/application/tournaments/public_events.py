"""The public events of tournaments, as pages and streams read them."""

from uuid import UUID

from projections.audience.disclosure import PUBLIC_VIEWER, Viewer
from projections.audience.lines import LineText, same_number
from projections.audience.own_lines import AudienceLines, OwnRows
from service.application.matches.match_sessions import UnknownPosition
from service.application.tournaments.loaded_tournament import LoadedTournament
from service.application.tournaments.tournament_service import TournamentService
from service.event_store.integrity.checked_records import own_states
from service.event_store.store import Store
from service.event_store.store_threads import in_store_thread
from service.observability.work import EVENT_READ, spend


class TournamentEvents:
    """Reads the public events of tournaments. All of it raises UnknownTournament and
    StoreUnavailable."""

    def __init__(self, store: Store, tournaments: TournamentService) -> None:
        self._store = store
        self._tournaments = tournaments

    async def projection(
        self, tournament: UUID, viewer: Viewer = PUBLIC_VIEWER
    ) -> tuple[LoadedTournament, AudienceLines]:
        """A tournament and its public events, at the end of what is on record."""
        return _of(await self._tournaments.current(tournament), viewer)

    async def cached_projection(
        self, tournament: UUID, viewer: Viewer = PUBLIC_VIEWER
    ) -> tuple[LoadedTournament, AudienceLines]:
        """The same at the end of what is in memory."""
        return _of(await self._tournaments.cached(tournament), viewer)

    async def lines(
        self, tournament: UUID, viewer: Viewer, after: int, limit: int
    ) -> tuple[list[bytes], bool]:
        """The lines after the public's number `after`, as JSON, at most `limit`; and whether there
        are more. Raises UnknownPosition for a number not reached yet, and RecordAltered."""
        _, own = await self.projection(tournament, viewer)
        if after > own.seq:
            raise UnknownPosition
        spend(EVENT_READ, min(limit, own.seq - after))
        lines_found = own.lines(after, limit)
        if lines_found is None:
            rows = own.own_rows(after, after + limit)
            lines_found = await in_store_thread(self._read_lines, tournament, rows, after)
        return lines_found, after + limit < own.seq

    def _read_lines(self, tournament: UUID, rows: OwnRows, after: int) -> list[bytes]:
        states = own_states(self._store, tournament, rows)
        numbered = enumerate(states, after + 1)
        return [LineText(state).numbered(seq, seq, same_number) for seq, state in numbered]


def _of(loaded: LoadedTournament, viewer: Viewer) -> tuple[LoadedTournament, AudienceLines]:
    own = loaded.lines_of(viewer)
    assert own is not None, "the public alone reads them"
    return loaded, own
