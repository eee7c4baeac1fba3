"""`arbiter store copy`: what it refuses, and what is left when it is interrupted."""

import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from eventsourcing.persistence import PersistenceError, StoredEvent

from service.application.migration import migrate
from service.cli.options import store_lock
from service.cli.stores.store_url import store_settings
from service.event_store import reads
from service.event_store.backup import dump
from service.event_store.backup.dump import CopyDiffers, DumpedRow, copy, open_dump
from service.event_store.postgres.leader_row import NOW, TABLE
from service.event_store.recorder import LOG, Row
from service.event_store.store import Store
from service.read_models.follower import set_position
from service.read_models.index import Index, open_index
from service.read_models.tables import NAME
from tests.support.cli.spoiling_dump import Spoil, Spoiling
from tests.support.cli.store_with_history import (
    Happened,
    StoreLocation,
    contents,
    embedded,
    refused,
    run,
)
from tests.support.instants import NOON
from tests.support.servers.postgres_server import connect

COPY = ("store", "copy")
STREAM = UUID("019b796d-d600-7000-8000-00000000beef")
A_ROW: DumpedRow = (STREAM.hex, 1, "match.paused.1", b"\xc0")

A_READ: DumpedRow = (str(STREAM), "k" * 16, "public", 0, "seat", "Ann", 1, NOON, NOON)

DYING = """
import os, signal, sys
from service.cli import main
from service.event_store.backup import dump

dump.PAGE, left, pages = 50, int(sys.argv.pop(1)), dump.StoreDump.pages

def pages_or_death(store, table):
    global left
    for page in pages(store, table):
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
        yield page

dump.StoreDump.pages = pages_or_death
main()
"""
"""The command line, killed when it has copied this many pages."""


def is_empty(store: StoreLocation) -> bool:
    return not any(contents(store.env).values())


# Where nothing may be lost or mixed up.


def test_a_target_that_is_not_empty_stays_as_it_is(
    source: StoreLocation, target: StoreLocation
) -> None:
    migrate(target.env)
    for table in dump.TABLES:
        with open_dump(target.env) as there:
            there.insert(table, [A_READ if table == dump.READS else A_ROW])
        before = contents(target.env)
        assert f"is not empty: {table} has 1 rows" in refused(*COPY, source.said, target.said)
        assert contents(target.env) == before
        kind = "stored" if "SQLITE_DBNAME" in target.env else "arbiter"
        name = reads.TABLE if table == dump.READS else f"{kind}_{table}"
        do(target, f"DELETE FROM {name}")  # noqa: S608


def do(store: StoreLocation, *statements: str) -> None:
    """Changes a store after the command's back."""
    if "SQLITE_DBNAME" in store.env:
        with closing(sqlite3.connect(store.env["SQLITE_DBNAME"])) as database, database:
            for statement in statements:
                database.execute(statement)
        return
    with closing(connect(store.env)) as connection:
        for statement in statements:
            connection.execute(statement.encode())


@contextmanager
def opened(store_settings: StoreLocation) -> Iterator[Index]:
    with (
        closing(Store(store_settings.env)) as store,
        closing(_index(store_settings, store)) as index,
    ):
        yield index


def _index(store_settings: StoreLocation, store: Store) -> Index:
    return open_index(store)


def test_old_lists_are_rebuilt(
    source: StoreLocation, target: StoreLocation, played: tuple[Path, Happened]
) -> None:
    """The target has been emptied, and its lists are ahead of its log."""
    with opened(target) as index, index._db.transaction() as cursor:
        cursor.execute(set_position(NAME), (10**6,))
    assert run("store", "copy", source.said, target.said).exit_code == 0
    with opened(target) as index:
        listed = {UUID(match.id) for match in index.page(limit=100).matches}
    assert listed == played[1].matches


@pytest.mark.parametrize("pages", [30, 110], ids=["copying", "reading again"])
def test_killed_in_the_middle_it_leaves_nothing_and_can_be_repeated(
    source: StoreLocation, target: StoreLocation, pages: int
) -> None:
    copying = ("store", "copy", source.said, target.said)
    dying = [sys.executable, "-c", DYING, str(pages), *copying]
    died = subprocess.run(dying, capture_output=True, timeout=60, check=False)
    assert died.returncode == -signal.SIGKILL, died.stderr
    assert is_empty(target)
    assert run(*copying).exit_code == 0
    assert contents(target.env) == contents(source.env)


def test_a_target_that_has_lost_commits_is_left_alone(
    source: StoreLocation, tmp_path: Path
) -> None:
    target = embedded(tmp_path / "lost.db")
    assert run(*COPY, source.said, target.said).exit_code == 0
    do(target, "DELETE FROM stored_events WHERE rowid > 20")
    before = contents(target.env)
    assert "are missing" in refused(*COPY, source.said, target.said)
    assert contents(target.env) == before


SPOILT: dict[str, Spoil] = {
    "a row is missing": lambda rows: rows[1:],
    "two have changed places": lambda rows: [rows[1], rows[0], *rows[2:]],
    "of another stream": lambda rows: [(STREAM.hex, *rows[0][1:]), *rows[1:]],
    "another version": lambda rows: [(rows[0][0], 10**6, *rows[0][2:]), *rows[1:]],
    "another name": lambda rows: [(*rows[0][:2], rows[0][2].upper(), rows[0][3]), *rows[1:]],
    "another content": lambda rows: [(*rows[0][:-1], _changed(rows[0][-1])), *rows[1:]],
    "one too many": lambda rows: [*rows, A_ROW],
}


