"""The tournament service: every change of a tournament is executed here, one at a time.

Each command is decided on the state in memory and recorded before that state is replaced. An
instance that loses a race reads the tournament again and decides again.
"""

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from uuid import UUID
from weakref import WeakValueDictionary

from msgspec import Struct

from domain.cases.match_events import TournamentCaseClosed, TournamentCaseOpened
from domain.events import Event, Record, stored_name
from domain.match.events import MatchCreated
from domain.match.replay import created_match
from domain.people import Actor
from domain.proof.commitments import BLIND_BYTES
from domain.tournament.commands import AddMatch, Command, NewTournament
from domain.tournament.decide import blinded, decide
from domain.tournament.events import (
    ModeratorNamed,
    OrganiserAppointed,
    PlayerNamed,
    PlayerRegistered,
    PlayerRenamed,
    TournamentCreated,
)
from domain.tournament.fold import fold
from domain.tournament.following import lapsed
from domain.tournament.state import NOTHING_YET, KeyedRequest, Tournament, is_repeated
from service.application.announcer import Announcer
from service.application.matches.command_queue import (
    AlreadyExists,
    CommandResponse,
    CreateMatch,
    PreconditionFailed,
)
from service.application.matches.match_service import MatchService
from service.application.tournaments.loaded_tournament import LoadedTournament
from service.application.tournaments.lots import LotsSeeds
from service.auth.keyring import OPERATOR, Slot
from service.auth.keys import Keyring
from service.clock import Clock
from service.event_store.alongside import Alongside
from service.event_store.errors import ConcurrencyConflict, UnknownTournament, retried
from service.event_store.recorder import Row
from service.event_store.secret_store import SecretStore
from service.event_store.store import Store, rows
from service.event_store.store_threads import in_store_thread
from service.event_store.stream_ids import TOURNAMENT, among

MOST_LOADED = 256
"""Maximum tournaments in memory; those that were used last are kept."""
Write = Callable[[Sequence[Row]], Awaitable[object]]

_OF_CASES = frozenset(map(stored_name, (TournamentCaseOpened, TournamentCaseClosed)))


class TournamentChange(Struct, frozen=True):
    """The result of a command: its events, the keys issued for them, in order, and whether the
    command was a repeat."""

    events: Sequence[Event]
    keys: Sequence[str] = ()
    repeated: bool = False


