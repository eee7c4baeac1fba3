"""The ids of keys: random, recorded once, the same for all instances and after a restart."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from eventsourcing.persistence import AggregateRecorder

from domain.people import Actor
from service.auth.grants import Grant
from service.auth.key_events import KeyIdentified, KeyIssued, decoded, stored
from service.auth.key_form import ORGANISERS, hashed, new_key
from service.auth.keys import Keyring
from service.clock import VirtualClock
from service.event_store.store import Store
from tests.support.instance.interrupted_recorder import InterruptedRecorder

CHOSEN = "a key that the operator has chosen"
EVE = Actor("Eve", "e0e0e0e0e0e0e0e0")
ID = re.compile("[0-9a-f]{16}")


@pytest.fixture
def store(database: Path) -> Iterator[Store]:
    env = {"PERSISTENCE_MODULE": "service.event_store.sqlite", "SQLITE_DBNAME": str(database)}
    with closing(Store(env)) as store:
        yield store


@pytest.fixture
def match_id() -> UUID:
    return uuid4()


def ring(store: Store, clock: VirtualClock, configured: str | None = None) -> Keyring:
    return Keyring(store.keyrings, clock.now, configured)


def holder(grant: Grant | None) -> Actor:
    assert grant is not None and grant.holder is not None
    return grant.holder


def issued_by_an_older_release(store: Store, match_id: UUID) -> str:
    """A seat's key without an id, as it lies in stores of older releases."""
    key = new_key("s0", match_id)
    store.keyrings.insert_events([stored(match_id, 1, KeyIssued(0, "s0", hashed(key)))])
    return key


def loaded(keyring: Keyring, key: str) -> None:
    keyring.load(key)


def identified(recorder: AggregateRecorder, match_id: UUID) -> list[KeyIdentified]:
    found = decoded(recorder.select_events(match_id))
    return [event for event in found if isinstance(event, KeyIdentified)]


def test_each_key_has_an_id_of_its_own_that_is_not_made_from_it(
    store: Store, clock: VirtualClock, match_id: UUID
) -> None:
    keyring = ring(store, clock)
    issued = keyring.issue(match_id, ["s0"] * 20)
    ids = {holder(keyring.load(key)).key_id for key in issued}
    assert len(ids) == 20 and all(map(ID.fullmatch, ids))
    assert not any(one in key or one in hashed(key).hex() for one in ids for key in issued)


def test_a_key_has_the_name_for_which_it_was_issued(
    store: Store, clock: VirtualClock, match_id: UUID
) -> None:
    keyring = ring(store, clock)
    keys = keyring.issue_named(match_id, [("mod", ""), ("s0", "Ann"), ("s1", "Ben")])
    assert [holder(keyring.load(key)).by for key in keys] == [None, "Ann", "Ben"]
    assert [holder(keyring.known(key)).by for key in keys] == [None, "Ann", "Ben"]


def test_a_key_of_an_older_release_gets_an_id_once(
    store: Store, clock: VirtualClock, match_id: UUID
) -> None:
    key = issued_by_an_older_release(store, match_id)
    found = {holder(ring(store, clock).load(key)).key_id for _ in range(3)}
    assert len(found) == 1 and ID.fullmatch(found.pop())
    assert len(identified(store.keyrings, match_id)) == 1


def test_two_instances_that_meet_an_older_key_at_once_agree(
    store: Store, clock: VirtualClock, match_id: UUID
) -> None:
    key = issued_by_an_older_release(store, match_id)
    recorder = InterruptedRecorder(store.keyrings)
    other = ring(store, clock)
    first = Keyring(recorder, clock.now)
    recorder.happens = partial(loaded, other, key)
    assert holder(first.load(key)) == holder(other.known(key))
    assert len(identified(store.keyrings, match_id)) == 1


def test_where_nothing_can_be_recorded_an_older_key_still_opens_what_can_be_read(
    store: Store, clock: VirtualClock, match_id: UUID
) -> None:
    key = issued_by_an_older_release(store, match_id)
    recorder = InterruptedRecorder(store.keyrings)
    keyring = Keyring(recorder, clock.now)
    recorder.inserts_left = 0
    assert keyring.load(key) == Grant("seat", match_id, 0)
    assert keyring.known(key) is None, "it is asked for again"
    recorder.inserts_left = None
    assert ID.fullmatch(holder(keyring.load(key)).key_id)


# The key from the settings.


def test_the_key_from_the_settings_has_one_id_for_all_instances_and_restarts(
    store: Store, clock: VirtualClock
) -> None:
    rings = [ring(store, clock, CHOSEN) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda each: each.try_to_identify(), rings))
    found = {holder(each.known(CHOSEN)) for each in rings}
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
        holder(each.known(key))
        for each, key in zip(rings, (CHOSEN, CHOSEN + "!", CHOSEN), strict=True)
    )
    assert first == again != other


def test_the_store_has_neither_the_key_from_the_settings_nor_its_hash(
    store: Store, clock: VirtualClock
) -> None:
    ring(store, clock, CHOSEN).try_to_identify()
    raw = b"".join(bytes(event.state) for event in store.keyrings.select_events(ORGANISERS))
    assert raw and CHOSEN.encode() not in raw and hashed(CHOSEN) not in raw


def test_an_id_that_could_not_be_recorded_is_recorded_at_the_next_refresh(
    store: Store, clock: VirtualClock
) -> None:
    recorder = InterruptedRecorder(store.keyrings)
    keyring = Keyring(recorder, clock.now, CHOSEN)
    recorder.inserts_left = 0
    keyring.try_to_identify()
    assert keyring.known(CHOSEN) == Grant("organiser")
    recorder.inserts_left = None
    keyring.refresh()
    assert ID.fullmatch(holder(keyring.known(CHOSEN)).key_id)


# Keys issued to a match that exists.


def test_a_key_nobody_was_shown_is_replaced_by_another_with_its_id(
    store: Store, clock: VirtualClock, match_id: UUID
) -> None:
    keyring = ring(store, clock)
    lost, shown = (keyring.issue_later(match_id, "s0", "Ann", "0" * 16, EVE) for _ in "ab")
    assert keyring.load(lost) is None
    assert holder(keyring.load(shown)) == Actor("Ann", "0" * 16)


def test_the_changes_of_keys_are_found_by_match(store: Store, clock: VirtualClock) -> None:
    keyring, matches = ring(store, clock), [uuid4() for _ in range(3)]
    assert keyring.changed(0) == (0, [])
    for match_id in (*matches, matches[0]):
        key = keyring.issue_later(match_id, "s0", "Ann", "0" * 16, EVE)
    keyring.end(matches[0], hashed(key), EVE)
    assert keyring.changed(0) == (5, matches)
    assert keyring.changed(4) == (5, [matches[0]])
    keyring.issue(matches[1], ["s0"])
    assert keyring.changed(5) == (5, []), "keys of a creation are none"
