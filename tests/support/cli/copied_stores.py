"""Stores to be copied: one with a history, and places for another, as fixtures."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.cli.backups import played
from tests.support.cli.store_with_history import Happened, StoreLocation, embedded, url
from tests.support.servers.postgres_server import fresh_database

__all__ = ["played"]


@pytest.fixture
def source(played: tuple[Path, Happened], tmp_path: Path) -> StoreLocation:
    """A store with something in it, to be changed."""
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
