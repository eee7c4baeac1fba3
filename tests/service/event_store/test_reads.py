"""Who has read what, in every kind of database."""

from collections.abc import Iterator
from contextlib import closing
from uuid import UUID

import pytest
from msgspec.structs import replace

from service.event_store.database import NotMigrated
from service.event_store.reads import TABLE, Read, ReadTable, open_reads
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


def test_who_opens_the_store_later_finds_them(bound_store: Store, table: ReadTable) -> None:
    table.add([READ])
    with closing(open_reads(bound_store)) as opened_again:
        assert opened_again.of_match(UUID(MATCH)) == [READ]


def test_without_the_table_and_the_right_to_make_it_not_migrated_is_raised(
    bound_store: Store,
) -> None:
    with pytest.raises(NotMigrated, match=TABLE):
        open_reads(bound_store)
