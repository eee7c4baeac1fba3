"""The estimate by which matches are evicted is within a factor of two of the memory they take, also
for the largest actions."""

import asyncio
import gc
import tracemalloc
from collections.abc import AsyncIterator
from itertools import product
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest
import pytest_asyncio
from msgspec.structs import replace

from domain.games import GAMES
from domain.match.commands import Act
from service.application.matches.creation import NewMatch
from service.instance import Instance
from service.settings import Limits
from tests.support.instance.service_instance import created
from tests.support.servers.instance_settings import settings_in
from tests.support.tables.directing import START

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
