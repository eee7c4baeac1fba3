"""The errors of databases, told apart by what helps; outages are logged as they begin and end."""

import errno
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from eventsourcing.persistence import DatabaseError, IntegrityError, OperationalError
from psycopg_pool import PoolTimeout

from service.event_store.errors import StoreUnavailable
from service.observability import logs
from service.observability.metrics import Metrics
from service.observability.store_faults import (
    QUIET_SECONDS,
    SEVERITY,
    EndedOutage,
    Fault,
    Outages,
    current_outages,
    fault_of,
    worst,
)
from service.read_models.index import FarBehind
from tests.service.observability.metric_values import value
from tests.support.faults.small_disk import leaves, overwrite

ROWS = 500


def filled(path: Path) -> Path:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE kept (content TEXT)")
        database.executemany("INSERT INTO kept VALUES (?)", [("x" * 100,)] * ROWS)
    return path


def read_damaged(path: Path) -> None:
    overwrite(path, leaves(path, "kept")[1:2])
    with closing(sqlite3.connect(path)) as database:
        database.execute("SELECT * FROM kept").fetchall()


def read_nonsense(path: Path) -> None:
    path.write_bytes(b"nonsense" * 1_000)
    with closing(sqlite3.connect(path)) as database:
        database.execute("SELECT * FROM kept").fetchall()


def write_to_full(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        ((pages,),) = database.execute("PRAGMA page_count").fetchall()
        database.execute(f"PRAGMA max_page_count={pages}")
        database.execute("INSERT INTO kept VALUES (?)", ("x" * 100_000,))


def write_to_read_only(path: Path) -> None:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        database.execute("DELETE FROM kept")


def write_to_locked(path: Path) -> None:
    with closing(sqlite3.connect(path)) as locking, locking:
        locking.execute("BEGIN IMMEDIATE")
        with closing(sqlite3.connect(path, timeout=0)) as database:
            database.execute("DELETE FROM kept")


@pytest.mark.parametrize(
    ("fails", "fault"),
    [
        (read_damaged, "corrupt"),
        (read_nonsense, "corrupt"),
        (write_to_full, "full"),
        (write_to_read_only, "read_only"),
        (write_to_locked, "down"),
    ],
)
def test_errors_of_sqlite(tmp_path: Path, fails: Callable[[Path], None], fault: Fault) -> None:
    path = filled(tmp_path / "database")
    with pytest.raises(sqlite3.DatabaseError) as met:
        fails(path)
    assert fault_of(met.value) == fault
    # As the library wraps it, and as readers are told.
    wrapped = DatabaseError(met.value)
    wrapped.__cause__ = met.value
    assert fault_of(wrapped) == fault
    assert StoreUnavailable(wrapped).store_fault == fault


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (psycopg.errors.DiskFull(), "full"),
        (psycopg.errors.IoError(), "io_error"),
        (psycopg.errors.ReadOnlySqlTransaction(), "read_only"),
        (psycopg.errors.DataCorrupted(), "corrupt"),
        (psycopg.errors.IndexCorrupted(), "corrupt"),
        (psycopg.errors.AdminShutdown(), "down"),
        (psycopg.OperationalError("connection refused"), "down"),
        (PoolTimeout("no connection"), "down"),
        (OperationalError("the connection is lost"), "down"),
        (OSError(errno.ENOSPC, "no space"), "full"),
        (OSError(errno.EDQUOT, "quota"), "full"),
        (StoreUnavailable(), "down"),
        (IntegrityError("another was first"), None),
        (psycopg.errors.UniqueViolation(), None),
        (FarBehind(), None),
        (OSError(errno.ENOENT, "no file"), None),
        (KeyError("a bug"), None),
    ],
)
def test_errors_of_others(error: Exception, fault: Fault | None) -> None:
    assert fault_of(error) == fault


def test_a_bug_met_while_a_failure_is_handled_is_a_bug() -> None:
    bug = KeyError("a bug")
    bug.__context__ = OperationalError("away")
    assert fault_of(bug) is None


