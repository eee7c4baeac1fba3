"""The row by which the leader of the instances on one PostgreSQL store shows that it leads."""

from eventsourcing.persistence import PersistenceError

from service.event_store.store import Store

TABLE = "arbiter_leader"

TABLES = (
    f"CREATE TABLE IF NOT EXISTS {TABLE} (id BIGINT PRIMARY KEY, holder {{text}} NOT NULL,"
    " pid BIGINT NOT NULL, shown BIGINT NOT NULL)",
    f"INSERT INTO {TABLE} VALUES (1, '', 0, 0) ON CONFLICT DO NOTHING",  # noqa: S608  its name
)

LEASE_SECONDS = 3
"""Seconds after which a leader that has not shown itself leads no more."""

NOW = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
"""The database's clock, in microseconds: the row has one for all instances."""

LAPSED = f"shown < {NOW} - {LEASE_SECONDS * 1_000_000}"


def make_leader_row(store: Store) -> None:
    """Makes the row where it is missing. Raises NotMigrated if the settings forbid that."""
    store.open_database(TABLES, (TABLE,))


class StoreInUse(PersistenceError):
    """An instance serves the store."""


def require_no_leader(store: Store) -> None:
    """Raises StoreInUse while an instance leads, and NotMigrated without the row. Blocks."""
    leads = f"SELECT 1 FROM {TABLE} WHERE NOT {LAPSED}"  # noqa: S608  its name
    if store.open_database((), (TABLE,)).select(leads):
        raise StoreInUse("an instance serves the store: stop it first")
