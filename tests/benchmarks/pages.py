"""How long the pages for people take when four readers ask at a time: of short and of long matches,
a lobby with many matches, and a large tournament."""

from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import cycle
from pathlib import Path
from random import Random
from uuid import UUID

import uvloop

from arbiter_client import Arbiter
from service.instance import Instance
from service.settings import read_settings
from tests.benchmarks.http import server
from tests.benchmarks.load import request, run
from tests.benchmarks.random_matches import put
from tests.benchmarks.read_models import PLAYERS, tournament
from tests.benchmarks.rows import Row

READERS = 4
SECONDS = 3.0
MOST_MS = 200
"""The most that a page may take at p99, for this many readers at a time."""

LENGTHS = (60, 10_000)
"""Numbers of events of the matches."""

CUPS, PAIRINGS = 30, 120
"""Number of tournaments that the lobby chooses from, and of matches of a large one."""

POSITIONS = 500


def measure(folder: Path) -> list[Row]:
    """One row for each page."""
    matches, cup = _written(folder)
    with server(folder) as service:
        pages = dict(_pages(service.port, matches, cup))
        return [_row(service.port, what, addresses) for what, addresses in pages.items()]


def _written(folder: Path) -> tuple[dict[int, UUID], UUID]:
    """A new store: its matches by their lengths, and its large tournament."""
    instance = Instance(read_settings(folder, environment={}))
    with closing(instance.store):
        matches = {length: put(instance, length) for length in LENGTHS}
        for first in range(0, PLAYERS * CUPS, PLAYERS):
            instance.store.append(list(tournament(first)))
        large = list(tournament(PLAYERS * CUPS, PAIRINGS))
        instance.store.append(large)
    return matches, UUID(large[-1].stream)


def _pages(port: int, matches: dict[int, UUID], cup: UUID) -> Iterator[tuple[str, list[str]]]:
    """The pages, and the addresses of each."""
    yield "the lobby", ["/"]
    for events, match in matches.items():
        with Arbiter(f"http://127.0.0.1:{port}") as arbiter:
            last = arbiter.match(str(match)).view().seq
        earlier = Random(1).choices(range(1, last), k=POSITIONS)
        of = f"a match of {events:,} events"
        yield f"/m, {of}", [f"/m/{match}"]
        yield f"/m at any position, {of}", [f"/m/{match}?at={at}" for at in earlier]
        yield f"/embed, {of}", [f"/embed/{match}"]
        yield f"/table, {of}", [f"/table/{match}"]
        yield f"/m/…/audit, {of}", [f"/m/{match}/audit"]
        yield f"/play, {of}", [f"/play/{match}"]
    yield f"/t, {PAIRINGS} matches", [f"/t/{cup}"]
    yield "/organise", ["/organise"]
    yield "/docs", ["/docs"]


def _row(port: int, what: str, addresses: list[str]) -> Row:
    """The first answer is not measured: it reads what was not in memory."""
    uvloop.run(run(port, [_asking(addresses[:1])], 0))
    outcome = uvloop.run(run(port, [_asking(addresses)] * READERS, SECONDS))
    assert not outcome.failed, f"{what}: {outcome.failed} answers failed"
    middle, late = outcome.percentile(0.5) * 1e3, outcome.percentile(0.99) * 1e3
    figure = f"{middle:.1f} / {late:.1f} ms  ({outcome.rate:,.0f} a second)"
    return Row(f"{what}, {READERS} readers, p50 / p99", figure, f"≤ {MOST_MS} ms", late <= MOST_MS)


def _asking(addresses: list[str]) -> Callable[[bytes], bytes]:
    """The next address each time, over and over, compressed as browsers want it."""
    requests = cycle([request("GET", one, accept_encoding="gzip") for one in addresses])
    return lambda _: next(requests)
