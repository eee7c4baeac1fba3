"""The lists of one store: pages of its index, which has first followed the log to its end."""

import contextlib
from collections.abc import Callable
from functools import partial
from typing import TypeVar
from uuid import UUID

from projections.ledger import Posted
from projections.tournaments import Shown
from service.door.tournaments import UnknownTournament
from service.storage.index import Index, MatchPage, TournamentPage
from service.storage.reading import from_store

T = TypeVar("T")


class Lists:
    """What is to be read of all that has been acknowledged by now. Raises StoreUnavailable."""

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

        The id of a tournament may be in upper case; what is no id is nobody's.
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
        """What everybody may see of a tournament. Raises UnknownTournament."""
        shown = await self._found(partial(self._index.shown, tournament))
        if shown is None:
            raise UnknownTournament(tournament)
        return shown

    async def postings(
        self, tournament: UUID, player: int | None, after: int, upto: int
    ) -> list[Posted]:
        """The postings of a tournament behind number `after`, up to number `upto`, which has been
        acknowledged: as a player counts his own, or all of them."""
        page = partial(self._index.postings, tournament, player, after=after, upto=upto)
        return await self._found(page)

    async def _found(self, find: Callable[[], T]) -> T:
        """What is found when the index has come to the end of the log."""

        def found() -> T:
            self._index.follow()
            return find()

        return await from_store(found)
