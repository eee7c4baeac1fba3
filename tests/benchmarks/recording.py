"""Rows a second of our recorders, next to what the bare drivers do with the same rows in the same
order, and next to the library's recorders; the sides take turns, transaction by transaction."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter

from domain.events import Event, Record
from domain.games import GAMES
from domain.match.events import ActionReceived
from service.event_store.recorder import Row
from service.event_store.store import rows
from service.event_store.stream_ids import time_ordered
from tests.benchmarks.random_matches import BEGIN, begun, step
from tests.benchmarks.recorders import Side, Sides, on_postgres, on_sqlite
from tests.benchmarks.rows import Row as Figure
from tests.benchmarks.rows import at_least

MATCHES = 100
AN_ACTION = 4
LIBRARY = (1, 64, 100)
"""Matches a transaction where the library is next to us."""

ROUNDS = 9
TRANSACTIONS = 25
WANTED = 0.9

Rates = dict[str, list[float]]
"""The rows a second of every side, round by round."""


def measure(folder: Path) -> list[Figure]:
    """On SQLite, then on PostgreSQL."""
    with on_sqlite(folder) as sides:
        made = _measured(sides)
    with on_postgres() as sides:
        return made + _measured(sides)


def _measured(sides: Sides) -> list[Figure]:
    """Ours next to the fastest of the bare drivers, and next to the fastest that notifies."""
    of_all = {"ours": sides.ours, **sides.bare, **sides.notifying}
    rates = in_turn(of_all, MATCHES, TRANSACTIONS, ROUNDS)
    made = [_beside(f"recorder beside bare {{}}, {sides.store}", rates, sides.bare, WANTED)]
    if sides.notifying:
        made.append(_beside(f"recorder beside bare {{}}, {sides.store}", rates, sides.notifying))
    for matches in LIBRARY:
        both = {"ours": sides.ours, "library": sides.library}
        rates = in_turn(both, matches, TRANSACTIONS, ROUNDS)
        what = f"recorder, times the {{}}, {matches} a transaction, {sides.store}"
        made.append(_beside(what, rates, ["library"]))
    return made


def _beside(what: str, rates: Rates, others: Iterable[str], wanted: float | None = None) -> Figure:
    """The median of the rounds' ratios to the fastest of the others, which is named."""
    quickest = max(others, key=lambda other: median(rates[other]))
    ours, theirs = rates["ours"], rates[quickest]
    ratios = [one / other for one, other in zip(ours, theirs, strict=True)]
    beside = (
        f"  ({min(ratios):.2f}-{max(ratios):.2f}; "
        f"{median(ours):,.0f} and {median(theirs):,.0f} rows a second)"
    )
    if wanted is None:
        return Figure(what.format(quickest), f"{median(ratios):.2f}{beside}")
    return at_least(what.format(quickest), median(ratios), wanted, beside)


# The rows.


def an_action() -> list[Record[Event]]:
    """The rows of one action of Dollar Prize: the action, its effect, its consequences, and the
    next seat."""
    table, rng = begun(GAMES["dollar-prize"], 2, {}), Random(1)
    while True:
        step(table, rng)
        left = table.new
        if len(left) == AN_ACTION and isinstance(left[0].event, ActionReceived):
            return left


def transactions(matches: int) -> Iterator[list[Row]]:
    """One after another: in each an action of every match, of new matches."""
    streams = [time_ordered(BEGIN // 1000 + number) for number in range(matches)]
    length, left = 0, an_action()
    while True:
        yield [row for stream in streams for row in rows(stream, length, left)]
        length += AN_ACTION


# The rounds.


def in_turn(sides: Mapping[str, Side], matches: int, each: int, rounds: int) -> Rates:
    """This many rounds of this many transactions each, after some that do not count."""
    coming = transactions(matches)
    _round(sides, [next(coming) for _ in range(each // 4 + 1)])
    rates: Rates = {side: [] for side in sides}
    for _ in range(rounds):
        for side, rate in _round(sides, [next(coming) for _ in range(each)]).items():
            rates[side].append(rate)
    return rates


def _round(sides: Mapping[str, Side], some: Sequence[list[Row]]) -> dict[str, float]:
    """The first in one transaction is the last in the next."""
    taken = dict.fromkeys(sides, 0.0)
    order = list(sides)
    for batch in some:
        for side in order:
            given = sides[side].given(batch)
            began = perf_counter()
            sides[side].insert(given)
            taken[side] += perf_counter() - began
        order.append(order.pop(0))
    return {side: sum(map(len, some)) / seconds for side, seconds in taken.items()}
