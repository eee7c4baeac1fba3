"""One instance of the service: its parts, put together once."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine
from functools import partial
from typing import Any
from uuid import UUID

from service import logs
from service.access.keys import KeyFinder, Keyring
from service.clock import Clock, SystemClock
from service.creation import Creation
from service.door.dealer import Dealer
from service.door.matches import Matches
from service.door.open_matches import OpenMatches
from service.door.requests import Requests
from service.door.scheduler import Scheduler
from service.door.tournaments import Tournaments
from service.instances.duties import Duties
from service.instances.hub import Hub
from service.instances.leading import Alone, Lead, Leader, Punctual
from service.instances.news import News
from service.instances.tail import Tail
from service.keeping.keeper import Keeper
from service.keeping.snapshots import shape
from service.lists import Lists
from service.operation.readiness import CLOCKS_APART, PROBE_SECONDS, clocks_agree
from service.proof.notary import Notary
from service.proof.receipts import Receipts
from service.proof.signing import Signing
from service.settings import POSTGRES, Settings
from service.storage.index import open_index
from service.storage.reading import finish_reading, from_store
from service.storage.snapshots import open_snapshots
from service.storage.store import Store
from service.watcher import NOBODY, Watcher

KEYS_EVERY = 1.0
COMPARE_EVERY = 1.0


class RecordAhead(logs.Plain):
    """Something is on record under a time that has not come yet."""


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
            self.store,
            self.dealer,
            settings.room,
            shared=settings.shared,
            keeper=self.keeper,
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
        self.creation = Creation(
            self.requests,
            self.matches,
            self.open_matches,
            self.tournaments,
            self.keyring,
            self.dealer,
            self.clock,
        )
        self.lists = Lists(self.index)
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
        self._database_ahead = database_clock(settings, self.store, self.clock)
        lead = lead_of(settings)
        if self._database_ahead is not None:
            lead = Punctual(lead, self._clock_is_right)
        self.leader = Leader(lead, self._duties().begun)
        self.news: News | None = None
        if settings.redis is not None:
            self.news = News(settings.redis, self.hub)
        self.stopping = asyncio.Event()
        self.broken = asyncio.Event()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Judges, commits and reports deadlines until left; then everything is closed."""
        tasks: list[asyncio.Task[None]] = []
        try:
            await asyncio.to_thread(self._begin_behind_record)
            await asyncio.to_thread(self.signing.make)
            tasks += [asyncio.create_task(task, name=name) for name, task in self._tasks().items()]
            for task in tasks:
                task.add_done_callback(self._ended)
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
            "clock": _every(COMPARE_EVERY, self.clock.compare),
            "keys": _every(KEYS_EVERY, self.keyring.refresh),
            "signing keys": _every(KEYS_EVERY, self.signing.refresh),
        }
        if self.settings.shared:
            tasks["tail"] = Tail(self.store, self.hub, self._told).run()
        if self.news is not None:
            tasks["news"] = self.news.run()
        return tasks

    def _begin_behind_record(self) -> None:
        """The time begins behind what is on record; but where the database has a clock, no further
        than that allows: one instance's wrong time must not become everybody's. Blocks."""
        latest = self.store.latest()
        if latest is None:
            return
        now = self.clock.now()
        seconds = (latest - now) / 1e6
        if self._database_ahead is not None:
            latest = min(latest, now + self._database_ahead() + CLOCKS_APART)
        self.clock.not_before(latest)
        if seconds * 1e6 >= CLOCKS_APART:
            begins = max(0.0, (latest - now) / 1e6)
            logs.failed(
                "record_ahead_of_clock",
                RecordAhead(
                    f"the record is {seconds:.0f} s ahead of this machine's clock;"
                    f" the service begins {begins:.0f} s ahead"
                ),
            )

    async def _clock_is_right(self) -> bool:
        """Whether the database does not say otherwise; while it says nothing, nobody knows."""
        assert self._database_ahead is not None
        try:
            async with asyncio.timeout(PROBE_SECONDS):
                return clocks_agree(await from_store(self._database_ahead))
        except Exception:  # noqa: BLE001  whoever needs the database will say what is wrong with it
            return True

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

    def give_up(self) -> None:
        """Tells whoever waits for a command that nobody knows what becomes of it."""
        self.matches.end()

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
        self.index.stop()
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


def keeper_of(store: Store, settings: Settings) -> Keeper:
    """The keeper of the snapshots that lie beside the log."""
    return Keeper(store, open_snapshots(settings.store, store.recorder, shape()))


def database_clock(settings: Settings, store: Store, clock: Clock) -> Callable[[], int] | None:
    """Asks by how many microseconds the database's clock is ahead of the instance's; None for a
    store without a clock of its own, and for a clock that is moved by hand: that is never right."""
    if settings.store["PERSISTENCE_MODULE"] != POSTGRES or not isinstance(clock, SystemClock):
        return None
    # Loaded only here, as the lead is.
    from eventsourcing.postgres import PostgresApplicationRecorder

    from service.operation.database_clock import database_ahead

    assert isinstance(store.recorder, PostgresApplicationRecorder)
    return partial(database_ahead, store.recorder, clock.now)


def lead_of(settings: Settings) -> Lead:
    """What an instance needs to lead those on its store."""
    if settings.store["PERSISTENCE_MODULE"] != POSTGRES:
        return Alone()
    # Loaded only here: whoever has no PostgreSQL does not wait for it.
    from service.storage.lead import PostgresLead, address

    return PostgresLead(address(settings.store))
