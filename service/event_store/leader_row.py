"""The row by which the leader of the instances on one PostgreSQL store shows that it leads."""

from collections.abc import Mapping

from eventsourcing.persistence import ApplicationRecorder

from service.event_store.database import create_or_require, database_of_store

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


def make_leader_row(store_env: Mapping[str, str], recorder: ApplicationRecorder) -> None:
    """Makes the row where it is missing, unless the settings say `CREATE_TABLE=no`: then
    NotMigrated is raised without its table. Other stores have one instance."""
    if store_env["PERSISTENCE_MODULE"] != "service.event_store.postgres":
        return
    database, create = database_of_store(store_env, recorder)
    create_or_require(database, TABLES, (TABLE,), create=create)
