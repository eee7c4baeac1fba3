"""When keys were last used: noted in memory, written rarely, the latest of all instances."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from uuid import UUID

import pytest
from eventsourcing.persistence import OperationalError

from service.auth.key_uses import KeyUses
from service.event_store.database import SQLiteDatabase
from service.event_store.properties import TABLES, Properties
from service.event_store.stream_ids import time_ordered
from tests.support.instants import NOON, SECOND
from tests.support.virtual_clock import VirtualClock


class CountedProperties(Properties):
    """Counts writes, and can be made to fail."""

    writes = 0
    failing = False

    def change(self, *args: object, **more: object) -> bytes:
        if self.failing:
            raise OperationalError("full")
        self.writes += 1
        return super().change(*args, **more)  # type: ignore[arg-type]  # passed on as they are


@pytest.fixture
def properties(database: Path) -> Iterator[CountedProperties]:
    opened = SQLiteDatabase(str(database))
    opened.create(TABLES)
    with closing(CountedProperties(opened)) as properties:
        yield properties


def test_a_key_that_was_never_used_has_no_time(
    properties: Properties, clock: VirtualClock, match_id: UUID
) -> None:
    assert KeyUses(properties, clock.now).of(match_id) == {}


def test_a_use_is_known_at_once_where_it_was(
    properties: CountedProperties, clock: VirtualClock, match_id: UUID
) -> None:
    uses = KeyUses(properties, clock.now)
    uses.note(match_id, "one")
    assert uses.of(match_id) == {"one": NOON}
    assert uses.of(time_ordered(0)) == {}
    assert properties.writes == 0


def test_however_many_uses_are_one_write_for_a_match(
    properties: CountedProperties, clock: VirtualClock, match_id: UUID
) -> None:
    uses = KeyUses(properties, clock.now)
    for number in range(1_000):
        uses.note(match_id, f"key {number % 5}")
    uses.write()
    assert properties.writes == 1
    uses.write()
    assert properties.writes == 1, "nothing is new"


def test_a_restart_and_another_instance_know_what_was_written(
    properties: Properties, clock: VirtualClock, match_id: UUID
) -> None:
    one, other = (KeyUses(properties, clock.now) for _ in "ab")
    one.note(match_id, "a")
    one.write()
    clock.move_to(NOON + 5 * SECOND)
    other.note(match_id, "b")
    other.note(match_id, "a")
    assert other.of(match_id) == {"a": NOON + 5 * SECOND, "b": NOON + 5 * SECOND}
    assert one.of(match_id) == {"a": NOON}
    other.write()
    assert one.of(match_id) == other.of(match_id)


def test_an_earlier_time_written_later_changes_nothing(
    properties: Properties, clock: VirtualClock, match_id: UUID
) -> None:
    slow, quick = (KeyUses(properties, clock.now) for _ in "ab")
    slow.note(match_id, "a")
    slow.stamp()
    clock.move_to(NOON + SECOND)
    quick.note(match_id, "a")
    quick.write()
    slow.write()
    assert slow.of(match_id) == {"a": NOON + SECOND}


def test_what_could_not_be_written_is_written_the_next_time(
    properties: CountedProperties, clock: VirtualClock, match_id: UUID
) -> None:
    uses = KeyUses(properties, clock.now)
    uses.note(match_id, "a")
    properties.failing = True
    uses.try_to_write()
    assert uses.of(match_id) == {"a": NOON}
    properties.failing = False
    uses.try_to_write()
    assert KeyUses(properties, clock.now).of(match_id) == {"a": NOON}
