"""A store's incarnation: one random id for all that use the store."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from io import StringIO
from pathlib import Path

import pytest
import structlog
from eventsourcing.persistence import OperationalError

from domain.games.dollar_prize.actions import ChooseSide
from service.application.matches.command_queue import CommandResponse
from service.application.migration import migrate
from service.event_store.errors import StoreUnavailable
from service.event_store.integrity.incarnation import (
    SIZE,
    BackupRestored,
    begin_again,
    edition,
    incarnation,
    same_history,
)
from service.event_store.store import Store
from service.instance import Instance
from tests.support.instance.service_instance import (
    PATIENCE,
    created,
    sends,
    settings,
    started,
    watched,
)
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
            begin_again(store.keyrings, BackupRestored(0, 0))
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


# A store or a log that fails costs one answer, never the service.

HEADS = ChooseSide("heads")


async def test_a_log_that_cannot_be_written_stops_nobody(instance: Instance) -> None:
    """Standard error may be a pipe without a reader."""
    match_id = await started(instance)
    watched(instance).before.append(OperationalError("disk full"))
    broken = StringIO()
    broken.close()
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(broken))
    try:
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(StoreUnavailable):
                await instance.matches.execute(match_id, sends(0, HEADS), 0)
            assert isinstance(
                await instance.matches.execute(match_id, sends(0, HEADS), 0), CommandResponse
            )
    finally:
        structlog.reset_defaults()


async def test_a_store_that_fails_while_a_match_is_created_says_try_again(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever of the writes of the creation fails."""
    for recorder in (instance.store.keyrings, instance.store.secrets):
        with monkeypatch.context() as patch:
            patch.setattr(recorder, "insert_events", _fails)
            with pytest.raises(StoreUnavailable):
                await created(instance)
    await created(instance)


async def test_a_store_that_cannot_be_read_says_try_again(
    instance: Instance, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await started(instance)
    cold = Instance(settings(database), instance.clock)
    async with cold.running():
        monkeypatch.setattr(cold.store, "rows", _fails)
        with pytest.raises(StoreUnavailable):
            await cold.sessions.view(match_id, 0, None)
        with pytest.raises(StoreUnavailable):
            await cold.matches.execute(match_id, sends(0, HEADS), 0)


def _fails(*_: object) -> None:
    raise OperationalError("disk I/O error")
