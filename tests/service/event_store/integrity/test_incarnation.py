"""A store's incarnation: one random id for all that use the store."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from service.application.migration import migrate
from service.event_store.backup.dump import open_dump
from service.event_store.integrity.incarnation import (
    SIZE,
    BackupRestored,
    begin_incarnation,
    edition,
    incarnation,
    same_history,
)
from service.event_store.store import Store
from tests.support.servers.instance_settings import settings_in


def test_all_who_ask_at_once_get_the_same(tmp_path: Path) -> None:
    with closing(Store(settings_in(tmp_path).store)) as store, ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: incarnation(store.keyrings), range(32)))
    (drawn,) = found
    assert len(drawn) == SIZE
    with closing(Store(settings_in(tmp_path).store)) as opened_again:
        assert incarnation(opened_again.keyrings) == drawn


def test_each_store_has_its_own(tmp_path: Path) -> None:
    found = set()
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        with closing(Store(settings_in(tmp_path / name).store)) as store:
            found.add(incarnation(store.keyrings))
    assert len(found) == 2


def test_another_incarnation_replaces_the_one_before(tmp_path: Path) -> None:
    env = settings_in(tmp_path).store
    migrate(env)
    found = []
    for _ in range(3):
        with closing(Store(env)) as store:
            found.append(incarnation(store.keyrings))
        with open_dump(env) as dump:
            begin_incarnation(dump, BackupRestored(0, 0))
    assert len(set(found)) == 3


def test_what_caches_keep_is_named_by_the_release_and_the_incarnation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = edition(b"one")
    assert found == edition(b"one")
    assert found != edition(b"two")
    monkeypatch.setattr("service.event_store.integrity.incarnation.version", lambda _: "another")
    assert found != edition(b"one")
    assert same_history(found, edition(b"one")) and not same_history(found, edition(b"two"))
