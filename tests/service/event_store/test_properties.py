"""Small named values of a store, in every kind of database."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from service.event_store.database import NotMigrated
from service.event_store.properties import TABLE, Properties, open_properties
from service.event_store.store import Store


@pytest.fixture
def properties(store: Store) -> Iterator[Properties]:
    with closing(open_properties(store)) as properties:
        yield properties


def test_the_last_value_of_a_name_counts(properties: Properties) -> None:
    assert properties.get("one") is None
    properties.set("one", b"1")
    properties.set("two", b"2")
    properties.set("one", b"\x00\xff")
    assert (properties.get("one"), properties.get("two")) == (b"\x00\xff", b"2")


def test_who_opens_the_store_later_finds_it(bound_store: Store, properties: Properties) -> None:
    properties.set("one", b"1")
    with closing(open_properties(bound_store)) as opened_again:
        assert opened_again.get("one") == b"1"


def test_without_the_table_and_the_right_to_make_it_not_migrated_is_raised(
    bound_store: Store,
) -> None:
    with pytest.raises(NotMigrated, match=TABLE):
        open_properties(bound_store)
