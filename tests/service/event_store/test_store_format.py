"""An older release does not serve a store in a format that it does not know."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from eventsourcing.persistence import OperationalError

from domain.events import Event, Record
from domain.games.dollar_prize.events import CoinPlaced
from domain.match.events import MatchStarted
from service.application.migration import migrate, require_known_format
from service.event_store.properties import (
    FORMAT,
    NewerStore,
    Properties,
    StoreFormat,
    known_format,
    open_properties,
    record_format,
)
from service.event_store.store import Store, rows
from service.instance import Instance
from service.settings import Settings

OLD, NEW = StoreFormat(FORMAT, "1.0"), StoreFormat(FORMAT + 1, "99.0")


@pytest.fixture
def properties(chosen: Settings) -> Iterator[Properties]:
    with closing(Store(chosen.store)) as store, closing(open_properties(store)) as properties:
        yield properties


def test_a_store_has_the_number_of_the_newest_release_that_wrote_it(properties: Properties) -> None:
    assert known_format(properties) is None
    record_format(properties, OLD)
    record_format(properties, StoreFormat(FORMAT, "1.1"))
    assert known_format(properties) == OLD
    record_format(properties, NEW)
    assert known_format(properties, NEW) == NEW


def test_an_older_release_is_refused_in_one_sentence_and_changes_nothing(
    properties: Properties,
) -> None:
    record_format(properties, NEW)
    with pytest.raises(NewerStore) as refused:
        record_format(properties, OLD)
    assert str(refused.value) == (
        f"this store is in format {FORMAT + 1}, of Arbiter 99.0; this is Arbiter 1.0, which knows"
        f" format {FORMAT}. Run that release, or a newer one"
    )
    assert known_format(properties, NEW) == NEW


async def test_nothing_starts_on_a_newer_store(chosen: Settings, properties: Properties) -> None:
    migrate(chosen.store)
    assert known_format(properties) is not None
    record_format(properties, NEW)
    for start in (migrate, require_known_format):
        with pytest.raises(NewerStore, match="Arbiter 99"):
            start(chosen.store)
    with pytest.raises(NewerStore, match="Arbiter 99"):
        async with Instance(chosen).running():
            pass


# The event store: records under their stored names, through the library's own contracts.

COIN = CoinPlaced(0, "dime")


def store_at(path: Path, **more: str) -> Store:
    module = "service.event_store.sqlite"
    return Store({"PERSISTENCE_MODULE": module, "SQLITE_DBNAME": str(path), **more})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "arbiter.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with closing(store_at(path)) as store:
        yield store


def coins(count: int) -> list[Record[Event]]:
    return [Record(at, 0, CoinPlaced(at % 2, "penny")) for at in range(count)]


def test_the_topic_is_the_stored_name_and_never_a_path(store: Store) -> None:
    store.append(rows(uuid4(), 0, [Record(1, 0, MatchStarted()), Record(2, 0, COIN)]))
    notifications = store.recorder.select_notifications(None, 10)
    assert [n.topic for n in notifications] == ["match.started.1", "dollar-prize.coin-placed.1"]


def test_a_locked_store_raises_the_librarys_error(path: Path) -> None:
    with (
        closing(store_at(path, SQLITE_LOCK_TIMEOUT="1")) as store,
        closing(store_at(path)) as other,
    ):
        recorder: Any = other.recorder
        with recorder.datastore.transaction(commit=True) as cursor:
            cursor.execute("DELETE FROM stored_events")
            with pytest.raises(OperationalError):
                store.append(rows(uuid4(), 0, coins(1)))
