"""The cost of the store by itself: to open a match, and to record rows."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import cycle
from statistics import median
from time import perf_counter

from service.event_store.store import Row, Store, rows
from service.instance import Instance
from tests.benchmarks.charts.plan import Plan
from tests.benchmarks.charts.written_matches import WrittenMatch
from tests.benchmarks.recording import an_action

ACTIONS = 100
"""Number of actions recorded in one transaction."""


async def opened(instance: Instance, matches: Sequence[WrittenMatch], plan: Plan) -> list[float]:
    """Milliseconds until a command of seat 0 can be decided in a match that is not in memory, of
    these one after another: the median of each round."""
    coming = cycle(matches)
    each = -(-plan.opened // plan.rounds)
    return [
        median([await _opened(instance, next(coming)) for _ in range(each)])
        for _ in range(plan.rounds)
    ]


async def _opened(instance: Instance, match: WrittenMatch) -> float:
    instance.sessions.invalidate(match.id)
    began = perf_counter()
    await instance.sessions.prepare(instance.sessions.session(match.id), (0,))
    return (perf_counter() - began) * 1e3


def recorded(
    environment: dict[str, str], matches: Sequence[WrittenMatch], plan: Plan
) -> list[float]:
    """Microseconds a row, of 100 actions a transaction on these matches in turn. After that nobody
    can play them any more."""
    with closing(Store(environment)) as store:
        coming = _transactions(store, matches)
        _round(store, [next(coming) for _ in range(plan.recorded // 4 + 1)])
        return [
            _round(store, [next(coming) for _ in range(plan.recorded)]) for _ in range(plan.rounds)
        ]


def _round(store: Store, some: Sequence[list[Row]]) -> float:
    began = perf_counter()
    for batch in some:
        store.append(batch)
    return (perf_counter() - began) / sum(map(len, some)) * 1e6


def _transactions(store: Store, matches: Sequence[WrittenMatch]) -> Iterator[list[Row]]:
    action = an_action()
    lengths: dict[str, int] = {}
    coming = cycle(matches)
    while True:
        batch: list[Row] = []
        for _ in range(ACTIONS):
            match = next(coming).id
            length = lengths.get(match.hex)
            if length is None:
                length = store.recorder.select_events(match, desc=True, limit=1)[
                    0
                ].originator_version
            batch += rows(match, length, action)
            lengths[match.hex] = length + len(action)
        yield batch
