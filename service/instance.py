"""One instance of the service: creates its parts and runs them."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine
from functools import partial
from typing import Any
from uuid import UUID

from anyio import CapacityLimiter

from domain.deadlines import SECOND
from service.application.case_service import CaseService
from service.application.clock_watch import ClockWatch
from service.application.corrections import CorrectionService
from service.application.creation import Creation
from service.application.evidence import Evidence
from service.application.first_time import start_after_record
from service.application.heartbeat import Presence
from service.application.idempotency import IdempotencyStore
from service.application.invitations import Invitations
from service.application.leader_tasks import LeaderTasks
from service.application.match_keys import MatchKeys
from service.application.match_service import MatchService
from service.application.match_sessions import MatchSessions
from service.application.read_account import ReadAccount
from service.application.ruling_lists import RulingLists
from service.application.ruling_reader import RulingReader
from service.application.rulings import RulingService
from service.application.scheduler import Scheduler
from service.application.settlement import Settlement
from service.application.succession import Succession
from service.application.tournament_service import TournamentService
from service.application.writer import Writer
from service.auth.keys import Keyring
from service.clock import Clock, SteadyClock, SystemClock
from service.cluster.clock_agreement import without_jump
from service.cluster.leader import ClockGuardedLock, Leader, LeaderLock
from service.cluster.log_poller import LogPoller
from service.cluster.log_watch import LogWatch
from service.event_store.clock_log import ClockLog
from service.event_store.closed_records import ClosedRecords
from service.event_store.incarnation import edition, incarnation
from service.event_store.properties import open_properties
from service.event_store.reads import open_reads
from service.event_store.secret_store import SecretStore
from service.event_store.store import Store
from service.event_store.store_format import record_format
from service.event_store.store_threads import finish_store_threads, in_store_thread
from service.instance_parts import (
    clock_is_right,
    database_clock,
    health_of,
    leader_lock_of,
    notifications_of,
    repeat,
    scrub_of,
)
from service.notices.host_names import HostNames
from service.notices.log_reader import NoticeReader
from service.notices.posting import Posting
from service.notices.registrant import Registrant
from service.notices.sender import Sender
from service.notices.webhook_table import open_webhooks
from service.observability import logs
from service.observability.instrumentation import NO_INSTRUMENTATION, Instrumentation
from service.read_models.index import open_index
from service.read_models.lists import Lists
from service.settings import Settings
from service.signing.notary import Notary
from service.signing.receipts import Receipts
from service.signing.signing_keys import ServiceSigner
from service.streams.broadcast import Broadcast
from service.streams.live_stream import CATCHING_UP, LiveStreams
from service.streams.outside_news import OutsideNews

KEYS_SECONDS = COMPARE_SECONDS = MARK_SECONDS = 1.0


class Instance:
    """A store and everything that reads from it and writes to it; `running` runs it. `lock` and
    `writer` replace the leader lock of the store and the thread that commits."""

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
        self.keyring.on_revoked = self._keys_revoked
        self.idempotency = IdempotencyStore(self.store.keyrings, self.clock.now)
        self.closed = ClosedRecords(self._record_closed)
        self.properties = open_properties(self.store)
        self.reads = ReadAccount(open_reads(self.store))
        self.scrub = scrub_of(settings, self.properties, self.closed, self.clock)
        self.sessions = MatchSessions(
            self.store,
            self.secret_store,
            settings.match_memory,
            shared=settings.shared,
            grown=lambda match_id: self.broadcast.announce(match_id),
            closed=self.closed,
        )
        self.index = open_index(self.store)
        self.index.follower.on_unreadable = self.closed.close
        self.scheduler = Scheduler(
            self.clock, lambda match_id: self.matches.pass_deadline(match_id), instrumentation
        )
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
            self.clock,
            ClockLog(self.store.keyrings),
            self.presence,
            measured,
            settings.folder if settings.embedded else None,
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
            self.store, self.matches, self.keyring, self.clock, self.recheck, shared=settings.shared
        )
        self.match_keys = MatchKeys(
            self.keyring, self.properties, self.clock, self.idempotency, self.matches,
            self.sessions, self.tournaments,
        )  # fmt: skip
        self.invitations = Invitations(
            self.store.keyrings, self.keyring, self.clock, self.idempotency, self.sessions,
            self.match_keys,
        )  # fmt: skip
        self.settlement = Settlement(self.store, self.index, self.tournaments, self.closed)
        self.creation = Creation(
            self.idempotency,
            self.matches,
            self.sessions,
            self.tournaments,
            self.keyring,
            self.secret_store,
            self.clock,
            self.reads,
        )
        self.lists = Lists(self.index, self.health)
        reader = RulingReader(self.sessions, self.lists, self.store, self.secret_store, self.closed)
        succession = Succession(self.match_keys, self.sessions, self.tournaments, self.reads)
        self.cases = CaseService(
            self.store, self.matches, self.sessions, self.idempotency, self.clock
        )
        self.ruling_lists = RulingLists(self.sessions, self.store, self.closed)
        self.rulings = RulingService(
            self.matches, reader, self.ruling_lists, self.idempotency, self.cases, self.clock,
            succession,
        )  # fmt: skip
        self.corrections = CorrectionService(
            self.tournaments, self.sessions, self.lists, self.idempotency, self.clock
        )
        self.webhooks = open_webhooks(self.store)
        self.notice_reader = NoticeReader(self.store.recorder, self.index, self.webhooks)
        posting = Posting(
            self.clock, HostNames(), private=settings.private_webhooks, smtp=settings.smtp
        )
        self.sender = Sender(
            self.webhooks, self.clock, self.key_lasts, posting, self.notice_reader.follow
        )
        self.signer = ServiceSigner(settings.key_folder, settings.name)
        self.receipts = Receipts(self.signer, self.store, self.closed)
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
        lock = lock or leader_lock_of(settings, self.store)
        if self.database_ahead is not None:
            lock = ClockGuardedLock(lock, partial(clock_is_right, self.database_ahead))
        self.leader = Leader(lock, self.leader_tasks().start)
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
        self.notifications = notifications_of(settings, self.outside_news)
        self.broken = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Runs the instance's tasks inside the context; closes everything at its end."""
        tasks: list[asyncio.Task[None]] = []
        self._loop = asyncio.get_running_loop()
        try:
            await self.health.begin()
            await asyncio.to_thread(record_format, self.properties)
            await asyncio.to_thread(start_after_record, self.clock, self.store, self.database_ahead)
            await asyncio.to_thread(self.signer.make)
            current = await asyncio.to_thread(incarnation, self.store.keyrings)
            self.edition, self.incarnation = edition(current), current.hex()
            await asyncio.to_thread(self.webhooks.belong, current)
            await asyncio.to_thread(self.presence.try_to_beat)
            await asyncio.to_thread(self.keyring.try_to_identify)
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
            "reads": self.reads.run(),
            "clock": repeat(COMPARE_SECONDS, self.clock_watch.compare),
            "heartbeat": repeat(self.presence.interval, self.presence.beat),
            "keys": repeat(KEYS_SECONDS, self.keyring.refresh),
            "key uses": self.match_keys.uses.run(),
            "signing keys": repeat(KEYS_SECONDS, self.signer.refresh),
            "high-water mark": repeat(MARK_SECONDS, self.store.recorder.sync_mark),
        }
        if self.settings.shared:
            poller = LogPoller(self.store, self.outside_news, self._is_subscribed)
            tasks["log poller"] = poller.run()
            tasks["log watch"] = LogWatch(self.store, self.clock.now).run()
        if self.notifications is not None:
            tasks["notifications"] = self.notifications.run()
        return tasks

    def _offset_of(self, database_clock: Callable[[], int]) -> int:
        """By how many microseconds the database's clock is ahead, without the machine's jump."""
        return without_jump(database_clock(), self.clock_watch.jump)

    def leader_tasks(self) -> LeaderTasks:
        """What this instance does while it leads."""
        return LeaderTasks(
            self.index,
            self.scheduler,
            self.settlement,
            self.notary,
            self.clock,
            self.presence,
            self.matches.pass_deadline,
            self.scrub,
            self.match_keys.records,
            self.tournaments.lapse,
            self.notice_reader,
            self.sender,
            self.webhooks,
            shared=self.settings.shared,
        )

    async def key_lasts(self, key: Registrant) -> bool:
        """Whether the key by which somebody asked for notices has not ended. Raises
        StoreUnavailable."""
        slot, ring, key_hash = key.slot, key.ring, key.key_hash
        if key_hash in (self.keyring.hashes(slot, ring) or ()):
            return True
        return key_hash in await in_store_thread(self.keyring.load_hashes, slot, ring)

    def _task_ended(self, task: asyncio.Task[None]) -> None:
        """Handles the end of a task that should run for ever: the instance is broken."""
        error = None if task.cancelled() else task.exception()
        logs.failure("task_ended", error or RuntimeError("it ended"), task=task.get_name())
        self.broken.set()

    def stop_streams(self) -> None:
        """Ends every open stream, so that its reader comes back elsewhere."""
        self.stopping.set()
        self.health.worked.set()
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

    def _keys_revoked(self, hashes: frozenset[bytes]) -> None:
        """Makes those who read by these keys ask again whether they may."""
        self._in_loop(self.broadcast.recheck, hashes)

    def _record_closed(self, match_id: UUID) -> None:
        """Sends readers of a closed record away; coming back, they meet the reason."""
        self._in_loop(self.sessions.invalidate, match_id)
        self._in_loop(self.broadcast.announce, match_id)

    def _in_loop(self, do: Callable[[Any], None], about: object) -> None:
        """Lets the instance's loop do something. Any thread may call it."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(do, about)

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

    def _match_ended(self, in_tournament: bool) -> None:
        self.notary.match_ended()
        if in_tournament:
            self.settlement.match_ended()

    def _unsigned(self) -> list[UUID]:
        self.index.follow()
        return self.index.unsigned()

    def _close(self) -> None:
        self.matches.close()
        self.match_keys.uses.try_to_write()
        self.presence.leave()
        self.notary.close()
        self.index.stop()
        finish_store_threads()
        self.health.close()
        if self.scrub is not None:
            self.scrub.close()
        self.index.close()
        self.properties.close()
        self.reads.close()
        self.webhooks.close()
        self.store.close()
