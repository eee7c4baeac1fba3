"""`arbiter migrate` gives matches of older releases a digest, and only to those in which nothing is
wrong."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from uuid import UUID

import pytest
from click.testing import Result

from service.checking.undigested import give_digests
from service.event_store.digests import begun, extended
from service.event_store.store import Store
from service.settings import EMBEDDED
from tests.recorded.stores import commits, unpacked
from tests.support.cli.store_with_history import run, url
from tests.support.instance.damage import Rows, a_microsecond_later, rows_of
from tests.support.servers.postgres_server import connect, fresh_database


class Older:
    """A data directory of an earlier release."""

    def __init__(self, data: Path, matches: list[UUID]) -> None:
        self.data = data
        self.database = data / "arbiter.db"
        self.matches = matches
        self.env = {"PERSISTENCE_MODULE": EMBEDDED, "SQLITE_DBNAME": str(self.database)}

    def migrate(self) -> Result:
        return run("migrate", "--data", self.data)

    def digested(self) -> set[UUID]:
        """The matches with a digest, which is that of their rows."""
        with closing(Store(self.env)) as store:
            heads = {match: store.digest_head(match) for match in self.matches}
            for match, head in heads.items():
                assert head in (None, extended(begun(match), store.rows(match).rows))
        return {match for match, head in heads.items() if head is not None}


def older(commit: str, folder: Path) -> Older:
    data, shown = unpacked(commit, folder)
    return Older(data, sorted(map(UUID, shown.views)))


@pytest.fixture
def store(tmp_path: Path) -> Older:
    return older(commits()[0], tmp_path)


@pytest.mark.parametrize("commit", commits())
def test_every_match_of_an_older_release_gets_a_digest(commit: str, tmp_path: Path) -> None:
    store = older(commit, tmp_path)
    before = len(store.digested())
    first, second = store.migrate(), store.migrate()
    assert (first.exit_code, second.exit_code) == (0, 0), first.output
    assert store.digested() == set(store.matches)
    assert ("given a digest" in first.output) == (before < len(store.matches))
    assert "given a digest" not in second.output
    assert run("check", "--data", store.data, "--jobs", 1).exit_code == 0


def test_what_starts_workers_does_not_wait_for_it(store: Older) -> None:
    with rows_of(store.database, store.matches[1]) as rows:
        undecodable(rows)
    before = store.digested()
    assert run("migrate", "--data", store.data, "--no-digests").exit_code == 0
    assert store.digested() == before != set(store.matches)


def altered(rows: Rows) -> None:
    rows.put(a_microsecond_later(rows.all()[-1]))
    rows.put(rows.all()[3]._replace(state=rows.all()[4].state))


def undecodable(rows: Rows) -> None:
    rows.put(rows.all()[3]._replace(state=b"\xc1"))


def missing(rows: Rows) -> None:
    rows.delete(3)


@pytest.mark.parametrize("damage", [altered, undecodable, missing, lambda rows: rows.delete(1)])
def test_a_match_in_which_something_is_wrong_gets_none_and_is_named(
    store: Older, damage: Callable[[Rows], None]
) -> None:
    damaged = store.matches[1]
    with rows_of(store.database, damaged) as rows:
        damage(rows)
    for _ in range(2):
        result = store.migrate()
        assert result.exit_code == 1 and str(damaged) in result.output
        assert store.digested() == {*store.matches} - {damaged}


def test_what_an_interrupted_run_has_given_stays_and_the_next_goes_on(store: Older) -> None:
    def interrupted(_rows: int, _total: int) -> None:
        raise KeyboardInterrupt

    run("migrate", "--data", store.data)
    with closing(sqlite3.connect(store.database)) as connection, connection:
        connection.execute("DELETE FROM stored_digests")
    with pytest.raises(KeyboardInterrupt):
        give_digests(store.env, interrupted)
    assert len(store.digested()) == 1
    assert give_digests(store.env).digests == len(store.matches) - 1
    assert store.digested() == set(store.matches)


def test_progress_comes_to_the_end(store: Older) -> None:
    seen: list[tuple[int, int]] = []
    run("migrate", "--data", store.data)
    with closing(sqlite3.connect(store.database)) as connection, connection:
        connection.execute("DELETE FROM stored_digests")
    give_digests(store.env, lambda rows, total: seen.append((rows, total)))
    assert 0 < seen[-1][0] <= seen[-1][1]


def test_in_postgresql_they_get_one_too(store: Older) -> None:
    run("migrate", "--data", store.data)
    with fresh_database() as env:
        assert run("store", "copy", store.data, url(env)).exit_code == 0
        with connect(env) as database:
            database.execute("DELETE FROM arbiter_digests")
        done = run("migrate", env={**env, "ARBITER_KEYS": str(store.data / "keys")})
        assert done.exit_code == 0, done.output
        with closing(Store({**env, "CREATE_TABLE": "no"})) as copied:
            for match in store.matches:
                rows = copied.rows(match)
                assert rows.head == extended(begun(match), rows.rows)
