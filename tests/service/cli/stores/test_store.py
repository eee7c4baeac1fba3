"""`arbiter store`: a store that was put back by other means begins a new incarnation, on record."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from service.cli.options import store_lock
from service.event_store.integrity.incarnation import incarnation
from service.event_store.postgres.leader_row import NOW, TABLE
from service.event_store.store import Store
from tests.support.cli.store_with_history import (
    Environment,
    Happened,
    copy_into,
    embedded,
    history,
    refused,
    run,
)
from tests.support.instance.service_instance import settings
from tests.support.servers.postgres_server import connect, fresh_database


@pytest.fixture(params=["sqlite", "postgres"])
def put_back(
    request: pytest.FixtureRequest, played: tuple[Path, Happened], tmp_path: Path
) -> Iterator[Environment]:
    """A store with the history of another one."""
    if request.param == "sqlite":
        shutil.copytree(played[0], tmp_path / "copy")
        yield embedded(tmp_path / "copy")
    else:
        with fresh_database() as env:
            copy_into(env, played[0])
            yield env


def incarnation_of(env: Environment) -> bytes:
    with closing(Store(env)) as store:
        return incarnation(store.keyrings)


def test_it_begins_a_new_incarnation_and_changes_nothing_else(put_back: Environment) -> None:
    first, before = incarnation_of(put_back), history(put_back)
    assert "has never gone back" in run("store", "history", env=put_back).output
    done = run("store", "restored", env=put_back)
    assert done.exit_code == 0, done.output
    assert incarnation_of(put_back) != first and history(put_back) == before
    assert "Backup restored, with" in run("store", "history", env=put_back).output


def test_a_store_that_is_served_is_left_alone(put_back: Environment) -> None:
    before = incarnation_of(put_back)
    if "SQLITE_DBNAME" in put_back:
        with store_lock(settings(Path(put_back["SQLITE_DBNAME"]))):
            assert "serves" in refused("store", "restored", **put_back)
    else:
        with closing(connect(put_back)) as connection:
            connection.execute(f"UPDATE {TABLE} SET shown = {NOW} + 60000000".encode())  # noqa: S608
            assert "an instance serves the store" in refused("store", "restored", **put_back)
    assert incarnation_of(put_back) == before


def test_it_needs_a_store(tmp_path: Path) -> None:
    assert "there is no store at" in refused("store", "restored", "--data", tmp_path / "none")
    with fresh_database() as env:
        assert "the database lacks" in refused("store", "restored", **env)
