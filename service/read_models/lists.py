"""The lists of one store: pages of its index, after it has followed the log to its end."""

import contextlib
from collections.abc import Callable, Sequence
from functools import partial
from time import monotonic
from typing import TypeVar
from uuid import UUID

from domain.events import AudienceName, Event, Record
from projections.ledger import Posted
from projections.matches import MatchRow
from projections.tournaments import Shown
from service.event_store.errors import StoreUnavailable, UnknownTournament
from service.event_store.store_health import StoreHealth
from service.event_store.store_threads import in_store_thread
from service.observability.store_faults import UNWRITABLE
from service.observability.work import MATCH_TOLD, spend
from service.read_models.index import Index, MatchPage, TournamentPage

T = TypeVar("T")


class Lists:
    """Reads the index; results include everything acknowledged before the call. Raises
    StoreUnavailable.

    While the store can be read and not written, the index cannot follow the log: then results are
    those of the index as it is, and `age` says how old it is.
    """

    def __init__(self, index: Index, health: StoreHealth) -> None:
        self._index = index
        self._health = health
        self._behind = False

    @property
    def age(self) -> int | None:
        """For how many whole seconds the index has not followed the log; None while it does."""
        if not self._behind:
            return None
        return max(0, int(monotonic() - self._index.followed_at))

    async def matches(
        self,
        *,
        after: UUID | None,
        limit: int,
        game: str | None,
        status: str | None,
        tournament: str | None,
        name: str | None = None,
    ) -> MatchPage:
        """A page of the public list of matches.

        The id of a tournament may be in upper case; a text that is not an id matches nothing.
        """
        with contextlib.suppress(ValueError):
            tournament = None if tournament is None else str(UUID(tournament))
        page = partial(self._index.page, after=after, limit=limit, game=game, status=status)
        return await self._found(partial(page, tournament=tournament, name=name))

    async def tournaments(
        self, *, after: UUID | None, limit: int, name: str | None = None
    ) -> TournamentPage:
        """A page of the public list of tournaments."""
        page = partial(self._index.tournaments, after=after, limit=limit, name=name)
        return await self._found(page)

    async def tournament(self, tournament: UUID) -> Shown:
        """A tournament as everybody may see it. Raises UnknownTournament."""
        shown = await self._found(partial(self._index.shown, tournament))
        if shown is None:
            raise UnknownTournament(tournament)
        spend(MATCH_TOLD, len(shown.matches))
        return shown

    async def with_deadlines(
        self, matches: Sequence[str]
    ) -> dict[str, tuple[MatchRow, int | None]]:
        """These matches of the public list, each with its deadline in force, in microseconds."""
        return await self._found(partial(self._index.with_deadlines, matches))

    async def tournament_rulings(
        self, tournament: UUID, audiences: Sequence[AudienceName]
    ) -> list[Record[Event]]:
        """What is on record of a tournament's rulings for these audiences, in order."""
        return await self._found(partial(self._index.tournament_rulings, tournament, audiences))

    async def postings(
        self, tournament: UUID, player: int | None, after: int, upto: int
    ) -> list[Posted]:
        """The postings of a tournament after number `after`, up to number `upto`, which must be
        acknowledged. For a `player`: their own postings, in their own numbering; for None all."""
        page = partial(self._index.postings, tournament, player, after=after, upto=upto)
        # Never as it is: a page without the latest would look like the end of the ledger.
        return await in_store_thread(self._followed, page)

    def _followed(self, find: Callable[[], T]) -> T:
        self._index.follow()
        return find()

    async def _found(self, find: Callable[[], T]) -> T:
        """The result of `find` after the index has reached the end of the log, or as it is while
        it cannot be written."""
        # Known beforehand, it is not tried: whether it would fail depends on what is in the log,
        # hidden events included.
        if self._health.fault not in UNWRITABLE:
            try:
                found = await in_store_thread(self._followed, find)
            except StoreUnavailable as error:
                if error.store_fault not in UNWRITABLE:
                    raise
            else:
                self._behind = False
                return found
        found = await in_store_thread(find)
        self._behind = True
        return found
