"""A backup of a store with a history, a copy of the store, and places for another."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.cli.store_with_history import Happened, StoreLocation, embedded, run, url
from tests.support.servers.postgres_server import fresh_database


@pytest.fixture(scope="session")
def intact_backup(played: tuple[Path, Happened], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup of the store. Making one takes processes that judge the store, and a second."""
    made = tmp_path_factory.mktemp("backed-up") / "backup"
    done = run("backup", made, "--data", played[0])
    assert done.exit_code == 0, done.output
    return made


@pytest.fixture
def backup(intact_backup: Path, tmp_path: Path) -> Path:
    """A copy of the backup, to be changed."""
    shutil.copy(intact_backup, tmp_path / "backup")
    return tmp_path / "backup"


@pytest.fixture
def source(played: tuple[Path, Happened], tmp_path: Path) -> StoreLocation:
    """A copy of the store, to be changed."""
    shutil.copytree(played[0], tmp_path / "source")
    return embedded(tmp_path / "source")


@pytest.fixture(params=["sqlite", "postgres"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreLocation]:
    """A location without a store."""
    if request.param == "sqlite":
        yield embedded(tmp_path / "target.db")
    else:
        with fresh_database() as env:
            yield StoreLocation(url(env), env)
