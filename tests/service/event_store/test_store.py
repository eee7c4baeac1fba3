"""The event store: records under their stored names, through the library's own contracts."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from eventsourcing.persistence import EventStore, IntegrityError, OperationalError

from domain.events import Event, Record
from domain.games.dollar_prize.events import CoinPlaced
from domain.match_events import MatchStarted
from service.event_store.store import Recorded, RecordMapper, Store, rows

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


def test_rows_of_many_matches_are_appended_together_or_not_at_all(store: Store) -> None:
    one, two = uuid4(), uuid4()
    store.append(rows(one, 0, coins(2)))
    with pytest.raises(IntegrityError):
        store.append(rows(two, 0, coins(2)) + rows(one, 1, coins(1)))
    assert store.read(two) == [] and len(store.read(one)) == 2


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


# The library's event store, with our mapper.


def test_the_librarys_event_store_puts_and_gets_records(store: Store) -> None:
    match = uuid4()
    put = [Recorded(match, n, Record(10 * n, 0, CoinPlaced(0, "dime"))) for n in (1, 2, 3)]
    mapper = RecordMapper(store.construct_transcoder())
    events: EventStore[UUID] = EventStore(mapper, store.recorder)

    recordings = events.put(put[:2])
    store.append(rows(match, 2, [Record(30, 0, COIN)]))

    assert [r.notification.id for r in recordings] == [1, 2]
    assert list(events.get(match)) == put
    assert store.read(match) == [one.record for one in put]


def test_the_application_is_made_with_our_mapper(store: Store) -> None:
    assert isinstance(store.mapper, RecordMapper)
    match = uuid4()
    store.append(rows(match, 0, [Record(7, 0, COIN)]))
    assert list(store.events.get(match)) == [Recorded(match, 1, Record(7, 0, COIN))]
