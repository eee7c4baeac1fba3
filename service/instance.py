"""One instance of the service: creates its parts and runs them."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine
from functools import partial
from hashlib import sha256
from importlib.metadata import version
from typing import Any
from uuid import UUID

from anyio import CapacityLimiter
from eventsourcing.persistence import PersistenceError

from domain.deadlines import SECOND
from service.application.clock_watch import ClockWatch
from service.application.creation import Creation
from service.application.evidence import Evidence
from service.application.heartbeat import Presence
from service.application.idempotency import IdempotencyStore
from service.application.leader_tasks import LeaderTasks
from service.application.match_service import MatchService
from service.application.match_sessions import MatchSessions
from service.application.scheduler import Scheduler
from service.application.settlement import Settlement
from service.application.tournament_service import TournamentService
from service.application.writer import Writer
from service.auth.keys import KeyFinder, Keyring
from service.checking.scrub import Scrub
from service.clock import Clock, SteadyClock, SystemClock
from service.cluster.clock_agreement import CLOCKS_APART, clocks_agree, without_jump
from service.cluster.leader import ClockGuardedLock, Leader, LeaderLock, SoleInstance
from service.cluster.log_poller import LogPoller
from service.cluster.log_watch import LogWatch
from service.cluster.redis_notifications import RedisNotifications
from service.event_store.clock_log import ClockLog
from service.event_store.closed_records import ClosedRecords
from service.event_store.incarnation import incarnation
from service.event_store.properties import open_properties
from service.event_store.secret_store import SecretStore
from service.event_store.store import Store
from service.event_store.store_health import EmbeddedFile, StoreHealth
from service.event_store.store_probe import open_probe
from service.event_store.store_threads import finish_store_threads, in_store_thread
from service.event_store.stored_formats import record_formats
from service.observability import logs
from service.observability.instrumentation import NO_INSTRUMENTATION, Instrumentation
from service.observability.outages import current_outages
from service.observability.readiness import PROBE_SECONDS
from service.observability.store_faults import fault_of
from service.read_models.index import open_index
from service.read_models.lists import Lists
from service.settings import EMBEDDED, POSTGRES, Settings
from service.signing.notary import Notary
from service.signing.receipts import Receipts
from service.signing.signing_keys import ServiceSigner
from service.snapshots.codec import shape
from service.snapshots.snapshotter import Snapshotter
from service.snapshots.table import open_snapshots
from service.streams.broadcast import Broadcast
from service.streams.live_stream import LiveStreams
from service.streams.outside_news import OutsideNews

KEYS_SECONDS = 1.0
COMPARE_SECONDS = 1.0
MARK_SECONDS = 1.0


CATCHING_UP = 2
"""Maximum number of streams that read far behind the end at the same time. Readers near the end,
and senders of actions, do not wait for them."""


class RecordAhead(logs.OperatorError):
    """The record has an event with a time in the future."""


class Instance:
    """A store and everything that reads from it and writes to it; `running` runs it. `keys` finds
    what a key allows; the shard router sets it, because keys may be in another store. `lock` and
    `writer` replace the leader lock of the store and the thread that commits."""

    keys: KeyFinder

    edition: str
    """What a cached view belongs to, known when the instance runs: see `edition`."""

    incarnation: str
    """The store's incarnation as readers are told it, known when the instance runs."""

    def __init__(
        self,
        settings: Settings,
        clock: Clock | None = None,
        instrumentation: Instrumentation = NO_INSTRUMENTATION,
        lock: LeaderLock | None = None,
        writer: Writer | None = None,
    ) -> None:
        self.settings = settings
        self.instrumentation = instrumentation
        self.clock: Clock = clock or SystemClock()
        self.store = Store(settings.store)
        self.store.instrumentation = instrumentation
        self.health = health_of(self.store, settings)
        self.secret_store = SecretStore(self.store.secrets)
        self.keyring = Keyring(self.store.keyrings, self.clock.now, settings.organiser_key)
        self.idempotency = IdempotencyStore(self.store.keyrings, self.clock.now)
        self.closed = ClosedRecords(self._record_closed)
        self.snapshotter = snapshotter_of(self.store, settings)
        self.properties = open_properties(settings.store, self.store.recorder)
        self.scrub = self._scrub()
        self.sessions = MatchSessions(
            self.store,
            self.secret_store,
            settings.match_memory,
            shared=settings.shared,
            snapshotter=self.snapshotter,
            grown=lambda match_id: self.broadcast.announce(match_id),
            closed=self.closed,
        )
        self.index = open_index(settings.store, self.store.recorder)
        self.index.on_unreadable = self.closed.close
        self.scheduler = Scheduler(self.clock, self._pass_deadline, instrumentation)
        measured = database_clock(settings, self.store, self.clock)
        self.database_ahead = None if measured is None else partial(self._offset_of, measured)
        self.presence = Presence(
            self.properties,
            self.clock,
            settings.grace * SECOND,
            self.database_ahead,
            SteadyClock().now,
        )
        self.clock_watch = ClockWatch(
            self.clock, ClockLog(self.store.keyrings), self.presence, measured
        )
        self.matches = MatchService(
            self.store,
            self.sessions,
            self.clock,
            self._notify,
            self._arm,
            self._match_ended,
            lambda match_id: self.outside_news.grown(match_id),
            shared=settings.shared,
            instrumentation=instrumentation,
            seat_bytes=settings.seat_bytes,
            presence=self.presence,
            writer=writer,
        )
        self.tournaments = TournamentService(
            self.store,
            self.matches,
            self.keyring,
            self.clock,
            self.recheck,
            shared=settings.shared,
        )
        self.settlement = Settlement(self.store, self.index, self.tournaments, self.closed)
        self.creation = Creation(
            self.idempotency,
            self.matches,
            self.sessions,
            self.tournaments,
            self.keyring,
            self.secret_store,
            self.clock,
        )
        self.lists = Lists(self.index, self.health)
        self.signer = ServiceSigner(settings.key_folder, settings.name)
        self.receipts = Receipts(self.signer, self.store, self.secret_store, self.closed)
        self.notary = Notary(
            self.store,
            self.secret_store,
            self.matches.append,
            self.signer,
            self.clock,
            self._unsigned,
            instrumentation,
            self.closed,
        )
        self.evidence = Evidence(self.sessions, self.notary, self.signer)
        lock = lock or leader_lock_of(settings)
        if self.database_ahead is not None:
            lock = ClockGuardedLock(lock, partial(_clock_is_right, self.database_ahead))
        self.leader = Leader(lock, self._leader_tasks().start)
        self.stopping = asyncio.Event()
        self.broadcast = Broadcast(
            self.sessions.loaded, lambda: self.matches.waiting > 0, instrumentation
        )
        self.streams = LiveStreams(
            self.sessions,
            self.broadcast,
            instrumentation,
            self.stopping,
            CapacityLimiter(CATCHING_UP),
            self.health,
        )
        self.outside_news = OutsideNews(self.sessions, self.broadcast)
        self.notifications: RedisNotifications | None = None
        if settings.redis is not None:
            self.notifications = RedisNotifications(settings.redis, self.outside_news)
        self.broken = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Runs the instance's tasks inside the context; closes everything at its end."""
        tasks: list[asyncio.Task[None]] = []
        self._loop = asyncio.get_running_loop()
        try:
            await self.health.begin()
            await asyncio.to_thread(record_formats, self.properties, self.store.recorder)
            await asyncio.to_thread(self._start_clock_after_record)
            await asyncio.to_thread(self.signer.make)
            current = await asyncio.to_thread(incarnation, self.store.keyrings)
            self.edition, self.incarnation = edition(current), current.hex()
            await asyncio.to_thread(self.presence.try_to_beat)
            tasks += [asyncio.create_task(task, name=name) for name, task in self._tasks().items()]
            for task in tasks:
                task.add_done_callback(self._task_ended)
            yield
        finally:
            for task in tasks:
                task.remove_done_callback(self._task_ended)
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self.health.stop()
            self.evidence.stop()
            await asyncio.to_thread(self._close)

    def _tasks(self) -> dict[str, Coroutine[Any, Any, None]]:
        """The tasks that must run for as long as the instance does."""
        tasks = {
            "matches": self.matches.run(),
            "store health": self.health.run(),
            "leader": self.leader.run(),
            "snapshots": self.snapshotter.run(self.sessions),
            "clock": _repeat(COMPARE_SECONDS, self.clock_watch.compare),
            "heartbeat": _repeat(self.presence.interval, self.presence.beat),
            "keys": _repeat(KEYS_SECONDS, self.keyring.refresh),
            "signing keys": _repeat(KEYS_SECONDS, self.signer.refresh),
            "high-water mark": _repeat(MARK_SECONDS, self.store.sync_mark),
        }
        if self.settings.shared:
            tasks["log poller"] = LogPoller(
                self.store, self.outside_news, self._is_subscribed
            ).run()
            tasks["log watch"] = LogWatch(self.store, self.clock.now).run()
        if self.notifications is not None:
            tasks["notifications"] = self.notifications.run()
        return tasks

    def _start_clock_after_record(self) -> None:
        """Starts the clock after the latest recorded time. Where the database has a clock, it goes
        no further ahead than that allows: one instance's wrong time must not spread to the others.
        Blocks."""
        try:
            latest = self.store.latest()
        except PersistenceError as error:
            if fault_of(error) != "corrupt":
                raise
            # It serves what can be read. Within a match no time is earlier than the one before.
            logs.failure("store_failed", error)
            return
        if latest is None:
            return
        now = self.clock.now()
        seconds = (latest - now) / 1e6
        if self.database_ahead is not None:
            latest = min(latest, now + self.database_ahead() + CLOCKS_APART)
        self.clock.not_before(latest)
        if seconds * 1e6 >= CLOCKS_APART:
            ahead_at_start = max(0.0, (latest - now) / 1e6)
            logs.failure(
                "record_ahead_of_clock",
                RecordAhead(
                    f"the record is {seconds:.0f} s ahead of this machine's clock;"
                    f" the service begins {ahead_at_start:.0f} s ahead"
                ),
            )

    def _offset_of(self, database_clock: Callable[[], int]) -> int:
        """By how many microseconds the database's clock is ahead, apart from a jump of the
        machine."""
        return without_jump(database_clock(), self.clock_watch.jump)

    def _leader_tasks(self) -> LeaderTasks:
        return LeaderTasks(
            self.index,
            self.scheduler,
            self.settlement,
            self.notary,
            self.clock,
            self.presence,
            self._pass_deadline,
            self.scrub,
            shared=self.settings.shared,
        )

    def _scrub(self) -> Scrub | None:
        """The scrub of the store; None for a store that is not one of ours."""
        chosen = self.settings
        if chosen.store["PERSISTENCE_MODULE"] not in (EMBEDDED, POSTGRES):
            return None
        return Scrub(
            chosen.store,
            self.properties,
            self.closed,
            self.clock,
            self.snapshotter.drop,
            share=chosen.scrub_share / 100,
            days=chosen.scrub_days,
        )

    def _task_ended(self, task: asyncio.Task[None]) -> None:
        """Handles the end of a task that should run for ever: the instance is broken."""
        error = None if task.cancelled() else task.exception()
        logs.failure("task_ended", error or RuntimeError("it ended"), task=task.get_name())
        self.broken.set()

    def stop_streams(self) -> None:
        """Ends every open stream, so that its reader comes back elsewhere."""
        self.stopping.set()
        self.health.send_back()
        self.broadcast.send_everybody_back()

    def fail_waiting(self) -> None:
        """Fails all waiting commands; it is unknown whether they are on record."""
        self.matches.end()

    def _notify(self, match_id: UUID) -> None:
        """Serves readers of a match that has grown, here and on other instances."""
        self.broadcast.announce(match_id)
        self.tell_others(match_id)

    def recheck(self, stream: UUID) -> None:
        """Makes readers ask again whether they may read, here and on other instances, after a
        tournament has changed or a ticket was used again."""
        self.broadcast.recheck((stream,))
        self.tell_others(stream)

    def keys_revoked(self, hashes: frozenset[bytes]) -> None:
        """Makes those who read by these keys ask again whether they may. Any thread may call it."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.broadcast.recheck, hashes)

    def _record_closed(self, match_id: UUID) -> None:
        """Sends readers of a closed record away, who meet the reason when they come back. Any
        thread may call it."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._forget_closed, match_id)

    def _forget_closed(self, match_id: UUID) -> None:
        self.sessions.invalidate(match_id)
        self.broadcast.announce(match_id)

    def tell_others(self, stream: UUID) -> None:
        """Notifies other instances, if there are any."""
        if self.notifications is not None:
            self.notifications.notify(stream)

    def _is_subscribed(self) -> bool:
        """Whether this instance receives notifications from the others."""
        return self.notifications is not None and self.notifications.alive

    def _arm(self, match_id: UUID, due: int | None) -> None:
        """Arms a deadline if this instance is the leader, which finds the others' in the log."""
        if self.leader.leads:
            self.scheduler.arm(match_id, due)

    async def _pass_deadline(self, match_id: UUID) -> None:
        await self.matches.pass_deadline(match_id)

    def _match_ended(self, in_tournament: bool) -> None:
        self.notary.match_ended()
        if in_tournament:
            self.settlement.match_ended()

    def _unsigned(self) -> list[UUID]:
        self.index.follow()
        return self.index.unsigned()

    def _close(self) -> None:
        self.matches.close()
        self.presence.leave()
        self.notary.close()
        self.index.stop()
        finish_store_threads()
        self.health.close()
        self.snapshotter.close()
        if self.scrub is not None:
            self.scrub.close()
        self.index.close()
        self.properties.close()
        self.store.close()


