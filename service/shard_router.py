"""Shard router: finds the store of a match or a tournament among the stores of a service.

A tournament is in one store with its matches, their keys and its ledger, so that they can be
recorded in one transaction. Which store has it is found by reading the stores, and never computed
from a name or a number.
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
from service.application.idempotency import SCOPE, stream_of
from service.auth.grants import Grant
from service.auth.key_form import ORGANISERS, parse_key
from service.auth.keys import KeyFinder, Keyring
from service.event_store.errors import StoreUnavailable
from service.event_store.store_threads import in_store_thread
from service.instance import Instance
from service.read_models.index import MatchPage, TournamentPage
from service.store_connection import StoreConnection

MOST_LOCATED = 200_000
"""Maximum number of streams whose store is remembered."""

STARTUP_SECONDS = 3.0
"""Time limit for several stores to connect before the service starts; later ones join when they
can."""


class ShardRouter:
    """The store connections of a service, and which store has what."""

    def __init__(self, connections: Sequence[StoreConnection]) -> None:
        self._connections = tuple(connections)
        self._turns = cycle(self._connections)
        self._located: dict[UUID, StoreConnection] = {}
        self._keys = RoutedKeys(self)
        self.broken = asyncio.Event()
        self.stopping = asyncio.Event()

    @classmethod
    def of_one(cls, instance: Instance) -> "ShardRouter":
        """A router with a single store and its instance."""
        connection = StoreConnection("only", lambda: instance)
        connection.set_instance(instance)
        router = cls([connection])
        router.broken, router.stopping = instance.broken, instance.stopping
        router.attach(instance)
        return router

    @property
    def connections(self) -> Sequence[StoreConnection]:
        """All connections; the first is the home store, with what belongs to no match."""
        return self._connections

    @property
    def instances(self) -> list[Instance]:
        """The instances of the stores that are connected now."""
        return [connection.instance for connection in self._connections if connection.up]

    @property
    def home(self) -> Instance:
        """The instance of the home store, which has the organisers' keys. Raises
        StoreUnavailable."""
        return self._connections[0].instance

    @property
    def any_instance(self) -> Instance:
        """Any instance. Raises StoreUnavailable if there is none."""
        for connection in self._connections:
            if connection.up:
                return connection.instance
        raise StoreUnavailable

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Runs the instances inside the context. With one store its errors are raised; with several
        each store is retried separately."""
        if len(self._connections) == 1:
            async with self.home.running():
                yield
            return
        running_tasks = [
            asyncio.create_task(connection.run(self.attach)) for connection in self._connections
        ]
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(STARTUP_SECONDS):
                    await asyncio.gather(
                        *(connection.attempted.wait() for connection in self._connections)
                    )
            yield
        finally:
            for task in running_tasks:
                task.cancel()
            await asyncio.gather(*running_tasks, return_exceptions=True)

    def stop_streams(self) -> None:
        """Ends every open stream, so that its reader comes back elsewhere."""
        self.stopping.set()
        for instance in self.instances:
            instance.stop_streams()

    def fail_waiting(self) -> None:
        """Fails all waiting commands; it is unknown whether they are on record."""
        for instance in self.instances:
            instance.fail_waiting()

    @property
    def has_notifications(self) -> bool:
        """Whether instances notify one another of grown matches."""
        return any(instance.notifications is not None for instance in self.instances)

    def attach(self, instance: Instance) -> None:
        """Makes the instance look for keys in all stores, and all instances notice the end of its
        own."""
        instance.keys = RoutedKeys(self, instance)
        instance.keyring.on_revoked = self._keys_revoked

    def _keys_revoked(self, hashes: frozenset[bytes]) -> None:
        for instance in self.instances:
            instance.keys_revoked(hashes)

    @property
    def keys(self) -> KeyFinder:
        """What finds the keys of all stores."""
        return self._keys

    def knows(self, key: str) -> bool:
        """Whether the key is cached as a valid one."""
        return self._keys.known(key) is not None

    # Which store has it.

    async def instance_for(self, stream: UUID) -> Instance:
        """The instance whose store has the match or tournament; the home instance if none has it.

        Raises StoreUnavailable if it may be in a store that does not answer.
        """
        if len(self._connections) == 1:
            return self.home
        connection = self._located.get(stream)
        if connection is None:
            connection = await self._first_with(lambda instance: _has(instance, stream))
            if connection is None:
                return self.home
            while len(self._located) >= MOST_LOCATED:
                self._located.pop(next(iter(self._located)))
            self._located[stream] = connection
        return connection.use()

    async def instance_for_new(
        self, request: Request | None, tournament: UUID | None = None
    ) -> Instance:
        """The instance for something new: the one that has the tournament, or else the one that
        received the same request before, or else one chosen by the request or in turn.

        Raises Refused for an idempotency key used in another store, and StoreUnavailable.
        """
        if len(self._connections) == 1:
            return self.home
        received = None if request is None else await self._receiver_of(request)
        if tournament is not None:
            located = await self.instance_for(tournament)
            if received is not None and received is not located:
                raise Refused(REUSED_KEY)
            return located
        if received is not None:
            return received
        return self._next_in_turn() if request is None else self._chosen_for(request)

    async def _receiver_of(self, request: Request) -> Instance | None:
        """The instance that received the request before; None only if all stores say no."""
        connection = await self._first_with(
            lambda instance: in_store_thread(instance.idempotency.was_received, request.key)
        )
        return None if connection is None else connection.use()

    def _next_in_turn(self) -> Instance:
        for _ in self._connections:
            connection = next(self._turns)
            if connection.up:
                return connection.use()
        raise StoreUnavailable

    def _chosen_for(self, request: Request) -> Instance:
        """An instance chosen by the request's key: simultaneous repeats meet in one store."""
        stream = stream_of(SCOPE, request.key).bytes
        return max(self._connections, key=lambda p: sha256(p.name.encode() + stream).digest()).use()

    async def _first_with(
        self, has: Callable[[Instance], Awaitable[bool]]
    ) -> StoreConnection | None:
        """The first connection for which `has` returns true; None if it is false for all. Raises
        StoreUnavailable if none is true and a store did not answer."""

        async def check(connection: StoreConnection) -> bool:
            return await has(connection.use())

        checks = {
            asyncio.create_task(check(connection)): connection
            for connection in self._connections
            if connection.up
        }
        silent = len(checks) < len(self._connections)
        waiting = set(checks)
        try:
            while waiting:
                done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    if task.exception() is not None:
                        silent = True
                    elif task.result():
                        return checks[task]
        finally:
            for task in waiting:
                task.cancel()
                task.add_done_callback(_ignore_result)
        if silent:
            raise StoreUnavailable
        return None

    # Lists of everything.

    async def matches(
        self, *, after: UUID | None, limit: int, tournament: str | None, **filters: Any
    ) -> MatchPage:
        """A page of the public list of matches of all stores. Raises StoreUnavailable if one does
        not answer, because a list with gaps would look complete."""
        if tournament is not None:
            instance = self.home
            with suppress(ValueError):
                instance = await self.instance_for(UUID(tournament))
            return await instance.lists.matches(
                after=after, limit=limit, tournament=tournament, **filters
            )

        async def page(connection: StoreConnection) -> MatchPage:
            instance = connection.use()
            return await instance.lists.matches(
                after=after, limit=limit, tournament=None, **filters
            )

        pages = await asyncio.gather(*map(page, self._connections))
        return MatchPage(*_merged([page.matches for page in pages], pages, limit))

    @property
    def lists_age(self) -> int | None:
        """For how many seconds the lists of a store have not followed its log, the longest of all;
        None while all do."""
        ages = [instance.lists.age for instance in self.instances]
        return max((age for age in ages if age is not None), default=None)

    async def tournaments(
        self, *, after: UUID | None, limit: int, name: str | None
    ) -> TournamentPage:
        """A page of the public list of tournaments of all stores. Raises StoreUnavailable."""

        async def page(connection: StoreConnection) -> TournamentPage:
            instance = connection.use()
            return await instance.lists.tournaments(after=after, limit=limit, name=name)

        pages = await asyncio.gather(*map(page, self._connections))
        return TournamentPage(*_merged([page.tournaments for page in pages], pages, limit))


