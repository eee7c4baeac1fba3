"""The stores of a service. A tournament lies in one of them, with its matches, their keys and its
ledger, so that whatever has to be recorded together can be; where it lies is what that store has on
record, and never computed from a name or a number.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from hashlib import sha256
from itertools import cycle
from typing import Any
from uuid import UUID

from domain.commands import REUSED_KEY
from domain.game import Refused
from domain.tournament_state import Request
from service.access.keys import ORGANISERS, Grant, Keyring, placed
from service.arbiter import Arbiter
from service.door.requests import SCOPE, stream_of
from service.place import Place
from service.storage.index import MatchPage, TournamentPage
from service.storage.reading import StoreUnavailable, from_store

MOST_PLACED = 200_000

FIRST_SECONDS = 3.0
"""So long each of several stores may take to be there from the beginning; it is there whenever it
can be."""


class Stores:
    """The places of a service, and which of them has what."""

    def __init__(self, places: Sequence[Place]) -> None:
        self._places = tuple(places)
        self._turns = cycle(self._places)
        self._placed: dict[UUID, Place] = {}
        self._keys = Keys(self)
        self.broken = asyncio.Event()
        self.stopping = asyncio.Event()

    @classmethod
    def of_one(cls, arbiter: Arbiter) -> "Stores":
        """The only store there is, with its instance."""
        place = Place("only", lambda: arbiter)
        place.take(arbiter)
        stores = cls([place])
        stores.broken, stores.stopping = arbiter.broken, arbiter.stopping
        stores.join(arbiter)
        return stores

    @property
    def places(self) -> Sequence[Place]:
        """All of them, the home of what belongs to no match first."""
        return self._places

    @property
    def arbiters(self) -> list[Arbiter]:
        """The instances there are now."""
        return [place.arbiter for place in self._places if place.up]

    @property
    def home(self) -> Arbiter:
        """The instance that has the organisers' keys. Raises StoreUnavailable."""
        return self._places[0].arbiter

    @property
    def some(self) -> Arbiter:
        """Any of the instances. Raises StoreUnavailable if there is none."""
        for place in self._places:
            if place.up:
                return place.arbiter
        raise StoreUnavailable

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keeps the instances going until left. With one store, what breaks it is raised; with
        several, each is tried again by itself."""
        if len(self._places) == 1:
            async with self.home.running():
                yield
            return
        keeping = [asyncio.create_task(place.keep(self.join)) for place in self._places]
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(FIRST_SECONDS):
                    await asyncio.gather(*(place.tried.wait() for place in self._places))
            yield
        finally:
            for task in keeping:
                task.cancel()
            await asyncio.gather(*keeping, return_exceptions=True)

    def stop_streams(self) -> None:
        """Ends every open stream, so that its reader comes back elsewhere."""
        self.stopping.set()
        for arbiter in self.arbiters:
            arbiter.stop_streams()

    def give_up(self) -> None:
        """Tells whoever waits for a command that nobody knows what becomes of it."""
        for arbiter in self.arbiters:
            arbiter.give_up()

    @property
    def tells(self) -> bool:
        """Whether instances tell one another of news."""
        return any(arbiter.news is not None for arbiter in self.arbiters)

    def join(self, arbiter: Arbiter) -> None:
        """Keys open what they are for in whichever store: the instance looks for them in all."""
        arbiter.keys = self._keys

    def knows(self, key: str) -> bool:
        """Whether the key is remembered as one that allows something."""
        return self._keys.known(key) is not None

    # Where something is.

    async def of(self, stream: UUID) -> Arbiter:
        """The instance on whose store a match or a tournament lies; any, if there is none such.

        Raises StoreUnavailable if it may lie where nobody answers.
        """
        if len(self._places) == 1:
            return self.home
        place = self._placed.get(stream)
        if place is None:
            place = await self._first(lambda arbiter: _has(arbiter, stream))
            if place is None:
                return self.home
            while len(self._placed) >= MOST_PLACED:
                self._placed.pop(next(iter(self._placed)))
            self._placed[stream] = place
        return place.at_hand()

    async def for_new(self, request: Request | None, tournament: UUID | None = None) -> Arbiter:
        """The instance that creates something: in a tournament that which has it; for a request
        that was heard before that which heard it; otherwise the next in turn.

        Raises Refused for a key that was used elsewhere, and StoreUnavailable.
        """
        if len(self._places) == 1:
            return self.home
        before = None if request is None else await self._heard(request)
        if tournament is not None:
            there = await self.of(tournament)
            if before is not None and before is not there:
                raise Refused(REUSED_KEY)
            return there
        if before is not None:
            return before
        return self._next_in_turn() if request is None else self._drawn_for(request)

    async def _heard(self, request: Request) -> Arbiter | None:
        """Who has heard the request before; only all together can say that nobody has."""
        place = await self._first(lambda arbiter: from_store(arbiter.requests.heard, request.key))
        return None if place is None else place.at_hand()

    def _next_in_turn(self) -> Arbiter:
        for _ in self._places:
            place = next(self._turns)
            if place.up:
                return place.at_hand()
        raise StoreUnavailable

    def _drawn_for(self, request: Request) -> Arbiter:
        """The same for all instances that hear a request at the same time."""
        stream = stream_of(SCOPE, request.key).bytes
        return max(self._places, key=lambda p: sha256(p.name.encode() + stream).digest()).at_hand()

    async def _first(self, asks: Callable[[Arbiter], Awaitable[bool]]) -> Place | None:
        """The first place that says yes; None if all say no. Raises StoreUnavailable if one that
        might have said yes did not answer."""

        async def ask(place: Place) -> bool:
            return await asks(place.at_hand())

        asked = {asyncio.create_task(ask(place)): place for place in self._places if place.up}
        silent = len(asked) < len(self._places)
        waiting = set(asked)
        try:
            while waiting:
                done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    if task.exception() is not None:
                        silent = True
                    elif task.result():
                        return asked[task]
        finally:
            for task in waiting:
                task.cancel()
                task.add_done_callback(_heard_of)
        if silent:
            raise StoreUnavailable
        return None

    # Lists of everything.

    async def listed(
        self, *, after: UUID | None, limit: int, tournament: str | None, **filters: Any
    ) -> MatchPage:
        """A page of the public list of matches, of all stores. Raises StoreUnavailable if one does
        not answer: a list with gaps would look whole."""
        if tournament is not None:
            arbiter = self.home
            with suppress(ValueError):
                arbiter = await self.of(UUID(tournament))
            return await arbiter.lists.matches(
                after=after, limit=limit, tournament=tournament, **filters
            )

        async def page(place: Place) -> MatchPage:
            here = place.at_hand()
            return await here.lists.matches(after=after, limit=limit, tournament=None, **filters)

        pages = await asyncio.gather(*map(page, self._places))
        return MatchPage(*_merged([page.matches for page in pages], pages, limit))

    async def listed_tournaments(
        self, *, after: UUID | None, limit: int, name: str | None
    ) -> TournamentPage:
        """A page of the public list of tournaments, of all stores. Raises StoreUnavailable."""

        async def page(place: Place) -> TournamentPage:
            here = place.at_hand()
            return await here.lists.tournaments(after=after, limit=limit, name=name)

        pages = await asyncio.gather(*map(page, self._places))
        return TournamentPage(*_merged([page.tournaments for page in pages], pages, limit))


class Keys:
    """What keys allow, whichever store they lie in."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores

    def known(self, key: str) -> Grant | None:
        """What the key allows, as far as is remembered; None does not mean that it is worthless."""
        for arbiter in self._stores.arbiters:
            grant = arbiter.keyring.known(key)
            if grant is not None:
                return grant
        return None

    async def learn(self, key: str) -> Grant | None:
        """What the key allows, read from the store that has its ring. Raises StoreUnavailable."""
        place = placed(key)
        if place is None:
            return None

        async def learnt() -> Grant | None:
            return await from_store((await self._ring(place[1])).learn, key)

        # A task of its own: what else is read for the request is not read by the ring's store.
        return await asyncio.create_task(learnt())

    async def ring(self, ring: UUID) -> Keyring:
        """The keyring that has a ring. Raises StoreUnavailable."""
        return await asyncio.create_task(self._ring(ring))

    async def _ring(self, ring: UUID) -> Keyring:
        at_home = ring == ORGANISERS
        arbiter = self._stores.places[0].at_hand() if at_home else await self._stores.of(ring)
        return arbiter.keyring


async def _has(arbiter: Arbiter, stream: UUID) -> bool:
    return bool(await from_store(arbiter.store.states, stream, 0, 1))


def _heard_of(task: "asyncio.Future[bool]") -> None:
    """Nobody wants to know any more."""
    if not task.cancelled():
        task.exception()


def _merged(
    rows: Sequence[Sequence[Any]], pages: Sequence[Any], limit: int
) -> tuple[list[Any], str | None]:
    """The newest of all rows, and where the next page begins if there is one. Ids are in the order
    of time, whichever store they are from."""
    found = sorted((row for some in rows for row in some), key=lambda row: row.id, reverse=True)
    more = len(found) > limit or any(page.next is not None for page in pages)
    page = found[:limit]
    return page, page[-1].id if more and page else None
