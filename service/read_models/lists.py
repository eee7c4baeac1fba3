"""The lists of one store: pages of its index, after it has followed the log to its end."""

import contextlib
from collections.abc import Callable
from functools import partial
from typing import TypeVar
from uuid import UUID

from projections.ledger import Posted
from projections.tournaments import Shown
from service.event_store.errors import UnknownTournament
from service.event_store.store_threads import in_store_thread
from service.read_models.index import Index, MatchPage, TournamentPage

T = TypeVar("T")


class Lists:
    """Reads the index; results include everything acknowledged before the call. Raises
    StoreUnavailable."""

    def __init__(self, index: Index) -> None:
        self._index = index

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
        return shown

    async def postings(
        self, tournament: UUID, player: int | None, after: int, upto: int
    ) -> list[Posted]:
        """The postings of a tournament after number `after`, up to number `upto`, which must be
        acknowledged. For a `player`: their own postings, in their own numbering; for None all."""
        page = partial(self._index.postings, tournament, player, after=after, upto=upto)
        return await self._found(page)

    async def _found(self, find: Callable[[], T]) -> T:
        """The result of `find` after the index has reached the end of the log."""

        def found() -> T:
            self._index.follow()
            return find()

        return await in_store_thread(found)
