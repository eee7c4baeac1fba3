"""Every figure at every size, on one store after the other."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

import uvloop
from eventsourcing.persistence import StoredEvent

from domain.events import Event, Record
from service.instance import Instance
from service.settings import Settings, read_settings
from tests.benchmarks.charts import acting, delivering, engine, following, library, storing
from tests.benchmarks.charts.figures import LIBRARY, Notes, Over
from tests.benchmarks.charts.plan import SHORT, STORES, Plan
from tests.benchmarks.charts.written_matches import WrittenMatch, write_long, write_new
from tests.benchmarks.http import UNLIMITED, server
from tests.benchmarks.plain import plain_store
from tests.benchmarks.random_matches import long_record
from tests.support.servers.postgres_server import connect, fresh_database


class Database:
    """An empty store in a folder of its own, on SQLite or on PostgreSQL (then `shared`)."""

    def __init__(self, folder: Path, shared: dict[str, str] | None) -> None:
        self.folder = folder
        self.shared = shared

    @property
    def settings(self) -> Settings:
        """The settings of an instance on it."""
        return read_settings(self.folder, environment={**(self.shared or {}), **UNLIMITED})

    @property
    def plain(self) -> dict[str, str]:
        """The environment of the library's own store on it."""
        return plain_store(self.folder, self.shared)

    def analyze(self) -> None:
        """Maintenance that PostgreSQL does by itself after a while."""
        if self.shared is not None:
            with connect(self.shared) as connection:
                connection.execute("VACUUM ANALYZE")


@contextmanager
def database(store: str, within: Path) -> Iterator[Database]:
    """A new one, removed when the context exits."""
    fresh = nullcontext() if store == "SQLite" else fresh_database()
    with TemporaryDirectory(dir=within) as folder, fresh as shared:
        yield Database(Path(folder), shared)


@contextmanager
def at_rest(on: Database) -> Iterator[Instance]:
    """An instance without background tasks, to write matches with."""
    instance = Instance(on.settings)
    try:
        yield instance
    finally:
        instance._close()


def measure(within: Path, plan: Plan, notes: Notes) -> None:
    """Measures in a folder, which must be on the disk to measure."""
    longest = max(plan.lengths)
    record = long_record(longest + 1)
    with database("SQLite", within) as empty:
        stored = library.long_events(record, empty.plain)
    for store in STORES:
        for count in plan.matches:
            over_matches(within, store, count, plan, notes)
        over_lengths(within, store, record, stored, plan, notes)


# Over open matches.


def over_matches(within: Path, store: str, count: int, plan: Plan, notes: Notes) -> None:
    """All measurements with this many matches."""
    with database(store, within) as ours:
        matches, opened = uvloop.run(_write_new(ours, count, plan))
        notes.add("opening", "matches", store, count, opened)
        if ours.shared is not None:
            delays = delivering.delays(ours.folder, ours.shared, matches[:count], plan.delivered)
            _note_delays(notes, "matches", count, delays, plan)
        acted = acting.played(ours.folder, ours.shared, matches, count, plan)
        _note_acted(notes, "matches", store, count, acted)
        taken = uvloop.run(_played(ours, matches, count, plan))
        notes.add("engine", "matches", store, count, taken)
        recorded = storing.recorded(ours.settings.store, matches[:count], plan)
        notes.add("recording", "matches", store, count, recorded)
    with database(store, within) as plain:
        taken = library.played(plain.plain, count, plan)
        notes.add("engine", "matches", f"{LIBRARY}, {store}", count, taken)
    rates = []
    for _ in range(plan.rounds):
        with database(store, within) as empty:
            rates.append(following.beside(empty.settings.store, count, plan.followed))
    notes.add("following", "matches", store, count, rates)


async def _write_new(
    on: Database, count: int, plan: Plan
) -> tuple[list[WrittenMatch], list[float]]:
    """New matches; and the time to open one of them, while the others are in memory if there is
    room."""
    with at_rest(on) as instance:
        matches = write_new(instance, count + plan.spare(count))
        on.analyze()
        for match in matches[:count]:
            await instance.sessions.cached(match.id)
        return matches, await storing.opened(instance, matches[:count], plan)


async def _played(
    on: Database, matches: Sequence[WrittenMatch], count: int, plan: Plan
) -> list[float]:
    instance = Instance(on.settings)
    async with instance.running():
        return await engine.played(instance, matches, count, plan)


# Over the length of a match.


def over_lengths(
    within: Path,
    store: str,
    record: Sequence[Record[Event]],
    stored: Sequence[StoredEvent],
    plan: Plan,
    notes: Notes,
) -> None:
    """All measurements with matches of every length, written from one `record`, which is `stored`
    as the library does it."""
    with database(store, within) as ours:
        matches = uvloop.run(_write_long(ours, record, plan))
        if ours.shared is not None:
            for length, some in matches.items():
                delays = delivering.delays(ours.folder, ours.shared, some, plan.delivered)
                _note_delays(notes, "length", length, delays, plan)
        with server(ours.folder, ours.shared) as port:
            for length, some in matches.items():
                acted = acting.refused(port, some, plan)
                _note_acted(notes, "length", store, length, acted)
        uvloop.run(_refused(ours, store, matches, plan, notes))
        for length, some in matches.items():
            recorded = storing.recorded(ours.settings.store, some, plan)
            notes.add("recording", "length", store, length, recorded)
    with database(store, within) as plain:
        for length in plan.lengths:
            taken = library.refused(plain.plain, record, stored, length, plan)
            notes.add("engine", "length", f"{LIBRARY}, {store}", length, taken)
    for length in plan.lengths:
        rates = []
        for _ in range(plan.rounds):
            with database(store, within) as empty:
                rates.append(following.of_length(empty.settings.store, length, plan.followed))
        notes.add("following", "length", store, length, rates)


async def _write_long(
    on: Database, record: Sequence[Record[Event]], plan: Plan
) -> dict[int, list[WrittenMatch]]:
    with at_rest(on) as instance:
        matches = {
            length: write_long(instance, record, length, count)
            for length, count in plan.lengths.items()
        }
        on.analyze()
        return matches


async def _refused(
    on: Database,
    store: str,
    matches: Mapping[int, Sequence[WrittenMatch]],
    plan: Plan,
    notes: Notes,
) -> None:
    instance = Instance(on.settings)
    async with instance.running():
        for length, some in matches.items():
            if length <= SHORT:
                opened = await storing.opened(instance, some, plan)
                notes.add("opening", "length", store, length, opened)
            taken = await engine.refused(instance, some, plan)
            notes.add("engine", "length", store, length, taken)


# The recorded figures.


def _note_acted(notes: Notes, over: Over, store: str, size: int, acted: acting.Acted) -> None:
    notes.add("acting", over, store, size, acted.rates)
    notes.add("share", over, store, size, acted.shares)


def _note_delays(notes: Notes, over: Over, size: int, delays: list[float], plan: Plan) -> None:
    """In milliseconds. The slowest deliveries are too few to be split by rounds."""
    each = len(delays) // plan.rounds
    rounds = [sorted(delays[each * n : each * (n + 1)]) for n in range(plan.rounds)]
    notes.add("delivery", over, "p50", size, [some[each // 2] * 1e3 for some in rounds])
    notes.add("delivery", over, "p99", size, [sorted(delays)[int(len(delays) * 0.99)] * 1e3])
