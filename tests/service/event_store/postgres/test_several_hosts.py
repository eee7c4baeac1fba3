"""`POSTGRES_HOST=a,b,c`: the one that takes commits is found, whatever is first in the list."""

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import psycopg
import pytest
from eventsourcing.persistence import OperationalError

from service.application.migration import migrate
from service.event_store.database import UnfitDatabase
from service.event_store.postgres import rights
from service.event_store.postgres.rights import check_rights, close_to_public
from service.event_store.store import Store
from service.instance import Instance
from service.settings import Settings
from tests.support.instance.service_instance import PATIENCE, started
from tests.support.servers.postgres_server import SUPERUSER, PostgresServer, connect, fresh_database
from tests.support.waiting import until


@contextmanager
def replica(_: Path, database: str) -> Iterator[str]:
    """A server that has the database and takes no commits."""
    with PostgresServer(default_transaction_read_only="on") as server:
        with connect(server.environment(SUPERUSER)) as connection:
            connection.execute("SET default_transaction_read_only = off")
            connection.execute(f"CREATE DATABASE {database}".encode())
        yield str(server.cluster)


@contextmanager
def silent(folder: Path, _: str) -> Iterator[str]:
    """A host that takes connections and never answers."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / ".s.PGSQL.5432"))
        listening.listen()
        yield str(folder)


@pytest.mark.parametrize("first", [replica, silent])
async def test_every_session_goes_to_the_host_that_takes_commits(
    first: Callable[[Path, str], AbstractContextManager[str]], tmp_path: Path
) -> None:
    with fresh_database() as env, first(tmp_path, env["POSTGRES_DBNAME"]) as other:
        env |= {"POSTGRES_HOST": f"{other},{env['POSTGRES_HOST']}", "POSTGRES_PORT": "5432,5432"}
        instance = Instance(Settings(store=env))
        async with asyncio.timeout(PATIENCE), instance.running():
            await until(lambda: instance.leader.leads)
            await started(instance)
            await asyncio.to_thread(check_rights, env)


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [("SSLMODE", "nonsense", "invalid sslmode"), ("CONNECT_TIMEOUT", "soon", "whole seconds")],
)
def test_what_cannot_be_asked_of_a_session_is_reported(setting: str, value: str, said: str) -> None:
    with fresh_database() as env:
        env[f"POSTGRES_{setting}"] = value
        with pytest.raises((OperationalError, OSError), match=said):
            check_rights(env)
        with pytest.raises((OperationalError, OSError), match=said):
            Instance(Settings(store=env))


@pytest.mark.parametrize("lock", [rights._LOCK, "SELECT '{}'"])
def test_an_engine_that_grants_a_lock_twice_is_refused(
    lock: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with fresh_database() as env:
        migrate(env)
        monkeypatch.setattr(rights, "_LOCK", lock)
        if lock.startswith("LOCK"):
            rights.check_locks(env)
        else:
            with pytest.raises(UnfitDatabase, match="two sessions hold one lock"):
                rights.check_locks(env)


# Who may connect.


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
