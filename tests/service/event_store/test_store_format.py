"""An older release does not serve a store with events that it does not know."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import msgspec
import pytest

from domain.events import stored_name
from domain.match_events import MatchStarted
from service.application.migration import migrate, require_known_events
from service.event_store.properties import Properties, open_properties
from service.event_store.store import Row, Store
from service.event_store.stored_formats import KNOWN, PROPERTY, Formats, NewerStore, record_formats
from service.instance import Instance
from service.settings import Settings
from tests.support.servers.instance_settings import fresh_store

NEW = "dollar-prize.coin-returned.9"
"""The stored name of an event that some newer release has."""

NEWER = KNOWN | {NEW}


@pytest.fixture(params=["sqlite", "postgres"])
def chosen(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Settings]:
    with fresh_store(request.param, tmp_path / "data") as chosen:
        yield chosen


@pytest.fixture
def store(chosen: Settings) -> Iterator[Store]:
    with closing(Store(chosen.store)) as store:
        yield store


@pytest.fixture
def properties(chosen: Settings, store: Store) -> Iterator[Properties]:
    with closing(open_properties(chosen.store, store.recorder)) as properties:
        yield properties


def record(store: Store, topic: str) -> None:
    store.append([Row(uuid4().hex, 1, topic, b"in a shape of its own")])


def stored(properties: Properties) -> Formats:
    return msgspec.msgpack.decode(properties.get(PROPERTY) or b"", type=Formats)


def test_every_stored_name_is_known() -> None:
    assert stored_name(MatchStarted) in KNOWN and NEW not in KNOWN


def test_the_newest_release_is_named(store: Store, properties: Properties) -> None:
    record_formats(properties, store.recorder, own="1.0")
    assert stored(properties) == Formats("1.0", tuple(sorted(KNOWN)))
    record_formats(properties, store.recorder, NEWER, own="99.0")
    assert stored(properties) == Formats("99.0", tuple(sorted(NEWER)))


def test_an_older_release_is_refused_once_a_newer_one_has_recorded_an_event_of_its_own(
    store: Store, properties: Properties
) -> None:
    record_formats(properties, store.recorder, NEWER, own="99.0")
    record(store, NEW)
    row = stored(properties)
    with pytest.raises(NewerStore) as refused:
        record_formats(properties, store.recorder, own="1.0")
    assert str(refused.value).startswith(
        f"this store was written by Arbiter 99.0; this is Arbiter 1.0, which does not know {NEW}"
    )
    assert stored(properties) == row
    record_formats(properties, store.recorder, NEWER, own="99.0")


def test_until_then_the_older_release_may_go_on_and_the_newer_one_stays_named(
    store: Store, properties: Properties
) -> None:
    record_formats(properties, store.recorder, NEWER, own="99.0")
    record(store, stored_name(MatchStarted))
    record_formats(properties, store.recorder, own="1.0")
    assert stored(properties) == Formats("99.0", tuple(sorted(NEWER)), 1)
    record(store, NEW)
    with pytest.raises(NewerStore, match="Arbiter 99"):
        record_formats(properties, store.recorder, own="1.0")


def test_an_event_of_a_release_that_named_itself_nowhere_is_found(
    store: Store, properties: Properties
) -> None:
    record_formats(properties, store.recorder)
    record(store, NEW)
    with pytest.raises(NewerStore, match=f"a newer release.*{NEW}"):
        record_formats(properties, store.recorder)


def test_only_what_is_new_is_looked_at(
    store: Store, properties: Properties, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        record(store, stored_name(MatchStarted))
    record_formats(properties, store.recorder)
    read: list[tuple[int, int]] = []
    select = type(store.recorder).select_topics  # type: ignore[attr-defined]

    def watched(recorder: object, position: int, upto: int) -> list[str]:
        read.append((position, upto))
        found: list[str] = select(recorder, position, upto)
        return found

    monkeypatch.setattr(type(store.recorder), "select_topics", watched)
    record_formats(properties, store.recorder)
    record(store, stored_name(MatchStarted))
    record_formats(properties, store.recorder)
    assert read == [(3, 4)]


def test_a_long_log_is_read_in_pages(
    store: Store, properties: Properties, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.event_store.stored_formats.PAGE", 2)
    for _ in range(4):
        record(store, stored_name(MatchStarted))
    record(store, NEW)
    with pytest.raises(NewerStore, match=NEW):
        record_formats(properties, store.recorder)


def test_migrating_and_starting_are_refused(chosen: Settings, store: Store) -> None:
    migrate(chosen.store)
    record(store, NEW)
    for start in (migrate, require_known_events):
        with pytest.raises(NewerStore, match=NEW):
            start(chosen.store)


async def test_an_instance_does_not_run(chosen: Settings, store: Store) -> None:
    record(store, NEW)
    with pytest.raises(NewerStore, match=NEW):
        async with Instance(chosen).running():
            pass
