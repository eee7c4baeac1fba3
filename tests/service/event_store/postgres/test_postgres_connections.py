"""Connections to PostgreSQL: durable, bounded in time, and replaced when they are broken."""

import threading
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import product
from typing import Any
from uuid import uuid4

import pytest
from eventsourcing.persistence import OperationalError
from eventsourcing.utils import Environment

from service.application.migration import migrate
from service.event_store.database import NotDurable, NotMigrated
from service.event_store.postgres import Factory, QuickPostgresRecorder, connections
from service.event_store.postgres.connections import SteadyPool
from service.event_store.recorder import Row
from service.event_store.store import Store
from service.read_models.index import open_index
from tests.support.instance.postgres_recorder import made, rows
from tests.support.servers.postgres_server import PATIENCE, PostgresServer, connect
from tests.support.servers.postgres_server import server as shared_server

GIVES_UP = 0.5
"""Seconds for which reads try again here."""


def factory_of(env: dict[str, str], **more: str) -> Factory:
    return Factory(Environment("arbiter", env | more))


def shown(recorder: QuickPostgresRecorder, setting: str) -> str:
    with recorder.datastore.get_connection() as connection:
        row: Any = connection.execute(f"SHOW {setting}").fetchone()
    return str(row[setting])


@pytest.fixture(autouse=True)
def _gives_up_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "READ_RETRY_SECONDS", GIVES_UP)


# Durable.


@pytest.mark.parametrize("value", ["off", "local"])
def test_a_database_whose_commits_may_be_lost_is_refused(env: dict[str, str], value: str) -> None:
    with connect(env) as connection:
        database = env["POSTGRES_DBNAME"]
        connection.execute(f"ALTER DATABASE {database} SET synchronous_commit = {value}".encode())
    with closing(factory_of(env)) as factory, pytest.raises(NotDurable, match=value):
        factory.application_recorder()


def test_a_server_that_does_not_sync_is_refused() -> None:
    with (
        PostgresServer(fsync="off") as server,
        server.database() as env,
        closing(factory_of(env)) as factory,
        pytest.raises(NotDurable, match="fsync=off"),
    ):
        factory.application_recorder()


def test_durability_turned_off_later_stays_on_for_our_writes() -> None:
    with (
        PostgresServer() as server,
        server.database() as env,
        closing(factory_of(env, POSTGRES_POOL_SIZE="1", POSTGRES_MAX_OVERFLOW="0")) as factory,
    ):
        recorder = made(factory)
        server.execute("ALTER SYSTEM SET synchronous_commit = off")
        server.execute("SELECT pg_reload_conf()")
        with connect(env) as other:
            while other.execute("SHOW synchronous_commit").fetchone() != ("off",):
                time.sleep(0.01)
        assert shown(recorder, "synchronous_commit") == "on"


# Time limits.


LIMITS = ("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout")
CHOSEN = {
    "ARBITER_POSTGRES_LOCK_TIMEOUT": "2",
    "POSTGRES_STATEMENT_TIMEOUT": "7",
    "POSTGRES_IDLE_IN_TRANSACTION_SESSION_TIMEOUT": "",
}


@pytest.mark.parametrize(
    ("settings", "limits"),
    [({}, ["5s", "10s", "10s"]), (CHOSEN, ["2s", "7s", "10s"])],
    ids=["by default", "chosen"],
)
def test_every_connection_has_its_limits(
    env: dict[str, str], settings: dict[str, str], limits: list[str]
) -> None:
    with closing(factory_of(env, **settings)) as factory:
        recorder = made(factory)
        assert [shown(recorder, name) for name in LIMITS] == limits


REFUSED = [
    *product(("POSTGRES_LOCK_TIMEOUT", "POSTGRES_STATEMENT_TIMEOUT"), ("0", "-1", "1.5", "soon")),
    *(("POSTGRES_ENABLE_DB_FUNCTIONS", "yes"), ("ORIGINATOR_ID_TYPE", "text")),
]


