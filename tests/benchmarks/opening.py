"""Opening a match that is not in memory, by its length, with snapshots and without."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from uuid import UUID

from domain.events import Event, Record
from projections.disclosure import PUBLIC_VIEWER
from service.application.creation import uuid7
from service.event_store.store import rows
from service.instance import Instance
from service.settings import read_settings
from service.snapshots import snapshotter
from service.snapshots.snapshotter import EVERY
from tests.benchmarks.random_matches import long_record
from tests.benchmarks.rows import Row, at_most
from tests.support.instance.service_instance import NOT_NOW, sends, started
from tests.support.servers.postgres_server import fresh_database

LENGTHS = (1, 100, 1_000, 10_000, 100_000)
SEATS = 4
TIMES = 9
PAGE = 5_000
MOST_MS = 20
ACTIONS = 300
SINCE = EVERY
"""Number of events after the longest match's snapshot when it is opened."""

NEVER = 1e9


def measure(folder: Path) -> list[Row]:
    """On SQLite, then on PostgreSQL: the record of a match is read whole, then its snapshot."""
    record = long_record(LENGTHS[-1] + SINCE)
    for store in ("sqlite", "pg"):
        (folder / store).mkdir()
    made = asyncio.run(_measured(folder / "sqlite", {}, "SQLite", record))
    with fresh_database() as environment:
        return made + asyncio.run(_measured(folder / "pg", environment, "PostgreSQL", record))


async def _measured(
    folder: Path, environment: dict[str, str], store: str, record: Sequence[Record[Event]]
) -> list[Row]:
    looks, snapshotter.LOOK_SECONDS = snapshotter.LOOK_SECONDS, NEVER
    instance = Instance(read_settings(folder, environment=environment))
    try:
        async with instance.running():
            matches = {length: _written(instance, record[:length]) for length in LENGTHS}
            before = [await _opened(instance, match) for match in matches.values()]
            made = [await _without_delay(instance, matches[LENGTHS[-1]], store)]
            for length, match in matches.items():
                await asyncio.to_thread(instance.snapshotter.make, match, length)
            _grow(instance, matches[LENGTHS[-1]], LENGTHS[-1], record[LENGTHS[-1] :])
            after = [await _opened(instance, match) for match in matches.values()]
    finally:
        snapshotter.LOOK_SECONDS = looks
    return [*_table(store, before, after), *made]


def _table(
    store: str, before: list[tuple[float, float]], after: list[tuple[float, float]]
) -> list[Row]:
    """The time to open each match: for a command of a seat, for the public's view."""
    made = []
    for n, what in enumerate(("a command", "a view")):
        without, having = [each[n] for each in before], [each[n] for each in after]
        lengths = ", ".join(f"{length:,}" for length in LENGTHS)
        made.append(Row(f"open for {what}, {store}, ms, no snapshot: {lengths}", _shown(without)))
        made.append(
            at_most(
                f"open for {what}, {store}, {LENGTHS[-1]:,} events + {SINCE:,} behind",
                having[-1],
                MOST_MS,
                "ms",
                f"  (all: {_shown(having)})",
            )
        )
    return made


def _shown(figures: list[float]) -> str:
    return ", ".join(f"{figure:.1f}" for figure in figures)


def _written(instance: Instance, record: Sequence[Record[Event]]) -> UUID:
    match = uuid7(instance.clock.now() // 1000)
    _grow(instance, match, 0, record)
    instance.secret_store.create(match, SEATS, "server")
    return match


def _grow(instance: Instance, match: UUID, length: int, records: Sequence[Record[Event]]) -> None:
    for start in range(0, len(records), PAGE):
        instance.store.append(rows(match, length + start, records[start : start + PAGE]))


async def _opened(instance: Instance, match: UUID) -> tuple[float, float]:
    """Milliseconds until a command of seat 0 can be decided, and until the public sees the match;
    nothing of it is in memory."""
    commands, views = [], []
    for _ in range(TIMES):
        instance.sessions.evict(match)
        began = perf_counter()
        await instance.sessions.prepare(instance.sessions.session(match), (0,))
        commands.append(perf_counter() - began)
        instance.sessions.evict(match)
        began = perf_counter()
        await instance.sessions.view(match, PUBLIC_VIEWER, None)
        views.append(perf_counter() - began)
    instance.sessions.evict(match)
    return median(commands) * 1e3, median(views) * 1e3


async def _without_delay(instance: Instance, longest: UUID, store: str) -> Row:
    """The time of an action, one after another, alone and while snapshots are being made."""
    other = await started(instance)
    alone = await _acted(instance, other)
    loop = asyncio.get_running_loop()
    making = loop.run_in_executor(
        instance.snapshotter._thread, instance.snapshotter.make, longest, LENGTHS[-1]
    )
    beside = await _acted(instance, other)
    assert not making.done()
    await making
    return Row(
        f"an action alone and while a snapshot is made, {store}, p50 / p99",
        f"{_percentiles(alone)} and {_percentiles(beside)} ms",
    )


async def _acted(instance: Instance, match: UUID) -> list[float]:
    taken = []
    for _ in range(ACTIONS):
        began = perf_counter()
        await instance.matches.execute(match, sends(0, NOT_NOW), 0)
        taken.append((perf_counter() - began) * 1e3)
    return sorted(taken)


def _percentiles(ordered: list[float]) -> str:
    return f"{ordered[len(ordered) // 2]:.1f} / {ordered[int(len(ordered) * 0.99)]:.1f}"
