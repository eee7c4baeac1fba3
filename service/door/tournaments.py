"""The door of tournaments: every change of one comes in here, one at a time.

Each is decided on the state in memory and recorded before that state is replaced; whoever lost a
race reads the tournament again and decides anew. Matches that have ended are settled from here,
soon after, however often that must be tried.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from uuid import UUID

import msgspec
from msgspec import Struct

from domain.events import Event
from domain.match_events import MatchCreated
from domain.tournament import AddMatch, Command, CreateTournament, SettleMatch, decide
from domain.tournament_events import ModeratorAppointed, PlayerEntered, TournamentCreated
from domain.tournament_state import NOTHING_YET, Request, repeated
from service import logs
from service.access.keys import Keyring, Slot
from service.clock import Clock
from service.door.matches import Matches
from service.door.open_match import as_created, folded
from service.door.open_tournament import Loaded, OpenTournament, loaded
from service.door.pending import AlreadyThere, Create, Overtaken
from service.storage.index import Index
from service.storage.reading import StoreUnavailable, from_store
from service.storage.store import Row, Store

MOST_OPEN = 256
MOST_TRIES = 12
PAUSE_SECONDS = 0.002
"""Who loses a race to another instance waits before the next, longer each time, and by chance: two
that go on at once would meet again."""

RETRY_SECONDS = 5.0
"""After so long it is tried again to settle what could not be settled."""

LOOK_EVERY = 60.0
"""After so many seconds it is looked whether a match has ended elsewhere."""

Write = Callable[[Sequence[Row]], Awaitable[object]]


class UnknownTournament(LookupError):
    """There is no such tournament."""


class NotOver(Exception):
    """A match is to be settled that goes on."""


class Done(Struct, frozen=True):
    """What a command came to: its events, the keys they brought, in order, and whether it had
    been done before."""

    events: Sequence[Event]
    keys: Sequence[str] = ()
    repeated: bool = False


class Tournaments:
    """Every change of a tournament, and the tournaments in memory. Where the store is `shared`,
    other instances change them too: before one is looked at, it is read what they have recorded."""

    def __init__(
        self,
        store: Store,
        matches: Matches,
        index: Index,
        keyring: Keyring,
        clock: Clock,
        *,
        shared: bool = False,
    ) -> None:
        self._store = store
        self._shared = shared
        self._matches = matches
        self._index = index
        self._keyring = keyring
        self._clock = clock
        self._open: dict[UUID, OpenTournament] = {}
        self._news = asyncio.Event()

    async def opened(self, tournament_id: UUID) -> OpenTournament:
        """The tournament, read from the store if need be. Raises UnknownTournament."""
        opened = self._place(tournament_id)
        if self._shared or not opened.loaded:
            async with self._alone(opened):
                await self._load(opened)
        return opened

    async def create(
        self, tournament_id: UUID, command: CreateTournament, keep: Callable[[], Awaitable[None]]
    ) -> Done:
        """A new tournament and its keys, players' first. `keep` is called before it is recorded.

        Raises Refused, AlreadyThere or StoreUnavailable.
        """
        opened = OpenTournament(tournament_id)
        events = decide(NOTHING_YET, command)
        records, rows = opened.drafted(events, self._clock.now())
        await keep()
        keys = await self._issue(tournament_id, events)
        try:
            await self._matches.append(rows)
        except Overtaken:
            raise AlreadyThere from None
        opened.extend(records)
        self._open[tournament_id] = opened
        return Done(events, keys)

    async def enter(
        self,
        tournament_id: UUID,
        command: Command,
        request: Request | None = None,
        write: Write | None = None,
    ) -> Done:
        """Lets a command in, and answers when what it caused is on disk.

        `write` records it, by itself if left out. Raises UnknownTournament, Refused or
        StoreUnavailable.
        """
        opened = self._place(tournament_id)
        async with self._alone(opened):
            for lost in range(MOST_TRIES):
                if lost:
                    await asyncio.sleep(lost * PAUSE_SECONDS * random.random())  # noqa: S311
                await self._load(opened)
                if request is not None and repeated(opened.state, request):
                    return Done((), repeated=True)
                events = decide(opened.state, command, request)
                if not events:
                    return Done((), repeated=True)
                try:
                    return await self._record(opened, events, write or self._matches.append)
                except Overtaken:
                    continue
        raise StoreUnavailable

    async def add_match(self, tournament_id: UUID, match_id: UUID, create: Create) -> None:
        """Creates a match in the tournament: both are told of it in one transaction, or neither."""
        added = match_added(match_id, create.created)

        async def write(rows: Sequence[Row]) -> None:
            beside = msgspec.structs.replace(create, beside=tuple(rows))
            await self._matches.enter(match_id, beside, "public")

        await self.enter(tournament_id, added, write=write)

    async def check(self, tournament_id: UUID, command: Command) -> None:
        """Raises UnknownTournament, or Refused if the command would not be taken now."""
        decide((await self.opened(tournament_id)).state, command)

    # The end of matches.

    def over(self) -> None:
        """A match of a tournament has ended: it will be settled soon."""
        self._news.set()

    async def run(self) -> None:
        """Settles for as long as the service runs: at first what an instance before has left."""
        while True:
            self._news.clear()
            wait = LOOK_EVERY if await self._settle_all() else RETRY_SECONDS
            with suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._news.wait()

    async def _settle_all(self) -> bool:
        """Settles every match that has ended. Whether nothing went wrong, which is logged."""
        try:
            unsettled = await from_store(self._unsettled)
        except Exception as error:  # noqa: BLE001  it is tried again
            logs.failed("not_settled", error)
            return False
        settled = [await self._settled(match_id) for match_id in unsettled]
        return all(settled)

    def _unsettled(self) -> list[UUID]:
        self._index.follow()
        return self._index.unsettled()

    async def _settled(self, match_id: UUID) -> bool:
        try:
            await self.settle(match_id)
        except Exception as error:  # noqa: BLE001  the others must not wait for it
            logs.failed("not_settled", error, match=str(match_id))
            return False
        return True

    async def settle(self, match_id: UUID) -> None:
        """Lets a match that has ended count in its tournament, once.

        Its record is read from the store, where the end was seen: what is in memory may be a step
        behind it. Raises NotOver if it has not ended after all.
        """
        records = await from_store(self._store.read, match_id)
        game, match = await asyncio.to_thread(folded, str(match_id), records)
        if match.status not in ("ended", "void"):
            raise NotOver(match_id)
        assert match.created.tournament is not None
        command = SettleMatch(str(match_id), match.result)
        if match.result is not None and game.kept is not None and game.earned is not None:
            command = msgspec.structs.replace(
                command, kept=game.kept(match.game), earned=game.earned(match.game)
            )
        await self.enter(UUID(match.created.tournament), command)

    # The record.

    async def _record(self, opened: OpenTournament, events: Sequence[Event], write: Write) -> Done:
        """Puts what has been decided on the record, and then into memory.

        Whatever goes wrong, the tournament is forgotten: nobody knows what the store has.
        """
        try:
            keys = await self._issue(opened.id, events)
            records, rows = opened.drafted(events, self._clock.now())
            await write(rows)
        except BaseException:
            opened.forget()
            raise
        opened.extend(records)
        return Done(events, keys)

    async def _issue(self, tournament_id: UUID, events: Sequence[Event]) -> list[str]:
        """The keys of those who are new. They are issued first: without their holder they open
        nothing, and nobody ever stands on a roster without one."""
        slots = [slot for slot in map(slot_of, events) if slot is not None]
        if not slots:
            return []
        return await from_store(self._keyring.issue, tournament_id, slots)

    async def _load(self, opened: OpenTournament) -> None:
        """Reads of the tournament what is not in memory; to be called with its lock held."""
        if opened.loaded:
            if self._shared and (
                new := await from_store(self._store.read, opened.id, opened.length)
            ):
                opened.extend(new)
            return
        try:
            opened.load(await from_store(self._read, opened.id))
        except UnknownTournament:
            self._open.pop(opened.id, None)
            raise

    def _read(self, tournament_id: UUID) -> Loaded:
        """What a tournament's record comes to. Blocks, for a long record a while."""
        records = self._store.read(tournament_id)
        if not records or not isinstance(records[0].event, TournamentCreated):
            raise UnknownTournament(tournament_id)
        return loaded(records)

    def _place(self, tournament_id: UUID) -> OpenTournament:
        """The tournament's place in memory, whether or not it has been read yet."""
        opened = self._open.pop(tournament_id, None) or OpenTournament(tournament_id)
        self._open[tournament_id] = opened
        for idle in list(self._open)[: len(self._open) - MOST_OPEN]:
            if not self._open[idle].users:
                del self._open[idle]
        return opened

    @asynccontextmanager
    async def _alone(self, opened: OpenTournament) -> AsyncIterator[None]:
        """One command at a time; a tournament that is waited for is not closed."""
        opened.users += 1
        try:
            async with opened.lock:
                yield
        finally:
            opened.users -= 1


def slot_of(event: Event) -> Slot | None:
    """Whose key an event calls for: a new player's or a new moderator's."""
    if isinstance(event, PlayerEntered):
        return f"p{event.player}"
    return f"m{event.moderator}" if isinstance(event, ModeratorAppointed) else None


def match_added(match_id: UUID, created: MatchCreated) -> AddMatch:
    """What a tournament is told of a new match: who plays it, and what each one brings."""
    game, match = as_created(str(match_id), created)
    names = created.seats
    brought = () if game.brought is None else game.brought(match.options, len(names))
    return AddMatch(match.id, game.id, names, brought)
