"""Dollar Prize on the service, next to the same game on the library's plain `Application`: over
HTTP, and without HTTP with 64 actions in progress at any time."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from statistics import median
from uuid import UUID

import uvloop

from domain.match.commands import Act
from domain.match.state import Match
from service.application.matches.creation import NewMatch
from service.instance import Instance
from service.settings import read_settings
from tests.benchmarks.http import CONNECTIONS, played, server
from tests.benchmarks.load import Outcome
from tests.benchmarks.plain import PlainMatches, pennies, plain_store
from tests.benchmarks.rows import Row, at_least
from tests.support.servers.postgres_server import fresh_database
from tests.support.tables.directing import START

ROUNDS = 3
SECONDS = 3.0
OVER_HTTP = 10
ENGINE = {"SQLite": 20, "PostgreSQL": 40}
NAMES = ("Ann", "Ben")

Rate = Callable[[], float]
"""Plays for a while; returns how many actions a second are on disk."""


def measure(folder: Path) -> list[Row]:
    """On SQLite, then on PostgreSQL; each has a database of its own."""
    made = _measured(folder / "sqlite", "SQLite", None, None)
    with fresh_database() as ours, fresh_database() as theirs:
        return made + _measured(folder / "postgres", "PostgreSQL", ours, theirs)


def _measured(
    folder: Path, name: str, ours: Mapping[str, str] | None, theirs: Mapping[str, str] | None
) -> list[Row]:
    for part in ("ours", "theirs"):
        (folder / part).mkdir(parents=True)
    with (
        server(folder / "ours", ours) as service,
        server(folder / "theirs", theirs, "tests.benchmarks.plain_server") as plain,
    ):
        http = _beside(lambda: _over_http(service.port), lambda: _over_http(plain.port))
    store = plain_store(folder, theirs)
    engine = _beside(lambda: uvloop.run(_ours(folder, ours)), lambda: _theirs(store))
    return [
        _row(f"actions over HTTP, times a plain Application, {name}", http, OVER_HTTP),
        _row(f"engine, {CONNECTIONS} in flight, times the library, {name}", engine, ENGINE[name]),
    ]


def _beside(ours: Rate, theirs: Rate) -> list[tuple[float, float]]:
    return [(ours(), theirs()) for _ in range(ROUNDS)]


def _row(what: str, rounds: Sequence[tuple[float, float]], target: float) -> Row:
    ratios = [ours / theirs for ours, theirs in rounds]
    rates = [median(column) for column in zip(*rounds, strict=True)]
    spread = (
        f"  ({min(ratios):.0f}-{max(ratios):.0f}; {rates[0]:,.0f} and {rates[1]:,.0f} a second)"
    )
    return at_least(what, median(ratios), target, spread)


def _over_http(port: int) -> float:
    outcome: Outcome = uvloop.run(played(port))
    assert not outcome.failed, "answers that failed"
    return outcome.rate


# Without HTTP.


async def _ours(folder: Path, store: Mapping[str, str] | None) -> float:
    instance = Instance(read_settings(folder, environment=dict(store or {})))
    async with instance.running():
        ready = [await _started(instance) for _ in range(CONNECTIONS)]
        began = time.perf_counter()
        acted = await asyncio.gather(*(_play(instance, match, began + SECONDS) for match in ready))
        return sum(acted) / (time.perf_counter() - began)


async def _started(instance: Instance) -> UUID:
    made = await instance.creation.match(
        NewMatch("dollar-prize", NAMES, {}, "server", "none", None)
    )
    await instance.matches.execute(made.id, START, "public")
    return made.id


async def _play(instance: Instance, match: UUID, until: float) -> int:
    """Number of actions that the players of a match send: one, however late it is, and more until
    the match is over at the latest."""
    acted = 0
    opened = await instance.sessions.cached(match)
    while (move := _move(opened.match)) is not None:
        await instance.matches.execute(match, move, move.seat)
        acted += 1
        if time.perf_counter() >= until:
            break
    return acted


def _theirs(store: dict[str, str]) -> float:
    with closing(PlainMatches(store)) as matches, ThreadPoolExecutor(CONNECTIONS) as threads:
        ready = [matches.open(list(NAMES)) for _ in range(CONNECTIONS)]
        began = time.perf_counter()
        players = [threads.submit(_plain, matches, match, began + SECONDS) for match in ready]
        acted = sum(player.result() for player in players)
        return acted / (time.perf_counter() - began)


def _plain(matches: PlainMatches, match: UUID, until: float) -> int:
    acted = 0
    state: Match | None = matches.start(match)
    while (move := _move(state)) is not None:
        state = matches.act(match, move)
        acted += 1
        if time.perf_counter() >= until:
            break
    return acted


def _move(match: Match | None) -> Act | None:
    """The action of the seat whose turn it is; None when the match is over."""
    if match is None or not match.awaiting.seats:
        return None
    return pennies(match.awaiting.seats[0], match.game.phase, match.game.placed)
