"""Ten thousand public streams of one match at one process: every line reaches every watcher, and
what a stream costs in memory. Not part of `make bench` unless it is named."""

import os
import resource
import time
from contextlib import ExitStack
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from service.server.descriptors import RESERVED_FILES, open_files
from tests.benchmarks.bidding import BiddingTable
from tests.benchmarks.http import server
from tests.benchmarks.rows import Row
from tests.benchmarks.streams import shown
from tests.benchmarks.watchers import Watchers, watchers

STREAMS = int(os.environ.get("ARBITER_MANY_STREAMS", "10000"))
PROCESSES = 4
"""Processes of watchers; each connects from a loopback address of its own, which has ports of its
own."""

ACTIONS = 20


def measure(folder: Path) -> list[Row]:
    """On SQLite. Raises AssertionError if a line is missing anywhere, or if the machine does not
    allow so many open files."""
    open_files()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0] - RESERVED_FILES
    assert most >= STREAMS, f"only {most} connections: raise the limit of open files (ulimit -Hn)"
    with ExitStack() as stack:
        service = stack.enter_context(server(folder))
        table = stack.enter_context(BiddingTable(service.port))
        parts = [stack.enter_context(watchers(service.port)) for _ in range(PROCESSES)]
        process = psutil.Process(service.pid)
        before = process.memory_info().rss
        for number, part in enumerate(parts):
            count = STREAMS // PROCESSES + (number < STREAMS % PROCESSES)
            part.open(table.stream, count, table.seq, f"127.0.0.{number + 2}")
        table.reconnect()
        opened = process.memory_info().rss
        began = time.monotonic()
        arrived = sorted(second for _ in range(ACTIONS) for second in _delivered(table, parts))
        taken = (time.monotonic() - began) / ACTIONS
        written = process.memory_info().rss
    assert len(arrived) == STREAMS * ACTIONS
    each = (opened - before) / STREAMS / 1024, (written - before) / STREAMS / 1024
    return [
        Row(f"{STREAMS:,} streams of one match, lines that arrived, of {ACTIONS} actions", "all"),
        Row(
            "memory a stream, KiB, when open / after the actions",
            f"{each[0]:.1f} / {each[1]:.1f}  (service process before: {before / 2**20:.0f} MiB)",
        ),
        Row("from sending to its watchers, p50 / p99", f"{shown(arrived)} ms"),
        Row("an action until every watcher has its lines", f"{taken * 1e3:.0f} ms"),
    ]


def _delivered(table: BiddingTable, parts: list[Watchers]) -> list[float]:
    """Seconds from sending an action to the arrival of its last line at each watcher."""
    for part in parts:
        part.expect(table.seq + table.lines_each)
    sent, _ = table.bid()
    return [moment - sent for part in parts for moment in part.arrived()]