def test_the_worst_of_several_faults() -> None:
    assert worst(set(SEVERITY)) == "corrupt"
    assert worst({"down", "full"}) == "full"
    assert worst(set()) is None


pytestmark = pytest.mark.usefixtures("logged")


class Outage:
    """A store's outages on a clock that the test sets, and the number of failures reported."""

    def __init__(self) -> None:
        self.now = 100.0
        self.reported = 0
        self.outages = Outages(lambda: self.now)
        self.outages.start(self.report)

    def report(self) -> None:
        self.reported += 1


@pytest.fixture
def store() -> Iterator[Outage]:
    made = Outage()
    token = current_outages.set(made.outages)
    yield made
    current_outages.reset(token)


def test_of_an_outage_the_first_failure_is_to_be_logged(store: Outage) -> None:
    assert [store.outages.failed("down") for _ in range(3)] == [True, False, False]
    assert store.outages.failed("full")
    assert store.reported == 4
    assert store.outages.failing == {"down": 3, "full": 1}


def test_it_is_over_when_nothing_has_failed_for_a_while(store: Outage) -> None:
    store.outages.failed("down")
    store.now += 2.0
    store.outages.failed("down")
    assert store.outages.folding
    assert store.outages.works() == []
    store.now += QUIET_SECONDS / 2
    store.outages.failed("down")
    store.now += 1.0
    assert store.outages.works() == []
    store.now += QUIET_SECONDS
    length = 2.0 + QUIET_SECONDS / 2 + 1.0
    assert store.outages.works() == [EndedOutage("down", length, 3)]
    assert not store.outages.folding
    assert store.outages.failed("down"), "the next one is told again"


def test_damaged_bytes_stay_damaged(store: Outage) -> None:
    store.outages.failed("corrupt")
    store.now += 10 * QUIET_SECONDS
    assert store.outages.works() == []
    assert not store.outages.failed("corrupt")
    assert not store.outages.folding, "nothing is waited for"


def test_damaged_bytes_are_mended_unless_they_were_met_again_meanwhile(store: Outage) -> None:
    store.outages.failed("corrupt")
    before = store.outages.failing["corrupt"]
    store.outages.failed("corrupt")
    store.outages.mended(before)
    assert store.outages.failing == {"corrupt": 2}
    store.outages.mended(2)
    assert store.outages.failing == {}
    assert not store.outages.failed("corrupt"), "it is one outage"
    assert store.outages.failing == {"corrupt": 3}


def test_what_has_worked_since_does_not_fail(store: Outage) -> None:
    store.outages.failed("full")
    assert store.outages.works() == []
    assert store.outages.failing == {} and store.outages.folding
    store.outages.failed("full")
    assert store.outages.failing == {"full": 2}


def test_nothing_is_folded_before_the_start_and_after_the_end() -> None:
    outages = Outages()
    assert outages.failed("down") and outages.failed("down")
    outages.start(lambda: None)
    assert outages.failed("down") and not outages.failed("down")
    outages.start(None)
    assert outages.failed("down")


def test_a_folded_failure_has_no_traceback_and_counts_as_an_error(
    store: Outage, capsys: pytest.CaptureFixture[str]
) -> None:
    metrics = Metrics()
    logs.configure_logs("json", metrics.failed)
    for event in ("store_failed", "not_signed", "store_failed"):
        try:
            raise OperationalError("the connection is lost")
        except OperationalError as error:
            logs.failure(event, error)
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "File" not in said
    assert '"outage": "down"' in said and "the connection is lost" in said
    for event, times in (("store_failed", 2), ("not_signed", 1)):
        assert value(metrics, "arbiter_errors_total", event=event) == times


def test_a_bug_is_never_folded(store: Outage, capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure_logs("json")
    store.outages.failed("down")
    for _ in range(2):
        logs.failure("request_failed", KeyError("a bug"))
    assert capsys.readouterr().err.count("request_failed") == 2
