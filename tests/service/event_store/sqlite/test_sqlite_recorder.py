"""Every connection of the embedded recorder is durable: WAL, and FULL."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import pytest
from eventsourcing.persistence import IntegrityError
from eventsourcing.utils import Environment

from service.cli.options import store_lock
from service.event_store.database import NotDurable, NotUtf8, embedded
from service.event_store.integrity.digests import Digest
from service.event_store.recorder import Row
from service.event_store.sqlite import DurablePool, Factory, require_fit
from service.event_store.sqlite.writer import ROWS_AT_ONCE, OwnConnection, SQLiteWriter
from service.event_store.store import digest_row
from service.instance import Instance
from tests.support.instance.service_instance import settings
from tests.support.servers.serve_process import arbiter


def environment(path: Path) -> Environment:
    env = embedded(path)
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


# The writer of the embedded store: a transaction is recorded whole or not at all, in one statement
# or in several.

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


@pytest.mark.parametrize("count", SIZES)
def test_each_stream_has_its_digest_however_many_there_are(
    factory: Factory, writer: SQLiteWriter, count: int
) -> None:
    streams = [uuid4() for _ in range(count)]
    new = [row for stream in streams for row in rows(stream.hex, 1)]
    digests = [digest_row(stream, Digest(1, stream.bytes)) for stream in streams]
    assert list(writer.insert(new, (), digests)) == list(range(1, count + 1))
    logged, digested = content(factory)
    assert (len(logged), len(digested)) == (count, count)


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


def content(factory: Factory) -> list[list[object]]:
    """The rows of the log, and the digests."""
    with factory.datastore.transaction(commit=False) as cursor:
        return [
            [tuple(row) for row in cursor.sqlite_cursor.execute(f"SELECT * FROM {table}")]  # noqa: S608
            for table in (TABLE, "stored_digests")
        ]


# One process writes to an embedded store.


@pytest.mark.parametrize("command", [("serve", "--port", "0"), ("demo",)])
def test_a_second_process_reports_that_the_store_is_in_use(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    with store_lock(settings(tmp_path / "arbiter.db")):
        result = arbiter(*command, "--data", tmp_path)
    assert result.returncode == 1
    assert "another process serves" in result.stderr


def test_keys_are_issued_beside_a_service(tmp_path: Path) -> None:
    Instance(settings(tmp_path / "arbiter.db")).store.close()
    with store_lock(settings(tmp_path / "arbiter.db")):
        issued = arbiter("keys", "new", "--data", tmp_path)
    assert (issued.returncode, issued.stdout[:8]) == (0, "arb_org_")


def test_the_store_is_free_again_afterwards(tmp_path: Path) -> None:
    for _ in range(2):
        with store_lock(settings(tmp_path / "arbiter.db")):
            pass
