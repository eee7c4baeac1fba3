"""A shared log that goes back while it is served ends its instances, and begins an incarnation."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import pytest

from domain.events import Record
from domain.match.events import MatchPaused
from service.cluster.log_poller import LogWatch, LogWentBack
from service.event_store.integrity.incarnation import LossNoticed, history, incarnation
from service.event_store.properties import open_properties
from service.event_store.store import Store, rows
from service.instance import Instance
from service.settings import Settings
from tests.support.servers.instance_settings import fresh_store
from tests.support.servers.postgres_server import connect
from tests.support.waiting import until

NOW = 1_000_000


@pytest.fixture
def chosen(tmp_path: Path) -> Iterator[Settings]:
    with fresh_store("postgres", tmp_path / "data") as chosen:
        yield chosen


@pytest.fixture
def store(chosen: Settings) -> Iterator[Store]:
    with closing(Store(chosen.store)) as store:
        for number in range(3):
            record(store, number)
        yield store


def watching(store: Store) -> LogWatch:
    return LogWatch(store, open_properties(store), lambda: NOW)


@pytest.fixture
def watch(store: Store) -> LogWatch:
    watch = watching(store)
    watch.look()
    return watch


def record(store: Store, at: int) -> None:
    store.append(rows(uuid4(), 0, [Record(at, 0, MatchPaused())]))


def go_back(chosen: Settings, position: int) -> None:
    """As if an older dump had been restored, with its sequence."""
    with connect(chosen.store) as connection:
        connection.execute("DELETE FROM arbiter_events WHERE notification_id > %s", (position,))
        connection.execute(
            "SELECT setval(pg_get_serial_sequence('arbiter_events', 'notification_id'), %s)",
            (position,),
        )


def test_a_log_that_becomes_shorter_is_noticed_and_is_on_record_once(
    chosen: Settings, store: Store, watch: LogWatch
) -> None:
    before = incarnation(store.keyrings)
    other = watching(store)
    record(store, 4)
    for each in (watch, watch, other):
        each.look()
    assert history(store.keyrings) == []
    go_back(chosen, 1)
    for each in (watch, other):
        with pytest.raises(LogWentBack, match="event 4 of the log is not there"):
            each.look()
    assert history(store.keyrings) == [LossNoticed(NOW, 4, 1)]
    assert incarnation(store.keyrings) != before


def test_a_log_that_went_back_and_grew_beyond_is_noticed(
    chosen: Settings, store: Store, watch: LogWatch
) -> None:
    go_back(chosen, 1)
    for number in range(5):
        record(store, 10 + number)
    with pytest.raises(LogWentBack, match="or is another one; it ends after 6"):
        watch.look()


def test_what_only_a_replaced_primary_lacks_is_not_lost(
    store: Store, watch: LogWatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is back, and is read for a moment; what it is asked to commit goes to its successor."""
    with monkeypatch.context() as back:
        back.setattr(LogWatch, "_at", lambda *_: None)
        watch.look()
    watch.look()
    assert history(store.keyrings) == []


async def test_an_instance_that_notices_it_ends(
    chosen: Settings, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.cluster.log_poller.WATCH_SECONDS", 0.01)
    looks, look = [], LogWatch.look

    def counted(watch: LogWatch) -> None:
        look(watch)
        looks.append(watch)

    monkeypatch.setattr(LogWatch, "look", counted)
    instance = Instance(chosen)
    async with instance.running():
        await until(lambda: bool(looks))
        await asyncio.to_thread(go_back, chosen, 1)
        await until(instance.broken.is_set)
    async with Instance(chosen).running():
        assert incarnation(store.keyrings).hex() != instance.incarnation
