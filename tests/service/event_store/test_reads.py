"""The tables next to the log, of reads and of small named values, in every kind of database."""

from collections.abc import Callable, Iterator
from contextlib import closing
from uuid import UUID

import pytest
from msgspec.structs import replace

from service.event_store import properties, reads
from service.event_store.database import NotMigrated
from service.event_store.properties import Properties, open_properties
from service.event_store.reads import Read, ReadTable, open_reads
from service.event_store.store import Store

MATCH = "01890000-0000-7000-8000-000000000000"
READ = Read(MATCH, "k1", "moderator", True, "moderator", "Mo", 5, 100, 100)


@pytest.fixture
def table(store: Store) -> Iterator[ReadTable]:
    with closing(open_reads(store)) as table:
        yield table


def test_later_reads_of_a_key_as_one_audience_are_one_row(table: ReadTable) -> None:
    table.add([READ])
    table.add([replace(READ, seq=9, first=300, last=300)])
    table.add([replace(READ, seq=3, first=200, last=200)])
    assert table.of_match(UUID(MATCH)) == [replace(READ, seq=9, first=100, last=300)]


@pytest.mark.parametrize(
    "changed", [{"key_id": "k2"}, {"audience": "seat:1"}, {"hidden": False}], ids=str
)
def test_another_key_audience_or_time_of_opening_has_a_row_of_its_own(
    table: ReadTable, changed: dict[str, object]
) -> None:
    other = replace(READ, first=101, last=101, **changed)
    table.add([other, READ])
    assert table.of_match(UUID(MATCH)) == [READ, other]
    assert table.of_match(UUID(MATCH), after=1) == [other]
    assert table.of_match(UUID(MATCH), limit=1) == [READ]


def test_hidden_reads_are_found_by_their_matches(table: ReadTable) -> None:
    matches = [str(UUID(int=number)) for number in range(1_000)]
    table.add([replace(READ, match=match, name=None) for match in matches])
    table.add([replace(READ, hidden=False), replace(READ, match=str(UUID(int=2_000)))])
    found = table.hidden([*matches, MATCH])
    assert sorted(read.match for read in found) == sorted(matches)
    assert table.hidden([MATCH]) == table.hidden([]) == []


# Small named values.


@pytest.fixture
def named(store: Store) -> Iterator[Properties]:
    with closing(open_properties(store)) as named:
        yield named


def test_the_last_value_of_a_name_counts(named: Properties) -> None:
    assert named.get("one") is None
    named.set("one", b"1")
    named.set("two", b"2")
    named.set("one", b"\x00\xff")
    assert (named.get("one"), named.get("two")) == (b"\x00\xff", b"2")


# Both.


def test_who_opens_the_store_later_finds_them(
    bound_store: Store, table: ReadTable, named: Properties
) -> None:
    table.add([READ])
    named.set("one", b"1")
    with closing(open_reads(bound_store)) as opened, closing(open_properties(bound_store)) as again:
        assert opened.of_match(UUID(MATCH)) == [READ] and again.get("one") == b"1"


@pytest.mark.parametrize(
    ("opening", "name"), [(open_reads, reads.TABLE), (open_properties, properties.TABLE)]
)
def test_without_the_table_and_the_right_to_make_it_not_migrated_is_raised(
    bound_store: Store, opening: Callable[[Store], object], name: str
) -> None:
    with pytest.raises(NotMigrated, match=name):
        opening(bound_store)
