"""An older release does not serve a store in a format that it does not know."""

from collections.abc import Iterator
from contextlib import closing

import pytest

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
from service.event_store.store import Store
from service.instance import Instance
from service.settings import Settings

OLD, NEW = StoreFormat(FORMAT, "1.0"), StoreFormat(FORMAT + 1, "99.0")


@pytest.fixture
def properties(chosen: Settings) -> Iterator[Properties]:
    with (
        closing(Store(chosen.store)) as store,
        closing(open_properties(store)) as properties,
    ):
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
