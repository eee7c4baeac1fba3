"""The case service: finds the cases of matches and tournaments."""

import asyncio
from uuid import UUID
from weakref import WeakValueDictionary

from service.application.cases.cases import Cases
from service.application.cases.subjects import CaseSubject, MatchSubject, TournamentSubject
from service.application.idempotency import IdempotencyStore
from service.application.matches.match_service import MatchService
from service.application.tournaments.tournament_service import TournamentService
from service.event_store.secret_store import SecretStore
from service.event_store.store import Store


class CaseService:
    """Finds the cases of the matches and tournaments of one store."""

    def __init__(
        self,
        store: Store,
        matches: MatchService,
        tournaments: TournamentService,
        idempotency: IdempotencyStore,
    ) -> None:
        self._store = store
        self._matches = matches
        self._tournaments = tournaments
        self._idempotency = idempotency
        self._locks: WeakValueDictionary[UUID, asyncio.Lock] = WeakValueDictionary()

    def of_match(self, match_id: UUID) -> Cases:
        """Those of a match."""
        return self._of(MatchSubject(match_id, self._matches))

    def of_tournament(self, tournament_id: UUID) -> Cases:
        """Those about a tournament, and not about one of its matches."""
        secrets = SecretStore(self._store.secrets)
        return self._of(TournamentSubject(tournament_id, self._matches, self._tournaments, secrets))

    def _of(self, subject: CaseSubject) -> Cases:
        lock = self._locks.setdefault(subject.id, asyncio.Lock())
        return Cases(subject, self._store, self._idempotency, self._matches.clock, lock)
