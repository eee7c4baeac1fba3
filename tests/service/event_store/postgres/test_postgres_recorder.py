"""The recorder on PostgreSQL: its locks, and one message a batch."""

import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import pytest
from eventsourcing.persistence import IntegrityError, OperationalError
from eventsourcing.utils import Environment

from service.event_store.postgres import Factory, QuickPostgresRecorder, SteadyAggregateRecorder
from tests.support.instance.postgres_recorder import events, made, rows
from tests.support.servers.postgres_proxy import PostgresProxy
from tests.support.servers.postgres_server import connect

LOCK = "LOCK TABLE arbiter_events IN EXCLUSIVE MODE"


@pytest.fixture
def recorder(env: dict[str, str]) -> Iterator[QuickPostgresRecorder]:
    with closing(Factory(Environment("arbiter", env))) as factory:
        yield made(factory)


def test_a_listener_like_the_librarys_subscriptions_is_notified(
    recorder: QuickPostgresRecorder, env: dict[str, str]
) -> None:
    with connect(env) as subscriber:
        subscriber.execute("LISTEN arbiter_events")
        recorder.insert_rows(rows(uuid4(), 1))
        assert len(list(subscriber.notifies(timeout=5, stop_after=1))) == 1


# All of it or nothing.


def test_growth_is_judged_once_nobody_else_can_write(
    recorder: QuickPostgresRecorder, env: dict[str, str]
) -> None:
    """Another writer's events are not committed yet when our insert begins to wait for the lock."""
    read, written = uuid4(), uuid4()
    failed: list[Exception] = []

    def write() -> None:
        try:
            recorder.insert_rows(rows(written, 1), [(read.hex, 0)])
        except IntegrityError as error:
            failed.append(error)

    with connect(env) as other:
        with other.transaction():
            other.execute(LOCK)
            other.execute("INSERT INTO arbiter_events VALUES (%s, 1, 'a', '', DEFAULT)", (read,))
            waiting = threading.Thread(target=write)
            waiting.start()
            _until_somebody_waits(env)
        waiting.join()

    assert len(failed) == 1 and recorder.select_states(written) == []


def _until_somebody_waits(env: dict[str, str]) -> None:
    with connect(env) as watch:
        while not watch.execute("SELECT 1 FROM pg_locks WHERE NOT granted").fetchall():
            pass


def test_a_check_alone_waits_for_no_writer(
    recorder: QuickPostgresRecorder, env: dict[str, str]
) -> None:
    with connect(env) as other, other.transaction():
        other.execute(LOCK)
        recorder.insert_rows([], [(uuid4().hex, 0)])


# One message, without a retry.


@pytest.fixture
def wire(env: dict[str, str], tmp_path: Path) -> Iterator[PostgresProxy]:
    """The connection between the recorder under test and the server."""
    with PostgresProxy(tmp_path, env["POSTGRES_HOST"]) as wire:
        yield wire


@pytest.fixture
def distant(
    wire: PostgresProxy, env: dict[str, str], tmp_path: Path
) -> Iterator[QuickPostgresRecorder]:
    """A recorder at the other end of the wire, with one connection."""
    far = env | {"POSTGRES_HOST": str(tmp_path), "POSTGRES_POOL_SIZE": "1"}
    far |= {"POSTGRES_MAX_OVERFLOW": "0"}
    with closing(Factory(Environment("arbiter", far))) as factory:
        yield made(factory)


def test_an_insert_is_one_request(wire: PostgresProxy, distant: QuickPostgresRecorder) -> None:
    stream = uuid4()
    distant.insert_rows(rows(stream, 2))  # the first prepares its statement
    before = wire.requests
    distant.insert_rows(rows(stream, 40, after=2), [(uuid4().hex, 0)])
    assert wire.requests == before + 1


def test_a_check_and_a_read_are_one_request_each(
    wire: PostgresProxy, distant: QuickPostgresRecorder
) -> None:
    stream = uuid4()
    for _ in range(2):
        before = wire.requests
        distant.insert_rows([], [(stream.hex, 0)])
        distant.select_states(stream)
    assert wire.requests == before + 2


def test_an_insert_whose_answer_is_lost_is_not_retried(
    wire: PostgresProxy, distant: QuickPostgresRecorder
) -> None:
    """A retry would find its own rows and report them as another writer's."""
    stream = uuid4()
    distant.insert_rows(rows(uuid4(), 1))
    wire.lose_the_next_answer()
    with pytest.raises(OperationalError):
        distant.insert_rows(rows(stream, 2))
    assert len(distant.select_states(stream)) == 2


def test_a_secrets_insert_whose_answer_is_lost_is_not_retried(
    wire: PostgresProxy, distant: QuickPostgresRecorder
) -> None:
    secrets = SteadyAggregateRecorder(distant.datastore, events_table_name="arbiter_secrets")
    secrets.create_table()
    stream = uuid4()
    secrets.insert_events(events(uuid4(), 1))
    wire.lose_the_next_answer()
    with pytest.raises(OperationalError):
        secrets.insert_events(events(stream, 2))
    wire.lose_the_next_answer()
    assert len(secrets.select_events(stream)) == 2


def test_a_read_whose_answer_is_lost_is_retried(
    wire: PostgresProxy, distant: QuickPostgresRecorder
) -> None:
    stream = uuid4()
    distant.insert_rows(rows(stream, 2))
    wire.lose_the_next_answer()
    assert len(distant.select_states(stream)) == 2
    wire.lose_the_next_answer()
    assert len(distant.select_events(stream)) == 2
    wire.lose_the_next_answer()
    assert len(distant.select_notifications(None, 10)) == 2
    wire.lose_the_next_answer()
    assert distant.max_notification_id() == 2
    wire.lose_the_next_answer()
    distant.insert_rows([], [(stream.hex, 2)])