def edition(store_incarnation: bytes) -> str:
    """The part of the public's entity tags that changes when the same number of events may be
    shown differently: with the release, and with the store's incarnation."""
    return sha256(version("arbiter").encode() + b"\0" + store_incarnation).hexdigest()[:16]


async def _repeat(seconds: float, do: Callable[[], None]) -> None:
    """Calls a blocking function at intervals for ever. Errors are logged."""
    while True:
        await asyncio.sleep(seconds)
        try:
            await asyncio.to_thread(do)
        except Exception as error:  # noqa: BLE001  it is tried again
            logs.failure("not_done", error, what=do.__qualname__)


def snapshotter_of(store: Store, settings: Settings) -> Snapshotter:
    """The snapshotter of a store."""
    return Snapshotter(store, open_snapshots(settings.store, store.recorder, shape()))


def health_of(store: Store, settings: Settings) -> StoreHealth:
    """The health of a store."""
    file = None
    if settings.store["PERSISTENCE_MODULE"] == EMBEDDED:
        file = EmbeddedFile(settings.store["SQLITE_DBNAME"], settings.disk)
    return StoreHealth(open_probe(settings.store, store.recorder), current_outages.get(), file)


def database_clock(settings: Settings, store: Store, clock: Clock) -> Callable[[], int] | None:
    """A function that measures how many microseconds the database's clock is ahead of the
    instance's. None for a store without a clock, and for a virtual clock."""
    if settings.store["PERSISTENCE_MODULE"] != POSTGRES or not isinstance(clock, SystemClock):
        return None
    # Imported here for the same reason as the leader lock.
    from eventsourcing.postgres import PostgresApplicationRecorder

    from service.cluster.postgres_clock import database_ahead

    assert isinstance(store.recorder, PostgresApplicationRecorder), "the store is PostgreSQL"
    return partial(database_ahead, store.recorder, clock.now)


async def _clock_is_right(database_ahead: Callable[[], int]) -> bool:
    """Whether the clock agrees with the database's. If the database does not answer, the clock
    counts as right."""
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            return clocks_agree(await in_store_thread(database_ahead))
    except Exception:  # noqa: BLE001  the error is logged where the database is needed
        return True


def leader_lock_of(settings: Settings) -> LeaderLock:
    """The leader lock of a store."""
    if settings.store["PERSISTENCE_MODULE"] != POSTGRES:
        return SoleInstance()
    # Imported here, so that an instance without PostgreSQL starts faster.
    from service.cluster.postgres_leader_lock import PostgresLeaderLock
    from service.event_store.postgres_address import postgres_address

    return PostgresLeaderLock(postgres_address(settings.store))
