"""The most recently used matches stay in memory, as far as an estimate says they fit."""

import asyncio
import gc
import tracemalloc
from collections.abc import AsyncIterator
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import msgspec
import pytest
import pytest_asyncio
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from domain.encoding import encode
from domain.games import GAMES
from domain.match.commands import Act
from domain.match.events import MatchCreated
from projections.audience.disclosure import PUBLIC_VIEWER
from service.application.matches.creation import NewMatch
from service.application.matches.loaded_match import from_record
from service.application.matches.match_session import MATCH_BYTES, MatchCache, MatchSession
from service.event_store.integrity.checked_records import CheckedRecords
from service.event_store.integrity.digests import Digest
from service.instance import Instance
from service.settings import Limits
from tests.benchmarks.random_matches import begun, step
from tests.support.instance.service_instance import created
from tests.support.servers.instance_settings import settings_in
from tests.support.tables.directing import START
from tests.support.tables.match_table import MATCH, secrets_of

ROOM = 10 * MATCH_BYTES


def cache_of(matches: int, room: int = ROOM) -> MatchCache:
    made = MatchCache(room)
    for n in range(matches):
        made.use(UUID(int=n))
    return made


def numbers(cache_of: MatchCache) -> list[int]:
    return [opened.id.int for opened in cache_of]


@cache
def short_record() -> CheckedRecords:
    table, rng = begun(GAMES["dollar-prize"], 2, {}), Random(1)
    for _ in range(5):
        step(table, rng)
    states = list(map(encode, table.records))
    return CheckedRecords(table.records, states, Digest(len(states), b""))


def fill(opened: MatchSession) -> None:
    """All of a short match is in memory, with the projections of two seats and the public."""
    created = short_record().records[0].event
    assert isinstance(created, MatchCreated)
    loaded = opened.loaded = from_record(MATCH, short_record(), secrets_of(created))
    for viewer in (0, 1, PUBLIC_VIEWER):
        assert loaded.projections.find(viewer) is not None


def test_a_match_in_use_stays_and_the_next_one_goes() -> None:
    some = cache_of(10)
    for number in (0, 1):
        opened = some.find(UUID(int=number))
        assert opened is not None
        opened.deciding = True
    some.use(UUID(int=10))
    assert numbers(some) == [0, 1, *range(3, 11)]


def test_a_match_that_has_gone_meanwhile_is_not_counted() -> None:
    some = cache_of(3)
    gone = some.find(UUID(int=1))
    assert gone is not None
    some.drop(gone.id)
    fill(gone)
    some.weigh(gone)
    assert some.size == 2 * MATCH_BYTES
    another = some.use(gone.id)
    assert another is not gone and some.size == 3 * MATCH_BYTES


STEPS = st.lists(st.tuples(st.sampled_from(["use", "fill", "drop"]), st.integers(0, 15)))


@given(STEPS)
def test_the_size_is_always_the_sum_of_all_matches(steps: list[tuple[str, int]]) -> None:
    some = MatchCache(ROOM)
    for what, number in steps:
        match_id = UUID(int=number)
        if what == "drop":
            some.drop(match_id)
            continue
        opened = some.use(match_id)
        if what == "fill":
            fill(opened)
            some.weigh(opened)
        assert some.size <= ROOM or len(some) == 1
    assert some.size == sum(one.weighed for one in some) == sum(one.weight for one in some)


SEATS = tuple(f"Player {number}" for number in range(16))
LONGEST_KEY = 255

BATCH = 10
"""Actions that are sent at once, as one transaction: few, for what waits takes memory, too."""

SMALL: dict[str, Any] = {"type": "end_turn"}
LARGE: dict[str, Any] = {
    "type": "submit", "round": 1, "a": [0] * 5, "b": [8, 8, 8], "pay_garnet": False,
}  # fmt: skip


@pytest_asyncio.fixture
async def instance(tmp_path: Path) -> AsyncIterator[Instance]:
    running = Instance(replace(settings_in(tmp_path), limits=Limits(seat_bytes=1 << 40)))
    async with running.running():
        yield running


async def match_of(instance: Instance, game: str) -> UUID:
    if game == "dollar-prize":
        match_id = await created(instance)
    else:
        opened = await instance.creation.match(
            NewMatch(game, SEATS, {}, "server", "none", "closed")
        )
        match_id = opened.id
    await instance.matches.execute(match_id, START, "moderator")
    return match_id


async def act(instance: Instance, match_id: UUID, game: str, number: int, *, key: bool) -> None:
    seat, sent = (number % 2, SMALL) if game == "dollar-prize" else (number % 16, LARGE)
    text = str(number).rjust(LONGEST_KEY, "x") if key else None
    fingerprint = bytes(32) if key else None
    action = msgspec.convert(sent, GAMES[game].Action)
    command = Act(seat, action, dict(sent), text, fingerprint)
    await instance.matches.execute(match_id, command, seat)


@pytest.mark.parametrize(
    ("game", "matches", "actions", "key"),
    [
        ("dollar-prize", 40, 0, False),
        ("dollar-prize", 2, 400, False),
        ("together", 20, 0, False),
        ("together", 2, 160, True),
    ],
)
async def test_the_estimate_is_within_a_factor_of_two(
    instance: Instance, game: str, matches: int, actions: int, key: bool
) -> None:
    await act(instance, await match_of(instance, game), game, 0, key=key)
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        made = [await match_of(instance, game) for _ in range(matches)]
        for match_id, first in product(made, range(0, actions, BATCH)):
            some = range(first, min(actions, first + BATCH))
            await asyncio.gather(*(act(instance, match_id, game, n, key=key) for n in some))
        gc.collect()
        taken = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    estimated = sum(instance.sessions.session(match_id).weight for match_id in made)
    assert 0.5 <= estimated / taken <= 2, (estimated, taken)