class RoutedKeys:
    """Finds what keys allow, in any store."""

    def __init__(self, router: ShardRouter, first: Instance | None = None) -> None:
        """The keys of the store of `first` are looked at first: the organiser's key from the
        settings has an id in each store."""
        self._router = router
        self._first = first

    def known(self, key: str) -> Grant | None:
        """What the key allows, if that is cached; None does not mean that the key is invalid."""
        first: tuple[Instance, ...] = () if self._first is None else (self._first,)
        for instance in (*first, *self._router.instances):
            grant = instance.keyring.known(key)
            if grant is not None:
                return grant
        return None

    async def load(self, key: str) -> Grant | None:
        """What the key allows, read from the store of its keyring. Raises StoreUnavailable."""
        location = parse_key(key)
        if location is None:
            return None

        async def load_there() -> Grant | None:
            return await in_store_thread((await self._ring(location[1])).load, key)

        # In a separate task, so that other reads of the request do not use this store's threads.
        return await asyncio.create_task(load_there())

    async def ring(self, ring: UUID) -> Keyring:
        """The keyring of the store that has a ring. Raises StoreUnavailable."""
        return await asyncio.create_task(self._ring(ring))

    async def _ring(self, ring: UUID) -> Keyring:
        at_home = ring == ORGANISERS
        instance = (
            self._router.connections[0].use() if at_home else await self._router.instance_for(ring)
        )
        return instance.keyring


async def _has(instance: Instance, stream: UUID) -> bool:
    return bool(await in_store_thread(instance.store.states, stream, 0, 1))


def _ignore_result(task: "asyncio.Future[bool]") -> None:
    """Marks the error of a task as seen: its result is not needed any more."""
    if not task.cancelled():
        task.exception()


def _merged(
    rows: Sequence[Sequence[Any]], pages: Sequence[Any], limit: int
) -> tuple[list[Any], str | None]:
    """The newest of all rows, and where the next page begins if there is one. Ids are ordered by
    time across stores."""
    found = sorted((row for some in rows for row in some), key=lambda row: row.id, reverse=True)
    more = len(found) > limit or any(page.next is not None for page in pages)
    page = found[:limit]
    return page, page[-1].id if more and page else None
