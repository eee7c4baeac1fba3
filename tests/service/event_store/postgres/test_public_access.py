"""No one may connect to the database whom its owner has not let in."""

from contextlib import closing

import psycopg
import pytest

from service.application.migration import migrate
from service.event_store.postgres.rights import close_to_public
from service.event_store.store import Store
from tests.support.servers.postgres_server import PostgresServer, connect


def test_connect_is_taken_from_public_by_the_owner_alone() -> None:
    with PostgresServer() as own, own.database() as env:
        for role in ("owner", "worker", "stranger"):
            own.execute(f"CREATE ROLE {role} LOGIN")
        name = env["POSTGRES_DBNAME"]
        own.execute(f"ALTER DATABASE {name} OWNER TO owner")
        env = {**env, "POSTGRES_USER": "owner"}
        migrate(env)
        with connect({**env, "POSTGRES_USER": "stranger"}):
            pass
        with closing(Store(env)) as store:
            database = store.open_database()
            assert "GRANT CONNECT" in str(close_to_public(database))
            assert close_to_public(database) is None
        with pytest.raises(psycopg.OperationalError, match="CONNECT"):
            connect({**env, "POSTGRES_USER": "stranger"})
        own.execute(f"GRANT CONNECT ON DATABASE {name} TO worker")
        with connect({**env, "POSTGRES_USER": "worker"}):
            pass
