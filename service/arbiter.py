"""One instance of the service: its parts, put together once."""

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any
from uuid import UUID

import msgspec

from domain.game import RecordRule, Refused
from domain.games import GAMES
from domain.match_events import Chance, MatchCreated
from domain.match_events import Clock as ClockRule
from domain.seats import check_names
from domain.tournament import CreateTournament
from domain.tournament_state import Request
from projections.ledger import Posted
from projections.tournaments import Shown
from service import logs
from service.clock import Clock, SystemClock
from service.dealer import Dealer, Hidden
from service.duties import Duties
from service.hub import Hub
from service.keeper import Keeper
from service.keys import KeyFinder, Keyring
from service.leading import Alone, Lead, Leader
from service.matches import Matches
from service.news import News
from service.notary import Notary
from service.open_matches import OpenMatches, UnknownMatch, finish_reading, from_store
from service.operation.watcher import NOBODY, Watcher
from service.pending import Create
from service.receipts import Receipts
from service.requests import Keep, Requests
from service.scheduler import Scheduler
from service.settings import POSTGRES, Settings
from service.signing import Signing
from service.snapshots import shape
from service.storage.index import MatchPage, TournamentPage, open_index
from service.storage.snapshots import open_snapshots
from service.storage.store import Store
from service.tail import Tail
from service.tournaments import Done, Tournaments, UnknownTournament, match_added

KEYS_EVERY = 1.0


class Opened(msgspec.Struct, frozen=True):
    """A match that has just been created, and the keys to it, which are shown this once: without
    them, the match had been created before by the same request."""

    id: UUID
    seat_keys: list[str]
    moderator_key: str
    repeated: bool = False


