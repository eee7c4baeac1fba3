"""What is stored: the log, and the tables beside it."""

from service.application.announcer import Announcer
from service.application.idempotency import IdempotencyStore
from service.application.reads import ReadAccount
from service.auth.keys import Keyring
from service.clock import Clock
from service.composition.feature import Feature
from service.event_store.closed_records import ClosedRecords
from service.event_store.incarnation import edition, incarnation
from service.event_store.properties import Properties, open_properties
from service.event_store.reads import open_reads
from service.event_store.secret_store import SecretStore
from service.event_store.store import Store
from service.event_store.store_health import EmbeddedFile, StoreHealth, StoreProbe
from service.notices.webhook_table import WebhookTable, open_webhooks
from service.observability.instrumentation import Instrumentation
from service.observability.outages import current_outages
from service.read_models.index import Index, open_index
from service.read_models.lists import Lists
from service.settings import Settings


class History:
    """The incarnation of a store, known when the instance runs: as readers are told it, and as the
    `edition` to which a cached view belongs."""

    def __init__(self) -> None:
        self.edition = self.incarnation = ""

    def read(self, store: Store) -> bytes:
        """Reads it, and returns its bytes. Blocks."""
        current = incarnation(store.keyrings)
        self.edition, self.incarnation = edition(current), current.hex()
        return current


class Storage(Feature):
    """The stored parts of an instance."""

    settings: Settings
    clock: Clock
    instrumentation: Instrumentation
    announcer: Announcer
    store: Store
    history: History
    health: StoreHealth
    secret_store: SecretStore
    keyring: Keyring
    idempotency: IdempotencyStore
    closed: ClosedRecords
    properties: Properties
    reads: ReadAccount
    index: Index
    lists: Lists
    webhooks: WebhookTable


def storage(settings: Settings, clock: Clock, instrumentation: Instrumentation) -> Storage:
    """Opens the store that the settings name."""
    announcer, store = Announcer(), Store(settings.store)
    store.instrumentation = instrumentation
    keyring = Keyring(store.keyrings, clock.now, settings.organiser_key)
    keyring.on_revoked = announcer.revoked
    closed = ClosedRecords(announcer.closed)
    health = _health(store, settings)
    index = open_index(store)
    index.follower.on_unreadable = closed.close
    return Storage(
        settings=settings,
        clock=clock,
        instrumentation=instrumentation,
        announcer=announcer,
        store=store,
        history=History(),
        health=health,
        secret_store=SecretStore(store.secrets),
        keyring=keyring,
        idempotency=IdempotencyStore(store.keyrings, clock.now),
        closed=closed,
        properties=open_properties(store),
        reads=ReadAccount(open_reads(store)),
        index=index,
        lists=Lists(index, health),
        webhooks=open_webhooks(store),
    )


def _health(store: Store, settings: Settings) -> StoreHealth:
    file = None
    if settings.embedded:
        file = EmbeddedFile(settings.store["SQLITE_DBNAME"], settings.disk)
    return StoreHealth(StoreProbe(store), current_outages.get(), file)
