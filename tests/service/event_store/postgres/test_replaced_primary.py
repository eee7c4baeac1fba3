"""A primary that was replaced while it stood still comes back, and takes sessions for a moment:
what it lacks is not read, nor taken for lost."""

import asyncio
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from uuid import uuid4

import pytest
from psycopg_pool import PoolTimeout

from domain.events import Record
from domain.match.events import MatchPaused
from service.application.migration import migrate
from service.cluster.log_poller import LogWatch
from service.cluster.postgres_leader_lock import PostgresLeaderLock
from service.event_store.integrity.incarnation import history
from service.event_store.postgres import QuickPostgresRecorder, timelines
from service.event_store.postgres.connections import SteadyPool, postgres_address
from service.event_store.postgres.leader_row import TABLE
from service.event_store.properties import open_properties
from service.event_store.store import Store, rows
from tests.support.servers.postgres_server import PostgresServer, fresh_database, system_user

LIMITS = {"POSTGRES_CONNECT_TIMEOUT": "3", "POSTGRES_POOL_SIZE": "2", "POSTGRES_MAX_OVERFLOW": "6"}

PATIENCE_SECONDS = 20.0

LED = f"SELECT holder <> '' FROM {TABLE}"  # noqa: S608  the table's name


@contextmanager
def followed(first: PostgresServer) -> Iterator[PostgresServer]:
    """A server with all that the first one has, which takes no commits until it is promoted."""
    first.stop()
    follower = PostgresServer()
    shutil.rmtree(follower.cluster)
    subprocess.run(["cp", "-a", first.cluster, follower.cluster], check=True)
    signal = follower.cluster / "standby.signal"
    signal.touch()
    if user := system_user():
        shutil.chown(signal, user)
    first.start()
    with follower:
        yield follower


@contextmanager
def replaced() -> Iterator[tuple[PostgresServer, SteadyPool, Store]]:
    """The successor of a primary that is back, and a store that has sessions at both."""
    with PostgresServer() as first, first.database() as env:
        migrate(env)
        with followed(first) as second:
            hosts = f"{first.cluster},{second.cluster}"
            env |= {"POSTGRES_HOST": hosts, "POSTGRES_PORT": "5432,5432"} | LIMITS
            with closing(Store(env)) as store:
                assert isinstance(store.recorder, QuickPostgresRecorder)
                pool = store.recorder.datastore.pool
                assert isinstance(pool, SteadyPool)
                second.execute("SELECT pg_promote()")
                with first.suspended():
                    used = [pool.getconn()]
                    while used[-1].info.host != str(second.cluster):
                        used.append(pool.getconn())
                for connection in used:
                    pool.putconn(connection)
                yield second, pool, store


def test_its_sessions_are_not_used_again_nor_others_opened() -> None:
    with replaced() as (second, pool, _):
        used = [pool.getconn() for _ in range(8)]
        assert {connection.info.host for connection in used} == {str(second.cluster)}
        for connection in used:
            pool.putconn(connection)


def test_what_it_lacks_is_not_taken_for_lost() -> None:
    with replaced() as (_, pool, store):
        watch = LogWatch(store, open_properties(store), lambda: 0)
        store.append(rows(uuid4(), 0, [Record(0, 0, MatchPaused())]))
        watch.look()
        used = [pool.getconn() for _ in range(2)]
        watch.look()
        assert history(store.keyrings) == []
        for connection in used:
            pool.putconn(connection)


async def test_the_leader_leads_at_its_successor_without_which_nothing_is_read() -> None:
    with replaced() as (second, pool, store):
        assert isinstance(store.recorder, QuickPostgresRecorder)
        lock = PostgresLeaderLock(postgres_address(store.env), store.recorder.timelines)
        async with asyncio.timeout(PATIENCE_SECONDS):
            await lock.acquire()
        leads = second.rows(store.env["POSTGRES_DBNAME"], LED)
        await lock.release()
        assert leads == [(True,)]
        second.stop()
        with pytest.raises(PoolTimeout, match="timeline 00000001, and 00000002 was seen"):
            pool.getconn()


def test_an_engine_that_does_not_say_its_timeline_is_not_judged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(timelines, "TIMELINE", b"SELECT unknown_here()")
    with fresh_database() as env, closing(Store(env)) as store:
        store.append(rows(uuid4(), 0, [Record(0, 0, MatchPaused())]))
        assert store.end() == 1