@pytest.mark.parametrize(("name", "value"), REFUSED)
def test_no_limit_and_what_harms_the_record_are_refused(
    env: dict[str, str], name: str, value: str
) -> None:
    with pytest.raises(OSError, match=name):
        factory_of(env, **{name: value})


def test_an_insert_that_finds_the_log_locked_gives_up(env: dict[str, str]) -> None:
    """Once, after its own time limit, which the server enforces and is shorter than all others."""
    with closing(factory_of(env, POSTGRES_LOCK_TIMEOUT="1")) as factory:
        recorder = made(factory)
        assert shown(recorder, "lock_timeout") == "1s"
        with connect(env) as other, other.transaction():
            other.execute("LOCK TABLE arbiter_events IN EXCLUSIVE MODE")
            before, began = lock_timeouts(), time.monotonic()
            with pytest.raises(OperationalError, match="lock timeout"):
                recorder.insert_rows(rows(uuid4(), 1))
            assert 0.9 < time.monotonic() - began < 5
            assert lock_timeouts() == before + 1
        recorder.insert_rows(rows(uuid4(), 1))


def lock_timeouts() -> int:
    """The number of lock timeouts in the server's log."""
    return (shared_server().folder / "log").read_text().count("due to lock timeout")


def test_a_statement_that_takes_too_long_is_ended(env: dict[str, str]) -> None:
    with closing(factory_of(env, POSTGRES_STATEMENT_TIMEOUT="1")) as factory:
        recorder = made(factory)
        with (
            pytest.raises(OperationalError, match="statement timeout"),
            recorder.datastore.get_connection() as connection,
        ):
            connection.execute("SELECT pg_sleep(5)")


def test_the_reason_for_no_connection_is_reported_without_the_password(env: dict[str, str]) -> None:
    other = {"POSTGRES_DBNAME": "elsewhere", "POSTGRES_PASSWORD": "moonlit"}
    with closing(factory_of(env, **other)) as factory:
        with pytest.raises(OperationalError, match='"elsewhere" does not exist') as raised:
            factory.application_recorder()
        assert "moonlit" not in str(raised.value)


# The server stops and restarts.


@pytest.fixture(scope="module")
def one_server() -> Iterator[PostgresServer]:
    with PostgresServer() as server:
        yield server


@pytest.fixture
def server(one_server: PostgresServer) -> Iterator[PostgresServer]:
    """A server that a test may stop."""
    yield one_server
    one_server.stop()
    one_server.start()


