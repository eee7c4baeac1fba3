"""The event store: records under their stored names, through the library's own contracts."""

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
from service.event_store.store import Store, rows

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


def test_appended_records_are_read_in_order_by_position(store: Store) -> None:
    match, records = uuid4(), coins(5)
    store.append(rows(match, 0, records[:3]))
    store.append(rows(match, 3, records[3:]))

    assert store.read(match) == records
    assert store.read(match, 2) == records[2:]
    assert store.read(match, 1, 4) == records[1:4]
    assert store.read(match, 5) == [] and store.read(uuid4()) == []


def test_a_reopened_store_has_what_was_appended(path: Path) -> None:
    match = uuid4()
    with closing(store_at(path)) as store:
        store.append(rows(match, 0, coins(3)))
    with closing(store_at(path)) as store:
        assert store.read(match) == coins(3)


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
