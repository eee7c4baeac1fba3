"""Watching streams: what a stream costs the server for each action, next to writing the same bytes
to as many connections; and how much later an action is acknowledged, and its lines arrive, when
many watch.

The watchers are the same program on both sides. With few of them the next action is sent when every
watcher has the lines of the one before, so lines of two actions are never written together. With
many it is sent when the one before is acknowledged, as players do who wait for no spectator.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

from tests.benchmarks.bidding import BiddingTable, RawConnection
from tests.benchmarks.http import ServerProcess, server
from tests.benchmarks.load import request
from tests.benchmarks.rows import Row, at_most
from tests.benchmarks.watchers import Watchers, watchers

STREAMS = {400: 2.0, 2_000: 1.0}
"""Numbers of streams, and for each the most that one may cost next to a bare write."""

WAITED_FOR = 1_000
"""With at most this many watchers, each action waits until all have the lines of the one before."""

ROUNDS = 3
ACTIONS = 50
WATCHING = 1_000
WATCHED_ACTIONS = 120
ACKNOWLEDGED_LATER = 2.5
"""Maximum ratio of the median acknowledgement with 1,000 watchers to that with none."""

BARE = "tests.benchmarks.bare_writes"


class Both(NamedTuple):
    """A service and a bare server, each with a process of watchers."""

    service: ServerProcess
    watching: Watchers
    bare: ServerProcess
    bare_watching: Watchers


class Times(NamedTuple):
    """Sorted seconds: from sending an action to its acknowledgement, and to the arrival of its
    lines at each watcher."""

    acknowledged: list[float]
    arrived: list[float]


def measure(folder: Path) -> list[Row]:
    """On SQLite."""
    with _both(folder) as both:
        costs = {count: [_costs(both, count) for _ in range(ROUNDS)] for count in STREAMS}
        rounds = [
            (_times(both.service.port, both.watching, 0), _watched(both)) for _ in range(ROUNDS)
        ]
    return [_cost_row(count, costs[count]) for count in STREAMS] + _time_rows(rounds)


@contextmanager
def _both(folder: Path) -> Iterator[Both]:
    with (
        server(folder) as service,
        watchers(service.port) as watching,
        server(folder, module=BARE) as bare,
        watchers(bare.port) as bare_watching,
    ):
        yield Both(service, watching, bare, bare_watching)


# What a stream costs.


def cpu_seconds(pid: int) -> float:
    """The CPU time of all threads that the process has now, in seconds. A thread that ends takes
    its time with it, so measure processes whose threads stay."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


def _costs(both: Both, count: int) -> tuple[float, float]:
    """CPU seconds of a stream for each action: of the service, and of bare writes."""
    with BiddingTable(both.service.port) as table:
        alone = _acting(both, table, [], ACTIONS)
        both.watching.open(table.stream, count, table.seq)
        table.reconnect()
        ends = [table.seq + table.lines_each * (number + 1) for number in range(ACTIONS)]
        waited_for = ends if count <= WAITED_FOR else ends[-1:]
        watched = _acting(both, table, waited_for, ACTIONS)
        bodies = written(both.watching.raw(), ends)
        both.watching.close()
    begin = ends[0] - table.lines_each
    return (watched - alone) / count / ACTIONS, _bare_costs(both, count, begin, ends, bodies)


def _acting(both: Both, table: BiddingTable, ends: list[int], actions: int) -> float:
    """CPU seconds of the service during this many actions. `ends` are the numbers of the lines that
    every watcher must have before the next action, or at the end if there is one only."""
    before = cpu_seconds(both.service.pid)
    if len(ends) == 1:
        both.watching.expect(ends[0])
    for number in range(actions):
        if len(ends) > 1:
            both.watching.expect(ends[number])
        table.bid()
        if len(ends) > 1:
            both.watching.arrived()
    if len(ends) == 1:
        both.watching.arrived()
    return cpu_seconds(both.service.pid) - before


