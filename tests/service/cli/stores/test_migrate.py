"""`arbiter migrate`: what it prepares for workers, and what it does not touch."""

import re
from contextlib import closing
from pathlib import Path

import pytest

from service.read_models.tables import FORMAT
from tests.support.cli.store_with_history import run
from tests.support.instance.index_log import Log, busy, contents
from tests.support.instance.index_releases import release


def migrated(log: Log, tmp_path: Path, *options: str) -> str:
    """The output for the operator. No match of these logs has been played by the rules."""
    done = run("migrate", "--data", tmp_path, *options, env=log.env)
    assert done.exit_code == 0, done.output
    return done.output


def position(log: Log) -> int:
    reached = log.index.follower.position()
    return int(reached)


def test_workers_find_the_lists_of_a_new_format_up_to_date(log: Log, tmp_path: Path) -> None:
    """Otherwise the first request would read the whole log, and all others would wait."""
    with closing(release(log, FORMAT - 1)) as before:
        busy(log)
        before.follow()
        assert position(log) == 0
        migrated(log, tmp_path)
        assert position(log) == log.store.end()
        assert contents(log.index) == contents(before)


OLDER = {f"arbiter{FORMAT - 1}_matches", f"arbiter{FORMAT - 1}_ledger"}
OTHERS = {
    f"arbiter{FORMAT + 1}_matches",
    f"arbiter{FORMAT - 1}",
    "arbiter_club",
    "xarbiter0_matches",
}
"""Tables of a newer release, and of the operator's own."""


@pytest.fixture
def years_old(log: Log) -> Log:
    """Lists of all former formats, all of them up to date, and other tables in the database."""
    for name in OTHERS - {f"arbiter{FORMAT + 1}_matches"}:
        log.index._db.create([f"CREATE TABLE {name} (id {{text}})"])
    busy(log)
    for number in (FORMAT - 1, FORMAT + 1):
        with closing(release(log, number)) as other:
            other.follow()
    assert set(log.index._db.tables()) >= OLDER | OTHERS
    return log


def test_tables_of_older_formats_are_named_and_stay(years_old: Log, tmp_path: Path) -> None:
    before = set(years_old.index._db.tables())
    said = migrated(years_old, tmp_path)
    assert all(name in said for name in (*OLDER, "--drop-old"))
    assert not any(re.search(rf"\b{name}\b", said) for name in OTHERS)
    assert set(years_old.index._db.tables()) >= before


def test_they_are_dropped_on_request_and_nothing_else_is(years_old: Log, tmp_path: Path) -> None:
    said = migrated(years_old, tmp_path, "--drop-old")
    assert all(name in said.partition("Dropped:")[2] for name in OLDER)
    left = set(years_old.index._db.tables())
    assert not left & OLDER and left > OTHERS
    assert not years_old.index.old_tables()
    found = contents(years_old.index)
    assert len(found[0]) == 12
    with closing(release(years_old, FORMAT + 1)) as newer:
        assert contents(newer) == found
    assert "--drop-old" not in migrated(years_old, tmp_path)
    assert "Dropped:" not in migrated(years_old, tmp_path, "--drop-old")


def test_an_older_release_that_returns_reads_from_the_beginning(
    years_old: Log, tmp_path: Path
) -> None:
    """By its position it would seem to be up to date."""
    migrated(years_old, tmp_path, "--drop-old")
    with closing(release(years_old, FORMAT - 1)) as older:
        older.follow()
        assert contents(older) == contents(years_old.index)
