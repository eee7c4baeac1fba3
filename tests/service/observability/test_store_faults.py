"""The errors of real databases, told apart by what helps against them."""

import errno
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from eventsourcing.persistence import DatabaseError, IntegrityError, OperationalError
from psycopg_pool import PoolTimeout

from service.event_store.errors import StoreUnavailable
from service.observability.store_faults import SEVERITY, Fault, fault_of, worst
from service.read_models.index import FarBehind
from tests.support.faults.damaged_pages import leaves, overwrite

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
