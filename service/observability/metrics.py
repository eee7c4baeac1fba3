"""Metrics for Prometheus: counts and durations of what an instance does.

They have an address of their own, on a port that players cannot reach: even the number of refused
actions would reveal something about other players. No label has an id, a name or a game.
"""

import asyncio
import math
import platform
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from importlib.metadata import version
from threading import Thread, Timer
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    ProcessCollector,
    start_wsgi_server,
)

from service.observability.instrumentation import Instrumentation

DURATIONS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
LATENESS = (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 600, 3600)

COLLECTION_SECONDS = 10.0
"""Time limit for a connection: to send its request, to be answered, and to read the answer."""


GAUGES = {
    "commands_waiting": "Commands that wait for their transaction",
    "matches_in_memory": "Matches held in memory",
    "deadlines_armed": "Deadlines in force that will be reported",
    "unsigned": "Matches that are over and whose log nobody has signed yet",
    "unsettled": "Matches of tournaments that are over and not settled yet",
    "notice_late_seconds": "How long a notice has waited at most for a webhook that answers",
    "store_works": "Whether every store can be read and written: 1 or 0",
    "disk_free_bytes": "Free bytes on the disk of an embedded store",
    "records_closed": "Matches whose record was found damaged: nothing is read or added",
    "since_backup_seconds": "Since the last backup of an embedded store that was found sound",
    "unchecked_seconds": "How long at most anything in the store was not judged by the scrub",
    "clock_jump_seconds": "How far this machine's clock has jumped, either way",
    "away_seconds": "How long nobody could reach the service, by absences of about the last hour",
    "since_history_went_back_seconds": "Since the store last lost events, or was restored",
    "mark_unsynced_seconds": "How long commits have waited for their high-water mark to be on disk",
    "redis_up": "Whether Redis answers: 1 or 0",
    "leader": "Whether this instance does what only one may do: 1 or 0",
    "requests_under_way": "Requests that are being answered, streams left out",
    "connections": "Open connections",
    "turned_away": "Requests and connections answered 503 because there were too many, by now",
    "cut_off": "Connections ended because their clients were too slow, by now",
    "bytes_held": "Bytes held for clients that are slow to send or to read",
}
"""Values that are read when metrics are collected, instead of being reported."""


