"""Reads what rulings are decided on and shown from: a match as it is now, an audience's own
records, and the standings."""

from collections.abc import Callable
from typing import TypeVar
from uuid import UUID

from domain.events import Event, Record, only_seat
from domain.looking_back import past_of
from domain.match_state import Match
from domain.replay import created_match
from domain.ruling_commands import Past
from domain.ruling_kinds import Rewind
from projections.disclosure import MODERATOR, PUBLIC_VIEWER
from projections.standings import Standing
from service.application.loaded_match import LoadedMatch
from service.application.match_sessions import MatchSessions
from service.application.ruling_answers import Learnt
from service.clock import Clock
from service.event_store.secret_store import SecretStore
from service.event_store.store_threads import in_store_thread
from service.read_models.lists import Lists

T = TypeVar("T")


class RulingReader:
    """Reads for `RulingService`."""

    def __init__(
        self,
        sessions: MatchSessions,
        lists: Lists,
        secret_store: SecretStore,
        clock: Clock,
    ) -> None:
        self._sessions = sessions
        self._lists = lists
        self._secret_store = secret_store
        self._clock = clock

    def at(self, loaded: LoadedMatch) -> int:
        """The instant at which something is decided on a match now."""
        return max(self._clock.now(), loaded.at)

    async def now(self, match_id: UUID) -> tuple[LoadedMatch, int]:
        """The match with everything on record, and the number of its events. Raises
        UnknownMatch."""
        loaded, projection = await self._sessions.projection(match_id, MODERATOR)
        return loaded, projection.seq

    async def public_number(self, match_id: UUID, position: int) -> int | None:
        """The number in the public's count of the event at a position, if it is public."""
        _, projection = await self._sessions.projection(match_id, PUBLIC_VIEWER)
        return projection.number_of(position)

    async def past(self, match_id: UUID, loaded: LoadedMatch, ruling: Rewind) -> Past:
        """What a rewind looks back on, in the record as it is now."""
        _, created = created_match(loaded.name, loaded.match.created)
        return await self._from_record(
            match_id, lambda records: past_of(loaded.game, created, records, ruling)
        )

    async def begin_epoch(self, match_id: UUID) -> None:
        """Stores the seed of the epoch that a rewind is about to begin, if chance has one."""
        loaded = await self._sessions.current(match_id)
        if loaded.match.epoch is None:
            return
        epoch = loaded.match.epoch.committed.epoch + 1
        secrets = await in_store_thread(self._secret_store.begin_epoch, match_id, epoch)
        (await self._sessions.cached(match_id)).secrets = secrets

    async def learnt(self, match_id: UUID, seats: int, past: Past) -> tuple[Learnt, ...]:
        """What each seat alone has learnt from the point on, as moderators number it."""
        records = await self._from_record(match_id, list)
        behind = [(n, r.event) for n, r in enumerate(records, 1) if n >= past.start]
        return tuple(
            Learnt(seat, tuple(n for n, event in behind if only_seat(event) == seat))
            for seat in range(seats)
        )

    async def standings(self, match: Match) -> list[Standing] | None:
        """The standings of the match's tournament; None outside of one."""
        tournament = match.created.tournament
        if tournament is None:
            return None
        return list((await self._lists.tournament(UUID(tournament))).standings)

    async def _from_record(self, match_id: UUID, read: Callable[[list[Record[Event]]], T]) -> T:
        """What is read from the whole record, in a thread."""
        _, projection = await self._sessions.projection(match_id, MODERATOR)
        return await self._sessions.read_own(match_id, projection.own_rows(), read)
