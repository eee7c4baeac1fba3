"""The recorder on PostgreSQL writes the library's own tables, with one message a batch."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from uuid import uuid4

import eventsourcing.postgres as stock
import pytest
from eventsourcing.persistence import IntegrityError, OperationalError
from eventsourcing.utils import Environment

from service.event_store.postgres import (
    Factory,
    QuickPostgresRecorder,
    SteadyAggregateRecorder,
)
from tests.support.instance.postgres_recorder import events, made, rows
from tests.support.servers.postgres_proxy import PostgresProxy
from tests.support.servers.postgres_server import connect

LOCK = "LOCK TABLE arbiter_events IN EXCLUSIVE MODE"


@pytest.fixture
def recorder(env: dict[str, str]) -> Iterator[QuickPostgresRecorder]:
    with closing(Factory(Environment("arbiter", env))) as factory:
        yield made(factory)


@pytest.fixture
def library_recorder(
    recorder: QuickPostgresRecorder, env: dict[str, str]
) -> Iterator[stock.PostgresApplicationRecorder]:
    with closing(stock.PostgresFactory(Environment("arbiter", env))) as factory:
        found = factory.application_recorder()
        assert type(found) is stock.PostgresApplicationRecorder
        yield found


def test_the_stock_recorder_reads_and_continues_what_ours_wrote(
    recorder: QuickPostgresRecorder, library_recorder: stock.PostgresApplicationRecorder
) -> None:
    stream = uuid4()
    recorder.insert_rows(rows(stream, 3))
    assert library_recorder.select_events(stream) == events(stream, 3)
    library_recorder.insert_events(events(stream, 2, after=3))

    whole = events(stream, 3) + events(stream, 2, after=3)
    assert recorder.select_events(stream) == whole
    assert recorder.select_states(stream) == [e.state for e in whole]


def test_ours_reads_and_continues_records_of_the_stock_recorder(
    recorder: QuickPostgresRecorder, library_recorder: stock.PostgresApplicationRecorder
) -> None:
    stream = uuid4()
    library_recorder.insert_events(events(stream, 3))
    assert recorder.select_states(stream, 1, 2) == [events(stream, 2)[1].state]
    recorder.insert_rows(rows(stream, 2, after=3))

    assert library_recorder.select_events(stream) == events(stream, 3) + events(stream, 2, after=3)
    notifications = library_recorder.select_notifications(None, 10)
    assert [n.originator_version for n in notifications] == [1, 2, 3, 4, 5]


def test_both_recorders_refuse_a_version_that_the_other_wrote(
    recorder: QuickPostgresRecorder, library_recorder: stock.PostgresApplicationRecorder
) -> None:
    one, two = uuid4(), uuid4()
    recorder.insert_rows(rows(one, 1))
    library_recorder.insert_events(events(two, 1))
    with pytest.raises(IntegrityError):
        library_recorder.insert_events(events(one, 1))
    with pytest.raises(IntegrityError):
        recorder.insert_rows(rows(two, 1))


def test_a_listener_like_the_librarys_subscriptions_is_notified(
    recorder: QuickPostgresRecorder, env: dict[str, str]
) -> None:
    with connect(env) as subscriber:
        subscriber.execute("LISTEN arbiter_events")
        recorder.insert_rows(rows(uuid4(), 1))
        assert len(list(subscriber.notifies(timeout=5, stop_after=1))) == 1


def test_states_are_read_between_bounds(recorder: QuickPostgresRecorder) -> None:
    stream = uuid4()
    recorder.insert_rows(rows(stream, 5) + rows(uuid4(), 5))
    states = [e.state for e in events(stream, 5)]
    assert recorder.select_states(stream) == states
    assert recorder.select_states(stream, 2) == states[2:]
    assert recorder.select_states(stream, 1, 4) == states[1:4]
    assert recorder.select_states(stream, 5) == recorder.select_states(uuid4()) == []


def test_ids_are_as_good_as_their_digits(recorder: QuickPostgresRecorder) -> None:
    one, two = uuid4(), uuid4()
    recorder.insert_rows([(one, 1, "a", b"1"), (two.hex, 1, "b", b"2")], [(uuid4(), 0)])
    assert recorder.select_states(one) == [b"1"]
    assert recorder.select_states(two) == [b"2"]


# All of it or nothing.


def test_an_insert_with_a_conflict_leaves_nothing_of_any_stream(
    recorder: QuickPostgresRecorder,
) -> None:
    existing, other = uuid4(), uuid4()
    recorder.insert_rows(rows(existing, 2))
    with pytest.raises(IntegrityError):
        recorder.insert_rows(rows(other, 3) + rows(existing, 1, after=1))
    assert recorder.select_states(other) == []
    assert len(recorder.select_states(existing)) == 2


@pytest.mark.parametrize("count", [0, 2])
def test_a_stream_that_had_to_stay_as_it_was_and_has_grown_stops_the_insert(
    recorder: QuickPostgresRecorder, count: int
) -> None:
    read, written = uuid4(), uuid4()
    recorder.insert_rows(rows(read, 3))
    others = [(uuid4().hex, 0), (read.hex, 2)]
    with pytest.raises(IntegrityError):
        recorder.insert_rows(rows(written, count), others)
    assert recorder.select_states(written) == []


def test_nothing_is_appended_after_a_missing_event(recorder: QuickPostgresRecorder) -> None:
    """The server has lost some commits; a writer with the longer record in memory gets an error."""
    short, gone, other = uuid4(), uuid4(), uuid4()
    recorder.insert_rows(rows(short, 2))
    for late in (rows(short, 2, after=3), rows(gone, 1, after=1)):
        with pytest.raises(IntegrityError, match="lost commits"):
            recorder.insert_rows(rows(other, 3) + late)
    assert recorder.select_states(other) == recorder.select_states(gone) == []
    assert len(recorder.select_states(short)) == 2


def test_a_stream_may_be_added_to_twice_in_one_transaction(recorder: QuickPostgresRecorder) -> None:
    one, two = uuid4(), uuid4()
    recorder.insert_rows(rows(one, 2))
    recorder.insert_rows(rows(one, 2, after=2) + rows(two, 3) + rows(one, 1, after=4))
    assert len(recorder.select_states(one)) == 5 and len(recorder.select_states(two)) == 3


@pytest.mark.parametrize("count", [0, 2])
def test_streams_that_have_not_grown_do_not_stop_it(
    recorder: QuickPostgresRecorder, count: int
) -> None:
    read, written = uuid4(), uuid4()
    recorder.insert_rows(rows(read, 3))
    recorder.insert_rows(rows(written, count), [(read.hex, 3), (uuid4().hex, 0)])
    assert len(recorder.select_states(written)) == count


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


# The log.


def test_positions_are_returned_row_by_row(recorder: QuickPostgresRecorder) -> None:
    recorder.insert_rows(rows(uuid4(), 2))
    positions = recorder.insert_rows(rows(uuid4(), 5))
    notifications = recorder.select_notifications(3, 10)
    assert list(positions) == [n.id for n in notifications] == [3, 4, 5, 6, 7]
    assert [n.originator_version for n in notifications] == [1, 2, 3, 4, 5]


def test_positions_are_in_the_order_of_commit(
    recorder: QuickPostgresRecorder, library_recorder: stock.PostgresApplicationRecorder
) -> None:
    """A reader of the log, while others write, never finds a lower position later."""

    def ours() -> None:
        stream = uuid4()
        for batch in range(30):
            recorder.insert_rows(rows(stream, 3, after=3 * batch))

    def the_librarys() -> None:
        stream = uuid4()
        for batch in range(30):
            library_recorder.insert_events(events(stream, 3, after=3 * batch))

    writers = [threading.Thread(target=write) for write in (ours, ours, the_librarys)]
    for writer in writers:
        writer.start()
    seen: list[int] = []
    while any(writer.is_alive() for writer in writers):
        seen += _behind(recorder, seen)
    seen += _behind(recorder, seen)

    assert len(seen) == 3 * 30 * 3
    assert sorted(n.id for n in recorder.select_notifications(None, 1_000)) == seen


def _behind(recorder: QuickPostgresRecorder, seen: Sequence[int]) -> list[int]:
    last = seen[-1] if seen else 0
    return [n.id for n in recorder.select_notifications(last, 1_000, inclusive_of_start=False)]


def test_a_failed_insert_leaves_a_gap_that_no_reader_waits_for(
    recorder: QuickPostgresRecorder,
) -> None:
    stream = uuid4()
    recorder.insert_rows(rows(stream, 2))
    with pytest.raises(IntegrityError):
        recorder.insert_rows(rows(uuid4(), 2) + rows(stream, 1))
    recorder.insert_rows(rows(stream, 2, after=2))

    notifications = [n.id for n in recorder.select_notifications(None, 10)]
    assert all(one < two for one, two in pairwise(notifications)) and len(notifications) == 4
    assert notifications[-1] > 4


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