class Metrics(Instrumentation):
    """Counts and measures since the instance started."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        GCCollector(registry=registry)
        build = Gauge(
            "arbiter_build_info", "What runs here", ["version", "python"], registry=registry
        )
        build.labels(version("arbiter"), platform.python_version()).set(1)
        self._requests = self._counter("requests", "Requests", "method", "route", "status")
        self._latency = self._histogram(
            "request_seconds", "Until the head of the answer was sent", DURATIONS, "method", "route"
        )
        self._limited = self._counter("rate_limited", "Requests answered 429")
        self._streams = Gauge(
            "arbiter_streams_open",
            "Live readers, and those that wait for an event",
            registry=registry,
        )
        self._lines = self._counter("lines_sent", "Lines sent to live readers")
        self._commit = self._histogram("commit_seconds", "A transaction", DURATIONS)
        self._rows = self._counter("rows", "Rows put on disk")
        self._commands = self._counter("commands", "Commands whose rows are on disk")
        self._read = self._histogram("store_read_seconds", "An answer of the store", DURATIONS)
        self._late = self._histogram(
            "deadline_late_seconds", "How late a deadline was reported", LATENESS
        )
        self._sign = self._histogram("sign_seconds", "The signing of a log", DURATIONS)
        self.lag = self._histogram("loop_lag_seconds", "What the event loop is behind", DURATIONS)
        self._errors = self._counter("errors", "What was logged", "event")
        # Cached, because looking up a route's labels costs more than counting.
        self._counters: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        key = (method, route, status // 100)
        counters = self._counters.get(key)
        if counters is None:
            counters = self._counters[key] = (
                self._requests.labels(method, route, f"{status // 100}xx"),
                self._latency.labels(method, route),
            )
        counters[0].inc()
        counters[1].observe(seconds)
        if status == 429:
            self._limited.inc()

    def stream_opened(self) -> None:
        self._streams.inc()

    def stream_closed(self) -> None:
        self._streams.dec()

    def count_lines(self, lines: int) -> None:
        self._lines.inc(lines)

    def committed(self, rows: int, commands: int, seconds: float) -> None:
        self._commit.observe(seconds)
        self._rows.inc(rows)
        self._commands.inc(commands)

    def read(self, seconds: float) -> None:
        self._read.observe(seconds)

    def deadline_reported(self, late: float) -> None:
        self._late.observe(late)

    def time_signing(self, seconds: float) -> None:
        self._sign.observe(seconds)

    def failed(self, event: str) -> None:
        """An error was logged; `event` is one of the few event names of errors."""
        self._errors.labels(event).inc()

    def add_gauges(self, gauges: Mapping[str, Callable[[], float]]) -> None:
        """Adds these of the `GAUGES`, each with the function that reads it."""
        for name, now in gauges.items():
            gauge = Gauge(f"arbiter_{name}", GAUGES[name], registry=self.registry)
            gauge.set_function(_or_nan(now))

    def _counter(self, name: str, meaning: str, *labels: str) -> Counter:
        return Counter(f"arbiter_{name}", meaning, labels, registry=self.registry)

    def _histogram(
        self, name: str, meaning: str, buckets: tuple[float, ...], *labels: str
    ) -> Histogram:
        return Histogram(
            f"arbiter_{name}", meaning, labels, buckets=buckets, registry=self.registry
        )


class OneRequest(WSGIRequestHandler):
    """A connection, which ends after one request, or at its time limit wherever it is."""

    def setup(self) -> None:
        super().setup()
        self._limit = Timer(COLLECTION_SECONDS, self._end)
        self._limit.daemon = True
        self._limit.start()

    def _end(self) -> None:
        with suppress(OSError):  # It has ended by itself.
            self.connection.shutdown(socket.SHUT_RDWR)

    def handle(self) -> None:
        with suppress(OSError):  # The collector is gone, or was too slow.
            super().handle()

    def finish(self) -> None:
        self._limit.cancel()
        with suppress(OSError):  # As above: what is left of the answer is written here.
            super().finish()

    def log_message(self, *_: Any) -> None:
        """Requests of collectors are not logged."""


def serve_metrics(host: str, port: int, registry: CollectorRegistry) -> tuple[WSGIServer, Thread]:
    """A server of the metrics and the thread in which it runs: it answers each collector in a
    thread of its own. Port 0 takes a free one. Raises OSError with the reason."""
    try:
        server, thread = start_wsgi_server(port, host, registry)
    except OSError as error:
        raise OSError(f"cannot serve metrics on {host}:{port}: {error.strerror}") from error
    # The library's own connections have no time limit.
    server.RequestHandlerClass = OneRequest
    return server, thread


@asynccontextmanager
async def serving_metrics(
    metrics: Metrics, host: str, port: int, gauges: Mapping[str, Callable[[], float]]
) -> AsyncIterator[int]:
    """Serves the metrics at this address; yields the port. Port 0 takes a free one.

    They are served by a separate thread, because they are needed most when the event loop is stuck.
    `gauges` are read in that thread. Raises OSError with the reason.
    """
    metrics.add_gauges(gauges)
    server, thread = serve_metrics(host, port, metrics.registry)
    try:
        yield server.server_port
    finally:
        await asyncio.to_thread(server.shutdown)
        server.server_close()
        thread.join()


def _or_nan(now: Callable[[], float]) -> Callable[[], float]:
    """The value, or NaN if reading it fails: the other gauges must still be collected."""

    def figure() -> float:
        try:
            return float(now())
        except Exception:  # noqa: BLE001  a part that is down may raise anything
            return math.nan

    return figure