class TournamentService:
    """Executes commands on tournaments, and caches the most recently used ones. Where the store is
    `shared`, other instances change them, too, so what they have recorded is read first."""

    def __init__(
        self,
        store: Store,
        matches: MatchService,
        keyring: Keyring,
        clock: Clock,
        announcer: Announcer,
        *,
        shared: bool = False,
    ) -> None:
        self._changed, self._read_more = announcer.changed, announcer.records_read
        self._store = store
        self._shared = shared
        self._matches = matches
        self._keyring = keyring
        self.clock = clock
        self.lots = LotsSeeds(SecretStore(store.secrets))
        self._loaded: OrderedDict[UUID, LoadedTournament] = OrderedDict()
        self._locks: WeakValueDictionary[UUID, asyncio.Lock] = WeakValueDictionary()

    def loaded(self, tournament_id: UUID) -> LoadedTournament | None:
        """The tournament if it is in memory. This does not count as a use."""
        return self._loaded.get(tournament_id)

    async def current(self, tournament_id: UUID) -> LoadedTournament:
        """The tournament with everything on record. Raises UnknownTournament."""
        in_memory = self._in_memory(tournament_id)
        if in_memory is not None and not self._shared:
            return in_memory
        async with self._lock(tournament_id):
            return await self._load(tournament_id)

    async def cached(self, tournament_id: UUID) -> LoadedTournament:
        """The tournament as it is in memory, perhaps behind the record. Raises
        UnknownTournament."""
        return self._in_memory(tournament_id) or await self.current(tournament_id)

    @asynccontextmanager
    async def rewriting(self, tournament_id: UUID) -> AsyncIterator[None]:
        """While its record is changed no command is executed on the tournament, which is read again
        afterwards."""
        async with self._lock(tournament_id):
            try:
                yield
            finally:
                self.forget(tournament_id)

    def forget(self, tournament_id: UUID) -> None:
        """Reads the tournament again when it is needed next."""
        self._loaded.pop(tournament_id, None)

    async def now(self, tournament_id: UUID) -> Tournament:
        """The state with everything on record, and without what has lapsed since. Raises
        UnknownTournament."""
        loaded = await self.current(tournament_id)
        return fold(loaded.state, [record.event for record in self._lapsed(loaded)])

    async def create(
        self,
        tournament_id: UUID,
        command: NewTournament,
        record_request: Callable[[], Awaitable[None]],
        by: Actor,
    ) -> TournamentChange:
        """Creates a tournament and its keys at the request of `by`, the players' first.
        `record_request` is called before anything is recorded.

        Raises Refused, AlreadyExists or StoreUnavailable.
        """
        loaded = LoadedTournament()
        events = blinded(decide(NOTHING_YET, command, by=by), _new_blind)
        events.append(
            await in_store_thread(self.lots.commit, tournament_id, 0, fold(NOTHING_YET, events))
        )
        records = loaded.next(events, self.clock.now())
        await record_request()
        keys = await self._issue(tournament_id, fold(NOTHING_YET, events), events, by)
        try:
            await self._matches.commits.append(rows(tournament_id, 0, records))
        except ConcurrencyConflict:
            raise AlreadyExists from None
        loaded.extend(records)
        self._remember(tournament_id, loaded)
        return TournamentChange(events, keys)

    async def execute(
        self,
        tournament_id: UUID,
        command: Command,
        request: KeyedRequest | None = None,
        write: Write | None = None,
        expected: Callable[[Tournament], bool] = lambda _: True,
        by: Actor | None = None,
    ) -> TournamentChange:
        """Executes a command; returns when its consequences are on disk. What has lapsed before it
        is recorded with it.

        `write` records the rows, by default through the match service, and may lose a race: that
        raises ConcurrencyConflict, and is not tried again here. `by` asked for it, None for
        the service itself, and for rulings, which say who gave them. Raises UnknownTournament,
        Refused, StoreUnavailable, or PreconditionFailed if the tournament is not as `expected`.
        """

        async def attempt() -> TournamentChange:
            await self._matches.presence.confirm()
            loaded = await self._load(tournament_id)
            if request is not None and is_repeated(loaded.state, request):
                return TournamentChange((), repeated=True)
            past = self._lapsed(loaded)
            state = fold(loaded.state, [record.event for record in past])
            if not expected(state):
                raise PreconditionFailed
            events = blinded(decide(state, command, request, by), _new_blind)
            if not events and not past:
                return TournamentChange((), repeated=True)
            write_rows = write or self._matches.commits.append
            asker = by or OPERATOR
            change = await self._record(tournament_id, loaded, past, events, write_rows, asker)
            self._changed(tournament_id)
            return change

        async with self._lock(tournament_id):
            return await (retried(attempt) if write is None else attempt())

    def _lapsed(self, loaded: LoadedTournament) -> Sequence[Record[Event]]:
        """What has lapsed by now. A tournament with a record at the end of an absence, or later,
        has been moved by it already: nothing was decided before."""
        absences = [
            absence for absence in self._matches.presence.absences if absence.ended > loaded.at
        ]
        return lapsed(loaded.state, self.clock.now(), absences)

    def written_with(self, alongside: Alongside | None) -> Write | None:
        """What records the rows of a tournament, and those of a case if it is opened or closed by
        them: a ruling that waits for a second person closes none yet."""
        if alongside is None:
            return None

        async def write(rows: Sequence[Row]) -> None:
            case_changes = not _OF_CASES.isdisjoint(row.topic for row in rows)
            case = alongside if case_changes else Alongside()
            await self._matches.commits.append((*rows, *case.rows), case.digests)

        return write

    async def add_match(
        self, tournament_id: UUID, command: AddMatch, create: CreateMatch, by: Actor | None = None
    ) -> CommandResponse:
        """Creates a match in the tournament. Both records grow in one transaction, or neither."""
        answers: list[CommandResponse] = []

        async def write(added_rows: Sequence[Row]) -> None:
            alongside = Alongside(tuple(added_rows))
            answers.append(
                await self._matches.execute(
                    UUID(command.match), create, "public", alongside=alongside
                )
            )

        await retried(partial(self.execute, tournament_id, command, write=write, by=by))
        return answers[-1]

    async def check(self, tournament_id: UUID, command: Command) -> None:
        """Raises UnknownTournament, or Refused if the command would not be executed now."""
        decide((await self.current(tournament_id)).state, command)

    async def _record(
        self,
        tournament_id: UUID,
        loaded: LoadedTournament,
        past: Sequence[Record[Event]],
        events: Sequence[Event],
        write: Write,
        by: Actor,
    ) -> TournamentChange:
        """Records what has been decided, then replaces the state in memory.

        After any error the tournament is forgotten, because it is unknown what the store has.
        """
        try:
            keys = await self._issue(tournament_id, loaded.state, events, by)
            records = loaded.next(events, self.clock.now(), past)
            await write(rows(tournament_id, loaded.length, records))
        except BaseException:
            self._loaded.pop(tournament_id, None)
            self._changed(tournament_id)
            raise
        loaded.extend(records)
        return TournamentChange(events, keys, repeated=not events)

    async def _issue(
        self, tournament_id: UUID, state: Tournament, events: Sequence[Event], by: Actor
    ) -> list[str]:
        """Issues the keys of new people before the events are recorded: a key is worth nothing
        before its owner is on the roster. Players have none where they get theirs by
        invitations, and those who are renamed keep theirs."""
        without = any(isinstance(event, PlayerRegistered | PlayerRenamed) for event in events)
        by_invitation = without or state.keys == "invitations"
        holders = [
            holder
            for event in events
            if (holder := holder_of(event)) is not None
            and not (by_invitation and isinstance(event, PlayerNamed))
        ]
        if not holders:
            return []
        return await in_store_thread(self._keyring.issue_named, tournament_id, holders, by)

    async def _load(self, tournament_id: UUID) -> LoadedTournament:
        """Reads what is not in memory yet. The caller must have the tournament's lock."""
        loaded = self._in_memory(tournament_id)
        if loaded is None:
            loaded = await in_store_thread(self._read, tournament_id)
            self._remember(tournament_id, loaded)
        elif self._shared:
            new = await in_store_thread(self._store.read, tournament_id, loaded.length)
            if new:
                loaded.extend(new)
                self._read_more(tournament_id)
        return loaded

    def _read(self, tournament_id: UUID) -> LoadedTournament:
        """A tournament from its record. Blocks; a long record takes a while."""
        records = self._store.read(among(TOURNAMENT, tournament_id))
        if not records or not isinstance(records[0].event, TournamentCreated):
            raise UnknownTournament(tournament_id)
        loaded = LoadedTournament()
        loaded.extend(records)
        return loaded

    def _lock(self, tournament_id: UUID) -> asyncio.Lock:
        """Lets one command through at a time."""
        return self._locks.setdefault(tournament_id, asyncio.Lock())

    def _in_memory(self, tournament_id: UUID) -> LoadedTournament | None:
        """The tournament if it is in memory; it becomes the last to be forgotten."""
        if tournament_id in self._loaded:
            self._loaded.move_to_end(tournament_id)
        return self._loaded.get(tournament_id)

    def _remember(self, tournament_id: UUID, loaded: LoadedTournament) -> None:
        self._loaded[tournament_id] = loaded
        while len(self._loaded) > MOST_LOADED:
            self._loaded.popitem(last=False)


def _new_blind() -> bytes:
    return secrets.token_bytes(BLIND_BYTES)


def holder_of(event: Event) -> tuple[Slot, str] | None:
    """The key slot and the name of someone who has a key from now on; None for other events. Keys
    of players are without one, which the roster has."""
    match event:
        case PlayerNamed(player):
            return f"p{player}", ""
        case ModeratorNamed(moderator, name):
            return f"m{moderator}", name
        case OrganiserAppointed(organiser, name):
            return f"o{organiser}", name
    return None


def match_added(match_id: UUID, created: MatchCreated, names: tuple[str, ...]) -> AddMatch:
    """The command that adds a new match to its tournament, with its players and their stakes."""
    game, match = created_match(str(match_id), created)
    stakes = () if game.stake is None else game.stake(match.options, len(names))
    return AddMatch(match.id, game.id, names, stakes)