def _changed(value: Any) -> Any:
    return value[:-1] + b"\x7f" if isinstance(value, bytes) else value + 1


@pytest.mark.parametrize(
    ("spoilt", "table"),
    [*((spoilt, LOG) for spoilt in SPOILT), *(("another content", name) for name in dump.TABLES)],
)
def test_a_differing_copy_is_detected_and_removed(
    source: StoreLocation, tmp_path: Path, spoilt: str, table: str
) -> None:
    target = embedded(tmp_path / "target.db")
    migrate(target.env)
    with (
        pytest.raises(CopyDiffers, match=table),
        open_dump(source.env) as sent,
        open_dump(target.env) as arriving,
    ):
        copy(sent, Spoiling(arriving, SPOILT[spoilt], table))
    assert is_empty(target)


CHANGED = {
    "another event": "UPDATE stored_events SET state ="
    " (SELECT state FROM stored_events WHERE {of} = 5) WHERE {of} = 6",
    "cut off": "DELETE FROM stored_events WHERE {of} > 9",
    "grown": "INSERT INTO stored_events"
    " SELECT originator_id, 9999, topic, state FROM stored_events WHERE {of} = 6",
    "gone": "DELETE FROM stored_events WHERE {of} > 0",
    "without its secrets": "DELETE FROM stored_secrets WHERE {of} > 0",
}


@pytest.mark.parametrize("change", CHANGED.values(), ids=CHANGED)
def test_an_earlier_change_of_the_record_is_copied_and_named(
    source: StoreLocation, tmp_path: Path, played: tuple[Path, Happened], change: str
) -> None:
    """The copy is faithful; its log was altered before."""
    target = embedded(tmp_path / "target.db")
    match = played[1].over["twelve-chips"]
    do(source, change.format(of=f"originator_id = '{match.hex}' AND originator_version"))
    said = refused(*COPY, source.said, target.said)
    assert "damaged: " in said and str(match) in said
    assert contents(target.env) == contents(source.env)


# While another process uses a store.


@pytest.mark.parametrize("kept", ["source", "target"])
def test_a_store_in_use_is_left_alone(
    source: StoreLocation, target: StoreLocation, tmp_path: Path, kept: str
) -> None:
    if kept == "source":
        assert run("store", "copy", source.said, target.said).exit_code == 0
        source, target = target, embedded(tmp_path / "other")
    with served(source if kept == "source" else target):
        said = refused(*COPY, source.said, target.said)
    assert "serves" in said
    assert run("store", "copy", source.said, target.said).exit_code == 0


@contextmanager
def served(store: StoreLocation) -> Iterator[None]:
    """The sign by which others see that an instance runs."""
    if "SQLITE_DBNAME" in store.env:
        with store_lock(store_settings(store.said)):
            yield
        return
    migrate(store.env)
    with closing(connect(store.env)) as connection:
        connection.execute(f"UPDATE {TABLE} SET shown = {NOW} + 60000000".encode())  # noqa: S608
        yield
        connection.execute(f"UPDATE {TABLE} SET shown = 0".encode())  # noqa: S608


def test_a_store_with_an_open_write_transaction_is_left_alone(
    source: StoreLocation, target: StoreLocation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.event_store.database.LOCK_TIMEOUT", 0.1)
    assert run(*COPY, source.said, target.said).exit_code == 0
    with writing(target):
        said = refused(*COPY, target.said, tmp_path / "other.db", POSTGRES_LOCK_TIMEOUT="1")
    assert "another process uses the tables" in said or "database is locked" in said
    assert run(*COPY, target.said, tmp_path / "other.db").exit_code == 0


@contextmanager
def writing(store: StoreLocation) -> Iterator[None]:
    """Another client is in the middle of a transaction."""
    if "SQLITE_DBNAME" in store.env:
        with closing(sqlite3.connect(store.env["SQLITE_DBNAME"])) as database, database:
            database.execute("BEGIN IMMEDIATE")
            yield
        return
    with closing(connect(store.env)) as connection, connection.transaction():
        connection.execute("DELETE FROM arbiter_keys WHERE originator_version = 0")
        yield


def test_nobody_writes_while_a_store_is_copied(
    source: StoreLocation, target: StoreLocation
) -> None:
    assert run("store", "copy", source.said, target.said).exit_code == 0
    before = contents(target.env)
    hurried = {**target.env, "SQLITE_LOCK_TIMEOUT": "1", "POSTGRES_LOCK_TIMEOUT": "1"}
    row = Row(STREAM.hex, 1, "match.paused.1", b"\xc0")
    with closing(Store(hurried)) as store:
        with open_dump(target.env):
            with pytest.raises(PersistenceError):
                store.append([row])
            for recorder in (store.keyrings, store.secrets):
                with pytest.raises(PersistenceError):
                    recorder.insert_events([StoredEvent(STREAM, *row[1:])])
        assert contents(target.env) == before
        store.append([row])
    assert contents(target.env)[LOG] == [*before[LOG], A_ROW]
