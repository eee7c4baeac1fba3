"""The first organiser key: one is issued and shown, however many instances start at once."""

import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager
from uuid import UUID

import pytest

from service.application.migration import migrate
from service.auth.keyring import ORGANISERS, hash_key
from service.auth.keys import Keyring
from service.event_store.store import Store
from service.event_store.stream_ids import time_ordered
from tests.support.servers.postgres_server import fresh_database

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
