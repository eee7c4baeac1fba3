"""Keys: unguessable, stored as hashes, compared in constant time, revoked for good."""

import hmac
import multiprocessing
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from uuid import UUID

import pytest
from eventsourcing.persistence import PersistenceError, StoredEvent
from msgspec.structs import replace

from service.application.migration import migrate
from service.auth import cached_keys, grants
from service.auth.grants import Grant
from service.auth.keyring import (
    ORGANISERS,
    KeyRevoked,
    decode_rows,
    hash_key,
    new_key,
    parse_key,
    ring_row,
)
from service.auth.keys import Keyring
from service.event_store.integrity.digests import RowAltered
from service.event_store.store import Store
from service.event_store.stream_ids import time_ordered
from tests.service.auth.interrupted_recorder import InterruptedRecorder
from tests.support.servers.postgres_server import fresh_database
from tests.support.virtual_clock import VirtualClock

CHOSEN = "a key that the operator has chosen"


@pytest.fixture
def keyring(store: Store, clock: VirtualClock) -> Keyring:
    return Keyring(store.keyrings, clock.now, CHOSEN)


@pytest.fixture
def other_keyring(store: Store, clock: VirtualClock) -> Keyring:
    """The keyring of another instance on the same store."""
    return Keyring(store.keyrings, clock.now)


def rights(grant: Grant | None) -> Grant | None:
    """What a key allows, whoever has it."""
    return None if grant is None else replace(grant, holder=None, origin=None)


# The form of a key.


def test_a_key_says_what_it_is_for_and_holds_256_random_bits(match_id: UUID) -> None:
    assert re.fullmatch(rf"arb_s3_{match_id.hex}_[0-9a-f]{{64}}", new_key("s3", match_id))
    assert re.fullmatch(rf"arb_mod_{match_id.hex}_[0-9a-f]{{64}}", new_key("mod", match_id))
    assert re.fullmatch(r"arb_org_[0-9a-f]{64}", new_key("org", ORGANISERS))


@pytest.mark.parametrize("spelt", [str, lambda ring: ring.hex.upper(), lambda ring: f"{{{ring}}}"])
def test_a_ring_in_another_form_is_in_no_key(match_id: UUID, spelt: Callable[[UUID], str]) -> None:
    assert parse_key(f"arb_mod_{spelt(match_id)}_{'0' * 64}") is None


# The grant of a key.


def test_the_operators_key_organises_and_is_not_in_the_store(
    keyring: Keyring, other_keyring: Keyring
) -> None:
    assert rights(keyring.find_cached(CHOSEN)) == Grant("organiser")
    assert other_keyring.load(CHOSEN) is None
    assert keyring.list_valid(ORGANISERS) == ()


def test_a_key_opens_no_other_match_and_no_other_slot(keyring: Keyring, match_id: UUID) -> None:
    other = time_ordered(0)
    (key,) = keyring.issue(match_id, ["s0"])
    keyring.issue(match_id, ["mod", "s1"])
    keyring.issue(other, ["s0"])
    secret = key.rpartition("_")[2]
    assert keyring.load(f"arb_s0_{other.hex}_{secret}") is None
    assert keyring.load(f"arb_s1_{match_id.hex}_{secret}") is None
    assert keyring.load(f"arb_mod_{match_id.hex}_{secret}") is None
    assert keyring.load(f"arb_org_{secret}") is None
    assert keyring.load(key.upper()) is None


