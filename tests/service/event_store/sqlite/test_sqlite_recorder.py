"""Every connection of the embedded recorder is durable: WAL, and FULL."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from eventsourcing.utils import Environment

from service.event_store.database import EMBEDDED, NotDurable, NotUtf8
from service.event_store.sqlite import DurablePool, Factory, require_fit


def environment(path: Path) -> Environment:
    env = {"PERSISTENCE_MODULE": EMBEDDED, "SQLITE_DBNAME": str(path)}
    return Environment("arbiter", env)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "events.db"


def test_every_connection_writes_ahead_and_syncs_at_commit(path: Path) -> None:
    with closing(Factory(environment(path))) as factory:
        for commit in (True, False):
            with factory.datastore.get_connection(commit=commit) as connection:
                cursor = connection.cursor()
                require_fit(cursor)
                cursor.execute("PRAGMA synchronous")
                assert cursor.fetchone()[0] == 2
    with closing(sqlite3.connect(path)) as plain:
        assert plain.execute("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.mark.parametrize("synchronous", ["OFF", "NORMAL"])
def test_a_connection_without_full_is_not_durable(path: Path, synchronous: str) -> None:
    with closing(DurablePool(db_name=str(path))) as pool:
        connection = pool.get_connection()
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA synchronous={synchronous}")
        with pytest.raises(NotDurable):
            require_fit(cursor)
        pool.put_connection(connection)


def test_a_database_in_another_encoding_does_not_open(path: Path) -> None:
    """Digests are of stored bytes."""
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA encoding='UTF-16le'")
        other.execute("CREATE TABLE theirs (a)")
    with closing(Factory(environment(path))) as factory, pytest.raises(NotUtf8, match="UTF-16le"):
        factory.application_recorder()


def test_a_database_that_cannot_write_ahead_does_not_open(path: Path) -> None:
    """An open read transaction prevents the database from switching to WAL."""
    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        holder.execute("CREATE TABLE held (one INTEGER)")
        holder.execute("BEGIN")
        holder.execute("SELECT * FROM held").fetchall()
        env = environment(path)
        env["SQLITE_LOCK_TIMEOUT"] = "1"
        with closing(Factory(env)) as factory, pytest.raises((NotDurable, sqlite3.Error)):
            factory.application_recorder()


def test_a_database_forced_out_of_wal_while_it_is_open_is_found_out(path: Path) -> None:
    with closing(DurablePool(db_name=str(path), pool_size=0)) as pool:
        pool.put_connection(pool.get_connection())
        with closing(sqlite3.connect(path)) as other:
            assert other.execute("PRAGMA journal_mode=DELETE").fetchone() == ("delete",)
        with pytest.raises(NotDurable):
            pool.get_connection()