def written(raw: bytes, ends: list[int]) -> list[bytes]:
    """What a stream has received, cut after the last line of each action."""
    cut, start = [], 0
    for end in ends:
        found = re.compile(rb'data: \{"seq":%d,.*?\n\n(?:\r\n)?' % end).search(raw, start)
        assert found is not None, f"line {end} is not there"
        cut.append(raw[start : found.end()])
        start = found.end()
    return cut


def _bare_costs(both: Both, count: int, begin: int, ends: list[int], bodies: list[bytes]) -> float:
    with RawConnection(both.bare.port) as connection:
        before = cpu_seconds(both.bare.pid)
        for body in bodies:
            connection.answer(request("POST", "/", None, body))
        alone = cpu_seconds(both.bare.pid) - before
        both.bare_watching.open("/", count, begin)
        before = cpu_seconds(both.bare.pid)
        one_by_one = count <= WAITED_FOR
        if not one_by_one:
            both.bare_watching.expect(ends[-1])
        for end, body in zip(ends, bodies, strict=True):
            if one_by_one:
                both.bare_watching.expect(end)
            connection.answer(request("POST", "/", None, body))
            if one_by_one:
                both.bare_watching.arrived()
        if not one_by_one:
            both.bare_watching.arrived()
        watched = cpu_seconds(both.bare.pid) - before
        both.bare_watching.close()
    return (watched - alone) / count / len(bodies)


def _cost_row(count: int, costs: list[tuple[float, float]]) -> Row:
    ratios = [ours / theirs for ours, theirs in costs]
    ours, theirs = (median(column) * 1e6 for column in zip(*costs, strict=True))
    spread = f"  ({min(ratios):.1f}-{max(ratios):.1f}; {ours:.1f} and {theirs:.1f} µs CPU)"
    what = f"a watching stream an action, beside a bare write, {count:,} streams"
    return at_most(what, median(ratios), STREAMS[count], "times", spread)


# How soon.


def _times(port: int, watching: Watchers, count: int) -> Times:
    """The times of the actions of one match that so many watch."""
    acknowledged: list[float] = []
    arrived: list[float] = []
    with BiddingTable(port) as table:
        if count:
            watching.open(table.stream, count, table.seq)
            table.reconnect()
        for _ in range(WATCHED_ACTIONS):
            if count:
                watching.expect(table.seq + table.lines_each)
            sent, answered = table.bid()
            acknowledged.append(answered - sent)
            if count:
                arrived += (moment - sent for moment in watching.arrived())
        if count:
            watching.close()
    return Times(sorted(acknowledged), sorted(arrived))


def _watched(both: Both) -> Times:
    return _times(both.service.port, both.watching, WATCHING)


def _time_rows(rounds: list[tuple[Times, Times]]) -> list[Row]:
    ratios = [
        share(watched.acknowledged, 0.5) / share(alone.acknowledged, 0.5)
        for alone, watched in rounds
    ]
    alone = sorted(second for before, _ in rounds for second in before.acknowledged)
    watched = sorted(second for _, after in rounds for second in after.acknowledged)
    arrived = sorted(second for _, after in rounds for second in after.arrived)
    spread = f"  ({min(ratios):.1f}-{max(ratios):.1f}; {shown(watched)} and {shown(alone)} ms)"
    return [
        at_most(
            f"acknowledgement p50 with {WATCHING:,} watchers, beside none (p50 / p99)",
            median(ratios),
            ACKNOWLEDGED_LATER,
            "times",
            spread,
        ),
        Row(f"from sending to {WATCHING:,} watchers, p50 / p99", f"{shown(arrived)} ms"),
    ]


def share(ordered: list[float], part: float) -> float:
    """The value under which this part of them lies."""
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]


def shown(ordered: list[float]) -> str:
    """Median and p99, in milliseconds."""
    return f"{share(ordered, 0.5) * 1e3:.2f} / {share(ordered, 0.99) * 1e3:.2f}"
