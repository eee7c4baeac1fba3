"""What cases are about: a match or a tournament, as the case service uses it."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol
from uuid import UUID

from domain.match.commands import CaseCommand, Conflict
from domain.match.seat_holders import names_had
from projections.audience.disclosure import PUBLIC_VIEWER
from service.application.matches.match_service import MatchService
from service.application.tournaments.tournament_service import TournamentService
from service.event_store.alongside import Alongside
from service.event_store.secret_store import SecretStore
from service.event_store.store_threads import in_store_thread


class CaseSubject(Protocol):
    """A match or a tournament. All of it raises UnknownMatch or UnknownTournament, RecordAltered
    and StoreUnavailable."""

    @property
    def id(self) -> UUID:
        """Its id."""

    async def log_key(self) -> bytes:
        """The key of its log."""

    async def names(self) -> Sequence[str]:
        """The names of those who play, or have played: they judge no case."""

    async def record(self, command: CaseCommand | None, alongside: Alongside) -> None:
        """Records the rows of a case, with the command on its own record if that goes on. Raises
        Conflict, and ConcurrencyConflict if another writer was first."""


class MatchSubject(NamedTuple):
    """A match: its record goes on until it is over."""

    id: UUID
    matches: MatchService

    async def log_key(self) -> bytes:
        """See CaseSubject."""
        return (await self.matches.sessions.cached(self.id)).secrets.log_key

    async def names(self) -> Sequence[str]:
        """See CaseSubject."""
        return names_had((await self.matches.sessions.current(self.id)).match)

    async def record(self, command: CaseCommand | None, alongside: Alongside) -> None:
        """See CaseSubject."""
        match = (await self.matches.sessions.current(self.id)).match
        if command is not None and not match.over:
            try:
                await self.matches.execute(self.id, command, PUBLIC_VIEWER, alongside=alongside)
            except Conflict as conflict:
                if conflict.code != "match_over":
                    raise
            else:
                return
        await self.matches.commits.append(alongside.rows, alongside.digests)


class TournamentSubject(NamedTuple):
    """A tournament: its record always goes on."""

    id: UUID
    matches: MatchService
    tournaments: TournamentService
    secrets: SecretStore

    async def log_key(self) -> bytes:
        """See CaseSubject."""
        await self.tournaments.cached(self.id)
        return (await in_store_thread(self.secrets.read, self.id)).log_key

    async def names(self) -> Sequence[str]:
        """See CaseSubject."""
        return (await self.tournaments.current(self.id)).state.players

    async def record(self, command: CaseCommand | None, alongside: Alongside) -> None:
        """See CaseSubject."""
        if command is None:
            await self.matches.commits.append(alongside.rows, alongside.digests)
        else:
            write = self.tournaments.written_with(alongside)
            await self.tournaments.execute(self.id, command, write=write)
