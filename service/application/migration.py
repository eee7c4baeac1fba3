"""Creates the tables of the store, the index, the properties and the webhooks."""

from collections.abc import Mapping
from contextlib import closing

from service.event_store.database import is_embedded
from service.event_store.postgres.leader_row import make_leader_row
from service.event_store.properties import known_format, open_properties, record_format
from service.event_store.reads import open_reads
from service.event_store.store import Store
from service.notices.webhook_table import open_webhooks
from service.read_models.index import open_index


def migrate(env: Mapping[str, str]) -> None:
    """Creates the tables that are missing.

    It is safe to repeat, and several at once run one after the other. Afterwards an instance can
    run with `CREATE_TABLE=no` under a role that can only read and write.

    Raises NewerStore if the store is in a format that this release does not know.
    """
    may = {**env, "CREATE_TABLE": "yes"}
    with (
        closing(Store(may)) as store,
        closing(open_index(store)),
        closing(open_reads(store)),
        closing(open_webhooks(store)),
        closing(open_properties(store)) as properties,
    ):
        record_format(properties)
        if not is_embedded(may):
            make_leader_row(store)


def require_known_format(env: Mapping[str, str]) -> None:
    """Raises NewerStore if the store is in a format that this release does not know. Blocks."""
    with closing(Store(env)) as store, closing(open_properties(store)) as properties:
        known_format(properties)
