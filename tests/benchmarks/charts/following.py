"""Following the log into the read models: events a second."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from itertools import chain, islice
from time import perf_counter

from service.event_store.store import Row, Store
from service.read_models.index import open_index
from tests.benchmarks.read_models import PLAYERS, TURNS, events_read, tournament

FEW_TURNS = 2
ROWS = 5_000
AROUND = 3
"""The events of a match that has no turns."""


def beside(store: Mapping[str, str], matches: int, events: int) -> float:
    """With this many matches in the read models already, new ones of 20 turns each are recorded, of
    about this many events together."""
    new = max(1, events // _length(TURNS))
    there = -(-matches // PLAYERS) * PLAYERS
    return _followed(store, _matches(0, matches, FEW_TURNS), _matches(there, new, TURNS))


def of_length(store: Mapping[str, str], length: int, events: int) -> float:
    """Starting from nothing, matches of this many events each are recorded."""
    turns = (length - AROUND) // 2
    return _followed(store, (), _matches(0, max(1, events // length), turns))


def _length(turns: int) -> int:
    return AROUND + 2 * turns


def _matches(start: int, count: int, turns: int) -> Iterator[Row]:
    """Matches of tournaments of eight, and their tournament events."""
    return chain.from_iterable(
        tournament(start + first, min(PLAYERS, count - first), turns)
        for first in range(0, count, PLAYERS)
    )


def _followed(env: Mapping[str, str], before: Iterable[Row], after: Iterable[Row]) -> float:
    with closing(Store(dict(env))) as store, closing(open_index(env, store.recorder)) as index:
        _append(store, before)
        index.follow()
        there = store.end()
        _append(store, after)
        began = perf_counter()
        index.follow()
        taken = perf_counter() - began
        return events_read(store, there) / taken


def _append(store: Store, rows: Iterable[Row]) -> None:
    coming = iter(rows)
    while page := list(islice(coming, ROWS)):
        store.append(page)