def test_keys_are_compared_in_constant_time(
    keyring: Keyring, match_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every hash of the slot is compared, whichever matches."""
    issued = [keyring.issue(match_id, ["s0"])[0] for _ in range(3)]
    compared: list[tuple[bytes, bytes]] = []

    def compare(one: bytes, two: bytes) -> bool:
        compared.append((one, two))
        return hmac.compare_digest(one, two)

    class Watched:
        compare_digest = staticmethod(compare)

    monkeypatch.setattr(grants, "hmac", Watched)
    for key in issued:
        compared.clear()
        assert keyring.load(key) is not None
        assert {two for one, two in compared if one == hash_key(key)} >= set(map(hash_key, issued))


# Revoked.


def test_a_slot_without_keys_is_not_cached(keyring: Keyring, match_id: UUID) -> None:
    (key,) = keyring.issue(match_id, ["s0"])
    keyring.load(key)
    keyring.revoke(match_id, hash_key(key))
    assert keyring.cached("s0", match_id) == {}


def test_dropped_keys_are_loaded_again(keyring: Keyring, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached_keys, "MAX_SLOTS", 2)
    issued = [keyring.issue(time_ordered(0), ["s0"])[0] for _ in range(5)]
    assert all(keyring.load(key) is not None for key in issued * 2)


def test_two_instances_that_issue_at_once_both_succeed(
    keyring: Keyring, other_keyring: Keyring, match_id: UUID
) -> None:
    issued = [
        ring.issue(match_id, ["s0", "mod"]) for ring in (keyring, other_keyring) for _ in "ab"
    ]
    for key in (key for two in issued for key in two):
        assert keyring.load(key) is not None
        assert keyring.load(key) == other_keyring.load(key)


# Only hashes.


def test_no_key_is_in_the_database(
    keyring: Keyring, match_id: UUID, database: Path, store: Store
) -> None:
    issued = keyring.issue(match_id, ["mod", *(f"s{n}" for n in range(16))])
    issued += keyring.issue(ORGANISERS, ["org"])
    for key in issued:
        keyring.load(key)
    on_disk = b"".join(path.read_bytes() for path in database.parent.iterdir())
    for key in issued:
        secret = key.rpartition("_")[2]
        assert secret.encode() not in on_disk
        assert bytes.fromhex(secret) not in on_disk
        assert hash_key(key) in on_disk
    assert CHOSEN.encode() not in on_disk


# A revoked key stays revoked, also when it is being read at that moment.


def test_a_key_revoked_here_while_it_is_read_is_unknown(store: Store, clock: VirtualClock) -> None:
    recorder = InterruptedRecorder(store.keyrings)
    keyring, match_id = Keyring(recorder, clock.now), time_ordered(0)
    (key,) = keyring.issue(match_id, ["s0"])
    recorder.happens = lambda: keyring.revoke(match_id, hash_key(key))
    keyring.load(key)
    assert keyring.find_cached(key) is None


def test_a_key_revoked_elsewhere_while_it_is_read_is_unknown_after_the_next_refresh(
    store: Store, clock: VirtualClock
) -> None:
    recorder, match_id = InterruptedRecorder(store.keyrings), time_ordered(0)
    keyring, other_keyring = Keyring(recorder, clock.now), Keyring(store.keyrings, clock.now)
    (key,) = keyring.issue(match_id, ["s0"])

    def revoked_and_refreshed() -> None:
        other_keyring.revoke(match_id, hash_key(key))
        keyring.refresh()

    recorder.happens = revoked_and_refreshed
    keyring.load(key)
    keyring.refresh()
    assert keyring.find_cached(key) is None


def test_an_interrupted_revocation_counts_everywhere_or_not_at_all(
    store: Store, clock: VirtualClock
) -> None:
    """The process that revokes may be killed between any two of its writes."""
    recorder, match_id = InterruptedRecorder(store.keyrings), time_ordered(0)
    killed, serving = Keyring(recorder, clock.now), Keyring(store.keyrings, clock.now)
    (key,) = killed.issue(match_id, ["s0"])
    assert serving.load(key) is not None

    recorder.inserts_left = 1
    with suppress(PersistenceError):
        killed.revoke(match_id, hash_key(key))
    serving.refresh()

    valid = any(issued.hash == hash_key(key) for issued in serving.list_valid(match_id))
    assert (serving.find_cached(key) is not None) == valid


@pytest.mark.parametrize("flipped", [0x20, 0x80])
def test_a_row_of_keys_that_cannot_be_read_is_damage(flipped: int) -> None:
    """Not a fault of the service: bits flip in texts, too, which are then no UTF-8."""
    row = ring_row(UUID(int=1), 1, KeyRevoked(1, b"hash"))
    found = 0
    for place in range(len(row.state)):
        state = bytearray(row.state)
        state[place] ^= flipped
        try:
            decode_rows([StoredEvent(row.originator_id, 1, row.topic, bytes(state))])
        except RowAltered:
            found += 1
    assert found > 5


# The first key.


ROUNDS = 30
PATIENCE = 60.0


@contextmanager
def keyring_of(env: dict[str, str]) -> Iterator[Keyring]:
    with closing(Store(env)) as store:
        yield Keyring(store.keyrings, lambda: 0)


@pytest.fixture
def env() -> Iterator[dict[str, str]]:
    with fresh_database() as env:
        migrate(env)
        yield {**env, "CREATE_TABLE": "no"}


def test_a_ring_without_a_valid_key_gets_one(env: dict[str, str]) -> None:
    with keyring_of(env) as keyring:
        first = keyring.issue_first(ORGANISERS, "org", "first start")
        assert first is not None
        loaded = keyring.load(first)
        assert loaded is not None and loaded.role == "organiser"
        assert [key.name for key in keyring.list_valid(ORGANISERS)] == ["first start"]
        assert keyring.issue_first(ORGANISERS, "org") is None
        keyring.revoke(ORGANISERS, hash_key(first))
        again = keyring.issue_first(ORGANISERS, "org")
        assert again is not None and keyring.load(again) is not None


def test_of_two_processes_at_once_one_issues_the_first_key_of_each_ring(
    env: dict[str, str],
) -> None:
    rings = [time_ordered(0) for _ in range(ROUNDS)]
    spawning = multiprocessing.get_context("spawn")
    meet = spawning.Barrier(2)
    with ProcessPoolExecutor(
        2, spawning, initializer=_wait_for_the_other, initargs=(meet.wait,)
    ) as processes:
        both = [processes.submit(_first_of_each, env, rings) for _ in range(2)]
        one, other = (each.result(PATIENCE) for each in both)
    with keyring_of(env) as keyring:
        valid = [[key.hash for key in keyring.list_valid(ring)] for ring in rings]
    shown = [
        [hash_key(key) for key in pair if key is not None] for pair in zip(one, other, strict=True)
    ]
    assert [len(keys) for keys in shown] == [1] * ROUNDS
    assert valid == shown


_meet: Callable[[float], int]


def _wait_for_the_other(meet: Callable[[float], int]) -> None:
    global _meet
    _meet = meet


def _first_of_each(env: dict[str, str], rings: list[UUID]) -> list[str | None]:
    """The results of a process that requests the first key of each ring together with another."""
    with keyring_of(env) as keyring:
        issued = []
        for ring in rings:
            _meet(PATIENCE)
            issued.append(keyring.issue_first(ring, "mod"))
        return issued
