"""What is stored: the log, and the tables next to it."""

from service.application.announcer import Announcer
from service.application.evidence.reads import ReadAccount
from service.application.idempotency import IdempotencyStore
from service.auth.keys import Keyring
from service.clock import Clock
from service.event_store.integrity.closed_records import ClosedRecords
from service.event_store.integrity.store_health import EmbeddedFile, StoreHealth, StoreProbe
from service.event_store.properties import open_properties
from service.event_store.reads import open_reads
from service.event_store.secret_store import SecretStore
from service.event_store.store import Store
from service.notices.log_reader import NoticeReader
from service.notices.webhook_table import open_webhooks
from service.observability.instrumentation import Instrumentation
from service.observability.outages import current_outages
from service.read_models.index import open_index
from service.read_models.lists import Lists
from service.settings import Settings


class Storage:
    """The stored parts of an instance, on the store that the settings name. `incarnation` is that
    of the store as readers are told it, `edition` what a cached view belongs to; both are known
    when the instance runs."""

    def __init__(self, settings: Settings, clock: Clock, instrumentation: Instrumentation) -> None:
        self.settings, self.clock, self.instrumentation = settings, clock, instrumentation
        self.announcer = Announcer()
        self.store = store = Store(settings.store)
        store.instrumentation = instrumentation
        self.incarnation = self.edition = ""
        self.secret_store = SecretStore(store.secrets)
        self.keyring = Keyring(store.keyrings, clock.now, settings.organiser_key)
        self.keyring.on_revoked = self.announcer.revoked
        self.idempotency = IdempotencyStore(store.keyrings, clock.now)
        self.closed = ClosedRecords(self.announcer.closed)
        self.health = _health(store, settings)
        store.is_damaged = lambda: self.health.fault == "corrupt"
        self.index = open_index(store)
        self.index.follower.on_unreadable = self.closed.close
        self.lists = Lists(self.index, self.health)
        self.properties = open_properties(store)
        self.reads = ReadAccount(open_reads(store))
        self.webhooks = open_webhooks(store)
        self.notices = NoticeReader(store.recorder, self.index, self.webhooks)


def _health(store: Store, settings: Settings) -> StoreHealth:
    file = None
    if settings.embedded:
        file = EmbeddedFile(settings.store["SQLITE_DBNAME"], settings.disk)
    return StoreHealth(StoreProbe(store), current_outages.get(), file)