@pytest.fixture
def recorder(server: PostgresServer) -> Iterator[QuickPostgresRecorder]:
    env = server.environment("postgres")
    with closing(factory_of(env)) as factory:
        recorder = made(factory)
        # Several connections, which have all been used.
        threads = [threading.Thread(target=shown, args=(recorder, "port")) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        yield recorder


def test_after_a_restart_nobody_gets_an_error(
    server: PostgresServer, recorder: QuickPostgresRecorder
) -> None:
    stream = uuid4()
    for n, end in enumerate((server.stop, server.kill)):
        end()
        server.start()
        recorder.insert_rows(rows(stream, 1, after=n))
        assert len(recorder.select_states(stream)) == n + 1
        assert recorder.max_notification_id()


def test_a_read_waits_for_a_server_that_restarts_soon(
    server: PostgresServer, recorder: QuickPostgresRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The time limit allows for a slow machine.
    monkeypatch.setattr(connections, "READ_RETRY_SECONDS", PATIENCE)
    stream = uuid4()
    recorder.insert_rows(rows(stream, 3))
    pool = recorder.datastore.pool
    assert isinstance(pool, SteadyPool) and pool.last_error is None
    server.stop()
    found: list[bytes] = []
    reading = threading.Thread(target=lambda: found.extend(recorder.select_states(stream)))
    reading.start()
    while pool.last_error is None and reading.is_alive():
        time.sleep(0.01)
    assert reading.is_alive()
    server.start()
    reading.join()
    assert len(found) == 3


def test_without_a_server_calls_fail_within_seconds(
    server: PostgresServer, recorder: QuickPostgresRecorder
) -> None:
    server.stop()
    for call in (
        lambda: recorder.select_states(uuid4()),
        lambda: recorder.insert_rows(rows(uuid4(), 1)),
    ):
        began = time.monotonic()
        with pytest.raises(OperationalError):
            call()
        # Without any wait every restart would cause errors.
        assert GIVES_UP * 0.8 < time.monotonic() - began < 5
    server.start()
    began = time.monotonic()
    recorder.insert_rows(rows(uuid4(), 1))
    assert time.monotonic() - began < 2


def test_a_server_that_hangs_holds_no_thread() -> None:
    """Its own time limits hang with it, and its kernel still answers."""
    short = {"POSTGRES_STATEMENT_TIMEOUT": "1"}
    with (
        PostgresServer() as server,
        server.database() as env,
        closing(factory_of(env, **short)) as factory,
    ):
        recorder = made(factory)
        for call in (
            lambda: recorder.select_states(uuid4()),
            lambda: recorder.insert_rows(rows(uuid4(), 1)),
        ):
            call()
            began = time.monotonic()
            with server.suspended(), pytest.raises(OperationalError):
                call()
            assert time.monotonic() - began < 8
            call()


def test_the_connection_that_was_used_last_is_used_next(recorder: QuickPostgresRecorder) -> None:
    with recorder.datastore.get_connection(), recorder.datastore.get_connection() as last:
        pass
    with recorder.datastore.get_connection() as one:
        pass
    for _ in range(3):
        with recorder.datastore.get_connection() as again:
            assert again is one
    assert one is not last


# Making the tables.


def tables(env: dict[str, str]) -> set[str]:
    with connect(env) as connection:
        found = connection.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace "
            "UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace "
            "UNION ALL SELECT typname FROM pg_type WHERE typnamespace = 'public'::regnamespace"
        )
        return {name for (name,) in found.fetchall()}


def test_forbidden_tables_are_not_made_and_the_operator_is_advised(env: dict[str, str]) -> None:
    with pytest.raises(NotMigrated, match="run `arbiter migrate`"):
        Store(env | {"CREATE_TABLE": "no"})
    assert tables(env) == set()


def test_what_migrate_makes_suffices(env: dict[str, str]) -> None:
    migrate(env)
    made = tables(env)
    with closing(Store(env | {"CREATE_TABLE": "no"})) as store:
        store.append([Row(uuid4().hex, 1, "a.topic.1", b"state")])
        assert store.recorder.max_notification_id() == 1
    assert tables(env) == made


@pytest.mark.parametrize(
    "lost",
    [
        "FUNCTION arbiter_events_append_1",
        "TABLE arbiter_events",
        "TABLE arbiter_secrets",
        "TABLE arbiter_keys",
        "TABLE arbiter1_ledger",
    ],
)
def test_the_error_names_the_missing_object(env: dict[str, str], lost: str) -> None:
    migrate(env)
    with connect(env) as connection:
        connection.execute(f"DROP {lost}".encode())
    bound = env | {"CREATE_TABLE": "no"}
    with pytest.raises(NotMigrated, match=lost.split()[1]), closing(Store(bound)) as store:
        open_index(store)


def test_migrate_renews_what_an_older_release_has_made(env: dict[str, str]) -> None:
    migrate(env)
    with connect(env) as connection:
        connection.execute(
            "CREATE OR REPLACE FUNCTION arbiter_events_append_1(streams uuid[], versions bigint[],"
            " topics text[], states bytea[], unchanged uuid[], lengths bigint[], covered uuid[],"
            " counts bigint[], names text[], digests bytea[])"
            " RETURNS bigint[] LANGUAGE sql AS 'SELECT NULL::bigint[]'"
        )
    migrate(env)
    stream = uuid4()
    with closing(Store(env)) as store:
        store.append([Row(stream.hex, 1, "a.topic.1", b"state")])
        assert store.states(stream) == [b"state"]


def test_many_may_migrate_at_once(env: dict[str, str]) -> None:
    failed: list[BaseException] = []

    def go() -> None:
        try:
            migrate(env)
        except BaseException as error:  # noqa: BLE001  shown below
            failed.append(error)

    threads = [threading.Thread(target=go) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
