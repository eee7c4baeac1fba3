"""Stores in every kind of database."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from service.event_store.store import Store
from service.settings import Settings
from tests.support.servers.instance_settings import fresh_store
from tests.support.servers.postgres_server import fresh_database


@pytest.fixture(params=["sqlite", "postgres"])
def chosen(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Settings]:
    with fresh_store(request.param, tmp_path / "data") as chosen:
        yield chosen


@pytest.fixture
def store(chosen: Settings) -> Iterator[Store]:
    with closing(Store(chosen.store)) as store:
        yield store


@pytest.fixture
def bound_store(chosen: Settings, store: Store) -> Iterator[Store]:
    """The same store, for a process that may not create tables."""
    with closing(Store({**chosen.store, "CREATE_TABLE": "no"})) as bound:
        yield bound


@pytest.fixture
def env() -> Iterator[dict[str, str]]:
    """A database of PostgreSQL."""
    with fresh_database() as env:
        yield env