class Arbiter:
    """The store and all that reads from and writes to it. `running` keeps it going. `keys` finds
    what a key allows; it is given by whoever has several stores."""

    keys: KeyFinder

    def __init__(
        self, settings: Settings, clock: Clock | None = None, watcher: Watcher = NOBODY
    ) -> None:
        self.settings = settings
        self.watcher = watcher
        self.clock: Clock = clock or SystemClock()
        self.store = Store(settings.store)
        self.store.watcher = watcher
        self.dealer = Dealer(self.store.secrets)
        self.keyring = Keyring(self.store.keyrings, self.clock.now, settings.organiser_key)
        self.requests = Requests(self.store.keyrings, self.clock.now)
        self.hub = Hub()
        self.keeper = keeper_of(self.store, settings)
        self.open_matches = OpenMatches(
            self.store, self.dealer, shared=settings.shared, keeper=self.keeper
        )
        self.index = open_index(settings.store, self.store.recorder)
        self.scheduler = Scheduler(self.clock, self._pass_deadline, watcher)
        self.matches = Matches(
            self.store,
            self.open_matches,
            self.clock,
            self._woken,
            self._arm,
            self._over,
            shared=settings.shared,
            watcher=watcher,
        )
        self.tournaments = Tournaments(
            self.store,
            self.matches,
            self.index,
            self.keyring,
            self.clock,
            shared=settings.shared,
        )
        self.signing = Signing(settings.key_folder, settings.name)
        self.receipts = Receipts(self.signing, self.store, self.dealer)
        self.notary = Notary(
            self.store,
            self.dealer,
            self.matches.append,
            self.signing,
            self.clock,
            self._unsigned,
            watcher,
        )
        self.leader = Leader(lead_of(settings), self._duties().begun)
        self.news: News | None = None
        if settings.redis is not None:
            self.news = News(settings.redis, self.hub)
        self.stopping = asyncio.Event()
        self.broken = asyncio.Event()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Judges, commits and reports deadlines until left; then everything is closed."""
        latest = await asyncio.to_thread(self.store.latest)
        if latest is not None:
            self.clock.not_before(latest)
        await asyncio.to_thread(self.signing.make)
        tasks = [asyncio.create_task(task, name=name) for name, task in self._tasks().items()]
        for task in tasks:
            task.add_done_callback(self._ended)
        try:
            yield
        finally:
            for task in tasks:
                task.remove_done_callback(self._ended)
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.to_thread(self._close)

    def _tasks(self) -> dict[str, Coroutine[Any, Any, None]]:
        """What has to run for as long as the instance does."""
        tasks = {
            "matches": self.matches.run(),
            "leader": self.leader.run(),
            "snapshots": self.keeper.run(self.open_matches),
            "keys": _every(KEYS_EVERY, self.keyring.refresh),
            "signing keys": _every(KEYS_EVERY, self.signing.refresh),
        }
        if self.settings.shared:
            tasks["tail"] = Tail(self.store, self.hub, self._told).run()
        if self.news is not None:
            tasks["news"] = self.news.run()
        return tasks

    def _duties(self) -> Duties:
        return Duties(
            self.index,
            self.scheduler,
            self.tournaments,
            self.notary,
            self.clock,
            shared=self.settings.shared,
        )

    def _ended(self, task: asyncio.Task[None]) -> None:
        """What has to run for ever has not: nothing can be promised any more."""
        error = None if task.cancelled() else task.exception()
        logs.failed("task_ended", error or RuntimeError("it ended"), task=task.get_name())
        self.broken.set()

    def stop_streams(self) -> None:
        """Ends every open stream, so that its reader comes back elsewhere."""
        self.stopping.set()
        self.hub.wake_all()

    async def create(
        self,
        game_id: str,
        names: tuple[str, ...],
        options: dict[str, Any],
        chance: Chance,
        clock: ClockRule,
        record: RecordRule | None,
        tournament: UUID | None = None,
        request: Request | None = None,
    ) -> Opened:
        """Creates a match, in a tournament or by itself, and issues its keys; once for a request.

        Raises Refused for what its rules or its tournament do not allow, UnknownTournament,
        msgspec.ValidationError for options of the wrong shape, RequestInFlight, and
        StoreUnavailable.
        """

        async def found(match_id: UUID) -> Opened | None:
            with contextlib.suppress(UnknownMatch):
                await self.open_matches.opened(match_id)
                return Opened(match_id, [], "", repeated=True)
            return None

        async def make(match_id: UUID, keep: Keep) -> Opened:
            if tournament is not None:
                await self.tournaments.opened(tournament)
            created = new_match(game_id, names, options, chance, clock, record, tournament)
            keys = await self._enter(match_id, created, tournament, keep)
            return Opened(match_id, keys[1:], keys[0])

        return await self.requests.once(request, uuid7(self.clock.now() // 1000), found, make)

    async def _enter(
        self, match_id: UUID, created: MatchCreated, tournament: UUID | None, keep: Keep
    ) -> list[str]:
        """Lets a new match in, and gives its keys, the moderator's first."""
        if tournament is not None:
            await self.tournaments.check(tournament, match_added(match_id, created))
        await keep()
        keys, hidden = await from_store(self._prepare, match_id, created)
        create = Create(created, hidden)
        if tournament is None:
            await self.matches.enter(match_id, create, "public")
        else:
            await self.tournaments.add_match(tournament, match_id, create)
        return keys

    async def create_tournament(
        self, command: CreateTournament, request: Request | None = None
    ) -> tuple[UUID, Done]:
        """Creates a tournament and issues the keys of its players and moderators; once for a
        request.

        Raises Refused, RequestInFlight or StoreUnavailable.
        """

        async def found(tournament_id: UUID) -> tuple[UUID, Done] | None:
            with contextlib.suppress(UnknownTournament):
                await self.tournaments.opened(tournament_id)
                return tournament_id, Done((), repeated=True)
            return None

        async def make(tournament_id: UUID, keep: Keep) -> tuple[UUID, Done]:
            return tournament_id, await self.tournaments.create(tournament_id, command, keep)

        return await self.requests.once(request, uuid7(self.clock.now() // 1000), found, make)

    async def listed(
        self,
        *,
        after: UUID | None,
        limit: int,
        game: str | None,
        status: str | None,
        tournament: str | None,
        name: str | None = None,
    ) -> MatchPage:
        """A page of the public list, of everything acknowledged by now.

        The id of a tournament may be in upper case; what is no id is nobody's.
        """
        with contextlib.suppress(ValueError):
            tournament = None if tournament is None else str(UUID(tournament))

        def page() -> MatchPage:
            self.index.follow()
            return self.index.page(
                after=after,
                limit=limit,
                game=game,
                status=status,
                tournament=tournament,
                name=name,
            )

        return await from_store(page)

    async def listed_tournaments(
        self, *, after: UUID | None, limit: int, name: str | None = None
    ) -> TournamentPage:
        """A page of the public list of tournaments, of everything acknowledged by now."""

        def page() -> TournamentPage:
            self.index.follow()
            return self.index.tournaments(after=after, limit=limit, name=name)

        return await from_store(page)

    async def shown(self, tournament: UUID) -> Shown:
        """What everybody may see of a tournament, of all that is acknowledged by now.

        Raises UnknownTournament.
        """

        def found() -> Shown | None:
            self.index.follow()
            return self.index.shown(tournament)

        shown = await from_store(found)
        if shown is None:
            raise UnknownTournament(tournament)
        return shown

    async def postings(
        self, tournament: UUID, player: int | None, after: int, upto: int
    ) -> list[Posted]:
        """The postings of a tournament behind number `after`, up to number `upto`, which has been
        acknowledged: as a player counts his own, or all of them."""

        def found() -> list[Posted]:
            self.index.follow()
            return self.index.postings(tournament, player, after=after, upto=upto)

        return await from_store(found)

    def _prepare(self, match_id: UUID, created: MatchCreated) -> tuple[list[str], Hidden]:
        """What must lie in the store before the match is there: without it, it harms nobody."""
        count = len(created.seats)
        slots = ["mod", *(f"s{seat}" for seat in range(count))]
        keys = self.keyring.issue(match_id, slots)
        return keys, self.dealer.keep(match_id, count, created.chance)

    def _woken(self, match_id: UUID) -> None:
        """A match has news, for readers here and elsewhere."""
        self.hub.wake(match_id)
        if self.news is not None:
            self.news.tell(match_id)

    def _told(self) -> bool:
        """Whether other instances' news reach this one without being looked for."""
        return self.news is not None and self.news.alive

    def _arm(self, match_id: UUID, due: int | None) -> None:
        """Deadlines are the leader's; it finds in the log what others have set."""
        if self.leader.leads:
            self.scheduler.arm(match_id, due)

    async def _pass_deadline(self, match_id: UUID) -> None:
        await self.matches.pass_deadline(match_id)

    def _over(self, in_tournament: bool) -> None:
        self.notary.over()
        if in_tournament:
            self.tournaments.over()

    def _unsigned(self) -> list[UUID]:
        self.index.follow()
        return self.index.unsigned()

    def _close(self) -> None:
        self.matches.close()
        self.notary.close()
        finish_reading()
        self.keeper.close()
        self.index.close()
        self.store.close()


async def _every(seconds: float, do: Callable[[], None]) -> None:
    """Does a blocking thing again and again; what goes wrong is logged, and tried again."""
    while True:
        await asyncio.sleep(seconds)
        try:
            await asyncio.to_thread(do)
        except Exception as error:  # noqa: BLE001  it is tried again
            logs.failed("not_done", error, what=do.__qualname__)


def new_match(
    game_id: str,
    names: tuple[str, ...],
    options: dict[str, Any],
    chance: Chance,
    clock: ClockRule,
    record: RecordRule | None,
    tournament: UUID | None,
) -> MatchCreated:
    """The first event of a match, with its options complete.

    Raises Refused for what the rules do not allow, and msgspec.ValidationError for options of the
    wrong shape.
    """
    game = GAMES.get(game_id)
    if game is None:
        raise Refused("unknown_game", f"there are: {', '.join(GAMES)}")
    check_names(names, game.seats)
    chosen = msgspec.convert(options, game.Options)
    game.check(chosen, len(names))
    rule = record or game.records[0]
    if rule not in game.records:
        raise Refused("record_not_allowed", f"this game allows: {', '.join(game.records)}")
    played = game.complete(chosen, len(names))
    return MatchCreated(
        game.id,
        game.rules_version,
        msgspec.json.decode(msgspec.json.encode(played)),
        names,
        chance,
        clock,
        rule,
        None if tournament is None else str(tournament),
    )


def uuid7(milliseconds: int) -> UUID:
    """A time-ordered id (RFC 9562, version 7): 48 bits of time, 74 from the system's generator."""
    value = milliseconds << 80 | 0x7 << 76 | secrets.randbits(12) << 64
    return UUID(int=value | 0b10 << 62 | secrets.randbits(62))


def keeper_of(store: Store, settings: Settings) -> Keeper:
    """The keeper of the snapshots that lie beside the log."""
    return Keeper(store, open_snapshots(settings.store, store.recorder, shape()))


def lead_of(settings: Settings) -> Lead:
    """What an instance needs to lead those on its store."""
    if settings.store["PERSISTENCE_MODULE"] != POSTGRES:
        return Alone()
    # Loaded only here: whoever has no PostgreSQL does not wait for it.
    from service.storage.lead import PostgresLead, address

    return PostgresLead(address(settings.store))
