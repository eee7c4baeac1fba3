"""The writer of the embedded store: a transaction is recorded whole or not at all, in one statement
or in several."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from eventsourcing.persistence import IntegrityError, OperationalError

from service.event_store.recorder import Row
from service.event_store.sqlite import DurablePool, Factory
from service.event_store.sqlite.writer import ROWS_AT_ONCE, OwnConnection, SQLiteWriter

TABLE = "stored_events"
SIZES = (1, 2, ROWS_AT_ONCE, ROWS_AT_ONCE + 1, 3 * ROWS_AT_ONCE)


@pytest.fixture
def factory(tmp_path: Path) -> Iterator[Factory]:
    made = Factory({"SQLITE_DBNAME": str(tmp_path / "log.sqlite")})
    made.application_recorder()
    yield made
    made.close()


@pytest.fixture
def writer(factory: Factory) -> SQLiteWriter:
    pool = factory.datastore.pool
    assert isinstance(pool, DurablePool)
    return pool.writer(TABLE)


def rows(stream: str, count: int, after: int = 0) -> list[Row]:
    return [Row(stream, version, "a.b.1", b"x") for version in range(after + 1, after + count + 1)]


def stored(factory: Factory) -> int:
    return len(factory.application_recorder().select_notifications(1, 1_000))


@pytest.mark.parametrize("count", SIZES)
def test_rows_are_inserted_in_order_and_their_positions_returned(
    factory: Factory, writer: SQLiteWriter, count: int
) -> None:
    stream = uuid4().hex
    assert list(writer.insert(rows(stream, count), ())) == list(range(1, count + 1))
    more = writer.insert(rows(stream, count, after=count), [(stream, count)])
    assert list(more) == list(range(count + 1, 2 * count + 1))
    assert stored(factory) == 2 * count


@pytest.mark.parametrize("count", SIZES)
@pytest.mark.parametrize("wrong", ["taken", "gap", "grown"])
def test_nothing_of_a_transaction_that_does_not_fit_is_recorded(
    factory: Factory, writer: SQLiteWriter, count: int, wrong: str
) -> None:
    """And the next one is not hurt by it."""
    known, other = uuid4().hex, uuid4().hex
    writer.insert(rows(known, 3), ())
    last = {"taken": rows(known, 1, after=2), "gap": rows(known, 1, after=4), "grown": []}[wrong]
    unchanged = [(known, 2)] if wrong == "grown" else []
    with pytest.raises(IntegrityError):
        writer.insert(rows(other, count) + last, unchanged)
    assert stored(factory) == 3
    writer.insert(rows(other, count) + rows(known, 1, after=3), [(known, 3)])
    assert stored(factory) == 4 + count


def test_checks_alone_record_nothing(factory: Factory, writer: SQLiteWriter) -> None:
    stream = uuid4().hex
    writer.insert(rows(stream, 2), ())
    assert list(writer.insert([], [(stream, 2)])) == []
    with pytest.raises(IntegrityError):
        writer.insert([], [(stream, 1)])
    assert stored(factory) == 2


class Uncounted(sqlite3.Cursor):
    """A cursor of the driver in a Turkish locale, which takes `INSERT` for no change."""

    rowcount = -1


def test_it_does_not_rely_on_what_the_driver_counts(factory: Factory) -> None:
    class Connection(sqlite3.Connection):
        def cursor(self, *_: object, **__: object) -> sqlite3.Cursor:  # type: ignore[override]
            return super().cursor(Uncounted)

    file = factory.datastore.pool.db_name
    own = OwnConnection(
        lambda: sqlite3.connect(file, uri=True, isolation_level=None, factory=Connection)
    )
    writer = SQLiteWriter(own, TABLE, None, own.close)
    stream = uuid4().hex
    assert list(writer.insert(rows(stream, 2), ())) == [1, 2]
    with pytest.raises(IntegrityError):
        writer.insert(rows(stream, 1, after=3), ())
    writer.close()
    assert stored(factory) == 2


def test_a_rehearsal_leaves_nothing(factory: Factory, writer: SQLiteWriter) -> None:
    before = content(factory)
    writer.rehearse()
    assert content(factory) == before
    assert list(writer.insert(rows(uuid4().hex, 1), ())) == [1]


def test_a_rehearsal_notices_that_nothing_would_be_recorded(
    factory: Factory, writer: SQLiteWriter
) -> None:
    with factory.datastore.transaction(commit=True) as cursor:
        cursor.execute(
            f"CREATE TRIGGER swallows BEFORE INSERT ON {TABLE} BEGIN SELECT RAISE(IGNORE); END"
        )
    with pytest.raises(IntegrityError):
        writer.rehearse()


def content(factory: Factory) -> list[object]:
    with factory.datastore.transaction(commit=False) as cursor:
        tables = (TABLE, "stored_digests")
        return [
            tuple(row)
            for table in tables
            for row in cursor.sqlite_cursor.execute(f"SELECT * FROM {table}")  # noqa: S608
        ]


def test_a_stream_may_go_on_later_in_a_transaction(factory: Factory, writer: SQLiteWriter) -> None:
    one, two = uuid4().hex, uuid4().hex
    writer.insert(rows(one, 1) + rows(two, 1) + rows(one, 1, after=1), ())
    assert stored(factory) == 3


def test_errors_of_the_driver_are_those_of_the_library(
    factory: Factory, writer: SQLiteWriter
) -> None:
    with factory.datastore.transaction(commit=True) as cursor:
        cursor.execute(f"DROP TABLE {TABLE}")
    with pytest.raises(OperationalError):
        writer.insert(rows(uuid4().hex, 1), ())


def test_it_goes_on_after_it_was_closed(factory: Factory, writer: SQLiteWriter) -> None:
    writer.insert(rows(uuid4().hex, 1), ())
    writer.close()
    writer.insert(rows(uuid4().hex, 1), ())
    assert stored(factory) == 2
