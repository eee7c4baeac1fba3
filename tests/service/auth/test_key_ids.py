"""The ids of keys and when they were used: the same for all instances, and after a restart."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from uuid import UUID

import pytest
from eventsourcing.persistence import PersistenceError

from domain.people import Actor
from service.auth.grants import Grant
from service.auth.key_uses import KeyUses
from service.auth.keyring import ORGANISERS, WantedKey, hash_key
from service.auth.keys import Keyring
from service.event_store.database import SQLiteDatabase
from service.event_store.properties import TABLES, Properties
from service.event_store.store import Store
from service.event_store.stream_ids import time_ordered
from tests.service.auth.interrupted_recorder import InterruptedRecorder
from tests.support.instants import NOON, SECOND
from tests.support.virtual_clock import VirtualClock

CHOSEN = "a key that the operator has chosen"
EVE = Actor("Eve", "e0e0e0e0e0e0e0e0")
ID = re.compile("[0-9a-f]{16}")


def ring(store: Store, clock: VirtualClock, configured: str | None = None) -> Keyring:
    return Keyring(store.keyrings, clock.now, configured)


def holder(grant: Grant | None) -> Actor:
    assert grant is not None and grant.holder is not None
    return grant.holder


def test_each_key_has_an_id_of_its_own_that_is_not_made_from_it(
    store: Store, clock: VirtualClock, match_id: UUID
) -> None:
    keyring = ring(store, clock)
    issued = keyring.issue(match_id, ["s0"] * 20)
    ids = {holder(keyring.load(key)).key_id for key in issued}
    assert len(ids) == 20 and all(map(ID.fullmatch, ids))
    assert not any(one in key or one in hash_key(key).hex() for one in ids for key in issued)


# The key from the settings.


def test_the_key_from_the_settings_has_one_id_for_all_instances_and_restarts(
    store: Store, clock: VirtualClock
) -> None:
    rings = [ring(store, clock, CHOSEN) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda each: each.try_to_identify(), rings))
    found = {holder(each.find_cached(CHOSEN)) for each in rings}
    assert len(found) == 1
    (one,) = found
    assert one.by is None and ID.fullmatch(one.key_id)


def test_another_key_in_the_settings_has_another_id_and_the_old_one_comes_back(
    store: Store, clock: VirtualClock
) -> None:
    rings = [ring(store, clock, key) for key in (CHOSEN, CHOSEN + "!", CHOSEN)]
    for each in rings:
        each.try_to_identify()
    first, other, again = (
        holder(each.find_cached(key))
        for each, key in zip(rings, (CHOSEN, CHOSEN + "!", CHOSEN), strict=True)
    )
    assert first == again != other


def test_the_store_has_neither_the_key_from_the_settings_nor_its_hash(
    store: Store, clock: VirtualClock
) -> None:
    ring(store, clock, CHOSEN).try_to_identify()
    raw = b"".join(bytes(event.state) for event in store.keyrings.select_events(ORGANISERS))
    assert raw and CHOSEN.encode() not in raw and hash_key(CHOSEN) not in raw


def test_an_id_that_could_not_be_recorded_is_recorded_at_the_next_refresh(
    store: Store, clock: VirtualClock
) -> None:
    recorder = InterruptedRecorder(store.keyrings)
    keyring = Keyring(recorder, clock.now, CHOSEN)
    recorder.inserts_left = 0
    keyring.try_to_identify()
    assert keyring.find_cached(CHOSEN) == Grant("organiser")
    recorder.inserts_left = None
    keyring.refresh()
    assert ID.fullmatch(holder(keyring.find_cached(CHOSEN)).key_id)


# Keys issued to a match that exists.


def test_the_changes_of_keys_are_found_by_match(store: Store, clock: VirtualClock) -> None:
    keyring, matches = ring(store, clock), [time_ordered(0) for _ in range(3)]
    assert keyring.changed(0) == (0, [])
    for match_id in (*matches, matches[0]):
        key = keyring.issue_later(match_id, WantedKey("s0", "Ann", "0" * 16, EVE))
    keyring.revoke(matches[0], hash_key(key or ""), EVE)
    assert keyring.changed(0) == (5, matches)
    assert keyring.changed(4) == (5, [matches[0]])
    keyring.issue(matches[1], ["s0"])
    assert keyring.changed(5) == (5, []), "keys of a creation are none"


class CountedProperties(Properties):
    """Counts writes, and can be made to fail, in any way in which a store may."""

    writes = 0
    failing = False

    def change(self, *args: object, **more: object) -> bytes:
        if self.failing:
            raise PersistenceError("full")
        self.writes += 1
        return super().change(*args, **more)  # type: ignore[arg-type]  # passed on as they are


@pytest.fixture
def properties(database: Path) -> Iterator[CountedProperties]:
    opened = SQLiteDatabase(str(database))
    opened.create(TABLES)
    with closing(CountedProperties(opened)) as properties:
        yield properties


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
