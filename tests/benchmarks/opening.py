"""Opening the longest matches that the limits of seats allow, of the game with most seats, and one
that was rewound often: it is not in memory, and is read from its first event."""

import asyncio
import gc
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from uuid import UUID

from projections.audience.disclosure import MODERATOR, Viewer
from service.instance import Instance
from service.server.web_server import _tune
from service.settings import read_settings
from tests.benchmarks.rows import Row, at_most
from tests.support.instance.longest_match import longest_match, rewound_match
from tests.support.servers.postgres_server import fresh_database

TIMES = 5
REWINDS = 60
LONGEST = (("together", "refusals"), ("together", "submissions"), ("liars-dice", "rewinds"))
ON_POSTGRES = LONGEST[1]
SETTINGS: dict[str, str] = {}
MOST_MS = 250
HELD_MS = 50
"""For so long the event loop may not answer: threads share one interpreter."""
TICK_SECONDS = 0.001


def measure(folder: Path) -> list[Row]:
    """On SQLite each of `LONGEST`; on PostgreSQL the one with most submissions."""
    made: list[Row] = []
    for game, kind in LONGEST:
        within = folder / kind
        within.mkdir()
        made += asyncio.run(_measured(within, {}, "SQLite", game, kind))
    with fresh_database() as environment:
        return made + asyncio.run(_measured(folder, environment, "PostgreSQL", *ON_POSTGRES))


async def _match(instance: Instance, game: str, kind: str) -> UUID:
    if kind == "rewinds":
        return await rewound_match(instance, game, REWINDS)
    return await longest_match(instance, game, submitted=kind == "submissions")


async def _measured(
    folder: Path, environment: dict[str, str], store: str, game: str, kind: str
) -> list[Row]:
    instance = Instance(read_settings(folder, environment=environment | SETTINGS))
    async with instance.running():
        match = await _match(instance, game, kind)
        length = (await instance.sessions.cached(match)).length
        instance.sessions.invalidate(match)
        with _as_served():
            found = [await _opened(instance, match, (MODERATOR,)) for _ in range(TIMES)]
            held = [await _held(instance, match) for _ in range(TIMES)]
    cpu, wall = (median(each) for each in zip(*found, strict=True))
    what = f"{game}, {length:,} events, {kind}, {store}"
    return [
        at_most(f"open {what}, CPU", cpu, MOST_MS, "ms", f"  ({wall:.0f} ms in all)"),
        at_most(f"the loop held by it, {what}", median(held), HELD_MS, "ms"),
    ]


@contextmanager
def _as_served() -> Iterator[None]:
    """The interpreter as the server sets it: existing objects are not collected again and again,
    and threads take turns of 0.2 ms."""
    thresholds, turn = gc.get_threshold(), sys.getswitchinterval()
    _tune()
    try:
        yield
    finally:
        sys.setswitchinterval(turn)
        gc.set_threshold(*thresholds)
        gc.unfreeze()


async def _opened(
    instance: Instance, match: UUID, viewers: tuple[Viewer, ...]
) -> tuple[float, float]:
    """Milliseconds of a core, and in all, in which a thread reads a match and what these know."""
    instance.sessions.invalidate(match)
    load = instance.sessions._loader.load

    def timed() -> tuple[float, float]:
        return _milliseconds(lambda: load(match, viewers))

    return await asyncio.to_thread(timed)


def _milliseconds(do: Callable[[], object]) -> tuple[float, float]:
    core, began = time.thread_time(), time.perf_counter()
    do()
    return (time.thread_time() - core) * 1e3, (time.perf_counter() - began) * 1e3


async def _held(instance: Instance, match: UUID) -> float:
    """For how long the loop does not answer at most, in milliseconds, while a view of the match is
    made that is not in memory."""
    instance.sessions.invalidate(match)
    looking = asyncio.create_task(instance.sessions.view(match, MODERATOR, None))
    longest, before = 0.0, time.perf_counter()
    while not looking.done():
        await asyncio.sleep(TICK_SECONDS)
        now = time.perf_counter()
        longest, before = max(longest, now - before), now
    await looking
    return longest * 1e3
