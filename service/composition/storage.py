"""What is stored: the log, and the tables next to it; and time: whether the clock is right, and how
long no one could reach the service."""

import asyncio
from collections.abc import Callable
from functools import partial

from domain.match.deadlines import SECOND
from service.application.announcer import Announcer
from service.application.evidence.reads import ReadAccount
from service.application.idempotency import IdempotencyStore
from service.application.scheduling.clock_watch import ClockWatch
from service.application.scheduling.heartbeat import Presence
from service.auth.keys import Keyring
from service.clock import Clock, SteadyClock, SystemClock
from service.cluster.clock_agreement import clocks_agree, database_ahead, without_jump
from service.event_store.database import POSTGRES
from service.event_store.integrity.checked_records import ClosedRecords
from service.event_store.integrity.store_health import EmbeddedFile, StoreHealth, StoreProbe
from service.event_store.properties import open_properties
from service.event_store.reads import open_reads
from service.event_store.secret_store import SecretStore
from service.event_store.store import Store
from service.event_store.store_threads import in_store_thread
from service.notices.log_reader import NoticeReader, OwnNoticeReader
from service.notices.webhook_table import open_webhooks
from service.observability.instrumentation import Instrumentation
from service.observability.readiness import PROBE_SECONDS
from service.observability.store_faults import current_outages
from service.read_models.index import open_index
from service.read_models.lists import Lists
from service.settings import Settings

DatabaseAhead = Callable[[], int]
"""Measures by how many microseconds the database's clock is ahead of the instance's."""


class Storage:
    """The stored parts of an instance, on the store that the settings name. `incarnation` is that
    of the store as readers are told it, `edition` what a cached view belongs to; both are known
    when the instance runs. `database_ahead` is None for a store without a clock, and for a clock
    that tests move."""

    database_ahead: DatabaseAhead | None = None

    def __init__(self, settings: Settings, clock: Clock, instrumentation: Instrumentation) -> None:
        self.settings, self.clock, self.instrumentation = settings, clock, instrumentation
        self.announcer = Announcer()
        self.store = store = Store(settings.store)
        store.instrumentation = instrumentation
        self.incarnation = self.edition = ""
        self.secret_store = SecretStore(store.secrets)
        self.keyring = Keyring(store.keyrings, clock.now, settings.organiser_key)
        self.keyring.on_revoked = self.announcer.revoked
        self.idempotency = IdempotencyStore(store.keyrings, clock.now, self.keyring.refresh)
        self.closed = ClosedRecords(self.announcer.closed)
        self.health = _health(store, settings)
        store.is_damaged = lambda: self.health.fault == "corrupt"
        self.index = open_index(store)
        self.index.follower.on_unreadable = self.closed.close
        self.lists = Lists(self.index, self.health)
        self.properties = open_properties(store)
        self.reads = ReadAccount(open_reads(store), lambda: self.health.fault == "down")
        self.webhooks = open_webhooks(store)
        self.notices = NoticeReader(store.recorder, self.index, self.webhooks)
        self.own_notices = OwnNoticeReader(store, self.index, self.webhooks)

    def make_time(self) -> None:
        """Makes what watches time."""
        settings, clock = self.settings, self.clock
        if settings.store["PERSISTENCE_MODULE"] == POSTGRES and isinstance(clock, SystemClock):
            measured = partial(database_ahead, self.store.open_database(), clock.now)
            self.database_ahead = lambda: without_jump(measured(), clock.jump)
        self.presence = Presence(
            self.properties,
            clock,
            settings.limits.grace * SECOND,
            self.database_ahead,
            SteadyClock().now,
        )
        self.clock_watch = ClockWatch(clock)


def _health(store: Store, settings: Settings) -> StoreHealth:
    file = None
    if settings.embedded:
        file = EmbeddedFile(settings.store["SQLITE_DBNAME"], settings.disk)
    return StoreHealth(StoreProbe(store), current_outages.get(), file)


async def clock_is_right(ahead: DatabaseAhead) -> bool:
    """Whether the clock agrees with the database's. If the database does not answer, the clock
    counts as right."""
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            return clocks_agree(await in_store_thread(ahead))
    except Exception:  # noqa: BLE001  the error is logged where the database is needed
        return True
