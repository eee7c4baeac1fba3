"""Small named values of a store, in every kind of database."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from service.event_store.database import NotMigrated
from service.event_store.properties import TABLE, Properties, open_properties
from service.event_store.store import Store
from service.settings import Settings


@pytest.fixture
def properties(chosen: Settings, store: Store) -> Iterator[Properties]:
    with closing(open_properties(chosen.store, store.recorder)) as properties:
        yield properties


def test_the_last_value_of_a_name_counts(properties: Properties) -> None:
    assert properties.get("one") is None
    properties.set("one", b"1")
    properties.set("two", b"2")
    properties.set("one", b"\x00\xff")
    assert (properties.get("one"), properties.get("two")) == (b"\x00\xff", b"2")


def test_who_opens_the_store_later_finds_it(
    chosen: Settings, store: Store, properties: Properties
) -> None:
    properties.set("one", b"1")
    env = {**chosen.store, "CREATE_TABLE": "no"}
    with closing(open_properties(env, store.recorder)) as opened_again:
        assert opened_again.get("one") == b"1"


def test_without_the_table_and_the_right_to_make_it_not_migrated_is_raised(
    chosen: Settings, store: Store
) -> None:
    with pytest.raises(NotMigrated, match=TABLE):
        open_properties({**chosen.store, "CREATE_TABLE": "no"}, store.recorder)
