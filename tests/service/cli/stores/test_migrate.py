"""`arbiter migrate`: what it prepares for workers, and what it does not touch."""

from contextlib import closing
from pathlib import Path

from service.read_models.tables import FORMAT
from tests.support.cli.store_with_history import run
from tests.support.instance.index_log import Log, busy, contents
from tests.support.instance.index_releases import release


def migrated(log: Log, tmp_path: Path) -> str:
    """The output for the operator. No match of these logs has been played by the rules."""
    done = run("migrate", "--data", tmp_path, env=log.env)
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


def test_tables_of_other_formats_and_of_the_operators_stay(log: Log, tmp_path: Path) -> None:
    log.index._db.create(["CREATE TABLE arbiter_club (id {text})"])
    busy(log)
    for number in (FORMAT - 1, FORMAT + 1):
        with closing(release(log, number)) as other:
            other.follow()
    before = set(log.index._db.tables())
    migrated(log, tmp_path)
    assert set(log.index._db.tables()) >= before
