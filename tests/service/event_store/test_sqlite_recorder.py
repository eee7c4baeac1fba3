"""The embedded recorder writes the library's own tables, many rows a statement, durably."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from uuid import UUID, uuid4

import eventsourcing.sqlite as stock
import pytest
from eventsourcing.persistence import IntegrityError, StoredEvent
from eventsourcing.utils import Environment

from service.event_store import sqlite as ours
from service.event_store.database import NotDurable
from service.event_store.sqlite import DurablePool, Factory, QuickSQLiteRecorder, require_durable
from service.event_store.store import Row

MODULE = "service.event_store.sqlite"


def environment(path: Path, module: str = MODULE) -> Environment:
    env = {"PERSISTENCE_MODULE": module, "SQLITE_DBNAME": str(path)}
    return Environment("arbiter", env)


def made(factory: stock.SQLiteFactory) -> stock.SQLiteApplicationRecorder:
    recorder = factory.application_recorder()
    assert isinstance(recorder, stock.SQLiteApplicationRecorder)
    return recorder


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "events.db"


@pytest.fixture
def recorder(path: Path) -> Iterator[QuickSQLiteRecorder]:
    with closing(Factory(environment(path))) as factory:
        recorder = factory.application_recorder()
        assert isinstance(recorder, QuickSQLiteRecorder)
        yield recorder


@pytest.fixture
def library_recorder(path: Path) -> Iterator[stock.SQLiteApplicationRecorder]:
    with closing(stock.SQLiteFactory(environment(path, "eventsourcing.sqlite"))) as factory:
        yield made(factory)


def events(stream: UUID, count: int, after: int = 0) -> list[StoredEvent]:
    return [
        StoredEvent(stream, after + n, "a.topic.1", b"state %d" % n) for n in range(1, count + 1)
    ]


def as_rows(stored: list[StoredEvent]) -> list[Row]:
    return [
        Row(UUID(str(e.originator_id)).hex, e.originator_version, e.topic, e.state) for e in stored
    ]


def test_the_stock_recorder_reads_and_continues_what_ours_wrote(
    recorder: QuickSQLiteRecorder, library_recorder: stock.SQLiteApplicationRecorder
) -> None:
    stream = uuid4()
    first, more = events(stream, 3), events(stream, 2, after=3)

    recorder.insert_rows(as_rows(first))
    assert library_recorder.select_events(stream) == first
    library_recorder.insert_events(more)

    assert recorder.select_events(stream) == first + more
    assert recorder.select_states(stream) == [e.state for e in first + more]


def test_ours_reads_and_continues_records_of_the_stock_recorder(
    recorder: QuickSQLiteRecorder, library_recorder: stock.SQLiteApplicationRecorder
) -> None:
    stream = uuid4()
    first, more = events(stream, 3), events(stream, 2, after=3)

    library_recorder.insert_events(first)
    assert recorder.select_states(stream, 1, 2) == [first[1].state]
    recorder.insert_rows(as_rows(more))

    assert library_recorder.select_events(stream) == first + more
    notifications = library_recorder.select_notifications(None, 10)
    assert [n.originator_version for n in notifications] == [1, 2, 3, 4, 5]


def test_both_recorders_refuse_a_version_that_the_other_wrote(
    recorder: QuickSQLiteRecorder, library_recorder: stock.SQLiteApplicationRecorder
) -> None:
    stream = uuid4()
    recorder.insert_rows(as_rows(events(stream, 1)))
    with pytest.raises(IntegrityError):
        library_recorder.insert_events(events(stream, 1))
    with pytest.raises(IntegrityError):
        recorder.insert_rows(as_rows(events(stream, 1)))


@pytest.mark.parametrize("rows_a_statement", [1, 2, 3, 4_000])
def test_an_insert_with_a_conflict_leaves_nothing_of_any_stream(
    recorder: QuickSQLiteRecorder, monkeypatch: pytest.MonkeyPatch, rows_a_statement: int
) -> None:
    monkeypatch.setattr(ours, "ROWS_A_STATEMENT", rows_a_statement)
    existing, other = uuid4(), uuid4()
    recorder.insert_rows(as_rows(events(existing, 2)))

    with pytest.raises(IntegrityError):
        recorder.insert_rows(as_rows(events(other, 3) + events(existing, 1, after=1)))

    assert recorder.select_states(other) == []
    assert len(recorder.select_states(existing)) == 2
    assert recorder.max_notification_id() == 2


def test_nothing_is_inserted_if_a_stream_has_grown_that_must_not(
    recorder: QuickSQLiteRecorder,
) -> None:
    grown, other = uuid4(), uuid4()
    recorder.insert_rows(as_rows(events(grown, 2)))

    recorder.insert_rows(as_rows(events(other, 1)), [(grown.hex, 2), (uuid4().hex, 0)])
    recorder.insert_rows([], [(grown.hex, 2), (other.hex, 1)])
    for rows in ([], as_rows(events(other, 1, after=1))):
        with pytest.raises(IntegrityError):
            recorder.insert_rows(rows, [(other.hex, 1), (grown.hex, 1)])

    assert len(recorder.select_states(other)) == 1


@pytest.mark.parametrize("rows_a_statement", [1, 2, 5, 4_000])
def test_positions_are_returned_row_by_row(
    recorder: QuickSQLiteRecorder, monkeypatch: pytest.MonkeyPatch, rows_a_statement: int
) -> None:
    monkeypatch.setattr(ours, "ROWS_A_STATEMENT", rows_a_statement)
    one, two = uuid4(), uuid4()
    recorder.insert_rows(as_rows(events(one, 2)))

    positions = recorder.insert_rows(as_rows(events(two, 5)))

    notifications = recorder.select_notifications(3, 10)
    assert list(positions) == [n.id for n in notifications] == [3, 4, 5, 6, 7]
    assert [n.originator_version for n in notifications] == [1, 2, 3, 4, 5]


def test_positions_are_in_the_order_of_commit(recorder: QuickSQLiteRecorder) -> None:
    """A reader of the log, while others write, never finds a lower position later."""
    writers = [threading.Thread(target=_write_many, args=(recorder, uuid4())) for _ in range(4)]
    for writer in writers:
        writer.start()
    seen: list[int] = []
    while any(writer.is_alive() for writer in writers):
        seen += _behind(recorder, seen)
    seen += _behind(recorder, seen)

    assert seen == list(range(1, 4 * 30 * 3 + 1))


def _write_many(recorder: QuickSQLiteRecorder, stream: UUID) -> None:
    for batch in range(30):
        recorder.insert_rows(as_rows(events(stream, 3, after=3 * batch)))


def _behind(recorder: QuickSQLiteRecorder, seen: list[int]) -> list[int]:
    last = seen[-1] if seen else 0
    return [n.id for n in recorder.select_notifications(last, 1_000, inclusive_of_start=False)]


@pytest.mark.parametrize("count", [1, 40])
def test_nothing_is_appended_after_a_missing_event(
    recorder: QuickSQLiteRecorder, count: int
) -> None:
    """The file has lost some commits; a writer with the longer record in memory gets an error."""
    there = [uuid4() for _ in range(count)]
    recorder.insert_rows([row for one in there for row in as_rows(events(one, 2))])
    on = [row for one in there for row in as_rows(events(one, 1, after=2))]
    for late in (events(there[-1], 2, after=3), events(uuid4(), 1, after=1)):
        with pytest.raises(IntegrityError, match="lost commits"):
            recorder.insert_rows(on[:-1] + as_rows(late))
    assert [len(recorder.select_states(one)) for one in there] == [2] * count
    recorder.insert_rows(on)
    assert [len(recorder.select_states(one)) for one in there] == [3] * count


def test_a_failed_insert_leaves_no_gap_that_a_reader_waits_for(
    recorder: QuickSQLiteRecorder,
) -> None:
    stream = uuid4()
    recorder.insert_rows(as_rows(events(stream, 2)))
    with pytest.raises(IntegrityError):
        recorder.insert_rows(as_rows(events(uuid4(), 2) + events(stream, 1)))
    recorder.insert_rows(as_rows(events(stream, 2, after=2)))

    notifications = [n.id for n in recorder.select_notifications(None, 10)]
    assert all(one < two for one, two in pairwise(notifications)) and len(notifications) == 4


# Durable: WAL, and FULL on every connection.


def test_every_connection_writes_ahead_and_syncs_at_commit(path: Path) -> None:
    with closing(Factory(environment(path))) as factory:
        for commit in (True, False):
            with factory.datastore.get_connection(commit=commit) as connection:
                cursor = connection.cursor()
                require_durable(cursor)
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
            require_durable(cursor)
        pool.put_connection(connection)


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
