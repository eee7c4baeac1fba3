"""Metrics: totals at a separate address, which name no match."""

import asyncio
import math
import socket
import threading
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import pytest
from prometheus_client import REGISTRY, CollectorRegistry, Gauge
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from service.observability.loop_delay import LoopDelay
from service.observability.metrics import Metrics, serve_metrics, serving_metrics
from service.observability.request_log import UNMATCHED
from service.setting_types import metrics_address
from tests.service.observability.metric_values import value
from tests.support.servers.live_server import Live, Setup, serving
from tests.support.servers.raw_sockets import connected, request
from tests.support.waiting import wait_until

HOST = "127.0.0.1"


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
def live(tmp_path: Path, metrics: Metrics) -> Iterator[Live]:
    with serving(tmp_path, setup=Setup(instrumentation=metrics)) as server:
        yield server


def scraped(port: int) -> list[Sample]:
    """The metrics as a collector gets them."""
    with urllib.request.urlopen(f"http://{HOST}:{port}/metrics", timeout=5) as answer:
        text = answer.read().decode()
    return [each for family in text_string_to_metric_families(text) for each in family.samples]


def becomes(figure: float, metrics: Metrics, name: str) -> None:
    """Returns when a metric has reached this value."""
    wait_until(lambda: value(metrics, name) == figure)


def test_requests_are_counted_by_route_method_and_class(live: Live, metrics: Metrics) -> None:
    match = live.started("dollar-prize")
    for _ in range(3):
        match.anyone.view()
    match.anyone.act({"type": "choose_side", "side": "heads"})
    route = "/v1/matches/{match_id}/view"
    values = {"method": "GET", "route": route}
    assert value(metrics, "arbiter_requests_total", **values, status="2xx") == 3
    assert value(metrics, "arbiter_request_seconds_count", **values) == 3
    assert 0 < value(metrics, "arbiter_request_seconds_sum", **values) < 3
    values = {"method": "POST", "route": "/v1/matches/{match_id}/actions"}
    assert value(metrics, "arbiter_requests_total", **values, status="4xx") == 1
    before = routes(metrics)
    for _ in range(20):
        live.anyone.get(f"/{uuid4()}")
        live.anyone.get(f"/v1/matches/{uuid4()}/view")
        live.anyone.get(f"/v1/games/{uuid4()}")
    assert live.anyone.get("/metrics").status_code == 404, "they are not for the public"
    assert routes(metrics) == before | {UNMATCHED, "/v1/games/{game}"}


def test_only_429_counts_as_limited(metrics: Metrics) -> None:
    for status in (200, 403, 428, 429, 500, 503):
        metrics.answered("GET", "/v1/games", status, 0.001)
    assert value(metrics, "arbiter_rate_limited_total") == 1


def routes(metrics: Metrics) -> set[str]:
    """The routes of which there are series."""
    samples = (each for family in metrics.registry.collect() for each in family.samples)
    return {each.labels["route"] for each in samples if "route" in each.labels}


def test_live_readers_are_counted_while_they_read(
    live: Live, metrics: Metrics, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = live.started("dollar-prize")
    with match.anyone.stream(), match.anyone.stream():
        becomes(2, metrics, "arbiter_streams_open")
    becomes(0, metrics, "arbiter_streams_open")
    opened: list[str] = []
    monkeypatch.setattr(metrics, "stream_opened", lambda: opened.append("a stream"))
    assert match.anyone.try_stream(as_="seat:0").status_code == 403
    assert opened == []


def test_a_reader_that_waits_for_an_event_counts_while_it_waits(
    live: Live, metrics: Metrics
) -> None:
    match = live.started("dollar-prize")

    def waits_behind(after: int) -> str:
        return f"{match.anyone.path}/events?as=public&after={after}&wait=30"

    path = waits_behind(match.anyone.view().json()["seq"])
    with ThreadPoolExecutor(2) as pool:
        asked = [pool.submit(match.anyone.client.get, path) for _ in range(2)]
        becomes(2, metrics, "arbiter_streams_open")
        match.seats[0].act({"type": "choose_side", "side": "heads"})
        assert [answer.result(30).status_code for answer in asked] == [200, 200]
    becomes(0, metrics, "arbiter_streams_open")
    last = match.anyone.view().json()["seq"]
    with connected(live, request(waits_behind(last))):
        becomes(1, metrics, "arbiter_streams_open")
    becomes(0, metrics, "arbiter_streams_open")


def test_nothing_is_registered_for_the_whole_process(metrics: Metrics) -> None:
    metrics.committed(3, 1, 0.01)
    assert value(Metrics(), "arbiter_rows_total") == 0
    assert not any(family.name.startswith("arbiter") for family in REGISTRY.collect())


async def test_a_collector_gets_the_figures_as_they_are_now(metrics: Metrics) -> None:
    """Of the process and the build, too; one that cannot be read affects no other."""
    waiting = 3

    def failing() -> float:
        raise ConnectionError

    gauges = {"unsigned": failing, "commands_waiting": lambda: waiting}
    async with serving_metrics(metrics, HOST, 0, gauges) as port:
        for waiting in (3, 7):
            samples = {each.name: each for each in await asyncio.to_thread(scraped, port)}
            assert samples["arbiter_commands_waiting"].value == waiting
    assert math.isnan(samples["arbiter_unsigned"].value)
    assert samples["process_resident_memory_bytes"].value > 1_000_000
    assert samples["process_open_fds"].value > 3
    assert samples["process_cpu_seconds_total"].value > 0
    assert set(samples["arbiter_build_info"].labels) == {"version", "python"}
    with pytest.raises(OSError, match="refused"):
        await asyncio.to_thread(scraped, port)


async def test_a_blocked_event_loop_is_seen_while_it_is_blocked_and_after(metrics: Metrics) -> None:
    delay = LoopDelay()
    async with serving_metrics(metrics, HOST, 0, {}) as port, delay.measured(metrics.lag.observe):
        await asyncio.sleep(0)
        assert scraped(port)  # blocks the thread on which the loop runs
        time.sleep(0.8)  # noqa: ASYNC251  the loop is stuck
        await asyncio.sleep(0.1)
        assert value(metrics, "arbiter_loop_lag_seconds_sum") > 0.5
        assert 0.1 < delay.seconds < 0.8


def test_each_worker_has_the_next_port() -> None:
    assert metrics_address("127.0.0.1:9464") == ("127.0.0.1", 9464)
    assert metrics_address("127.0.0.1:9464", 3) == ("127.0.0.1", 9467)
    assert metrics_address("[::1]:9464", 1) == ("::1", 9465)
    assert metrics_address("127.0.0.1:0", 1) == ("127.0.0.1", 0)

    with pytest.raises(ValueError, match="no port above"):
        metrics_address("127.0.0.1:65535", 1)


@pytest.mark.parametrize("text", ["", "9464", ":9464", "127.0.0.1:", "127.0.0.1:x", "h:-1"])
def test_an_invalid_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="an address and a port"):
        metrics_address(text)


# The address of the metrics: no one keeps a thread for longer than a connection may take.


LIMIT = 0.3


@pytest.fixture
def port() -> Iterator[int]:
    registry = CollectorRegistry()
    for number in range(2_000):
        Gauge(f"one_{number}", "x" * 5_000, registry=registry).set(1)
    server, thread = serve_metrics("127.0.0.1", 0, registry)
    yield server.server_port
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.observability.metrics.COLLECTION_SECONDS", LIMIT)


@pytest.mark.usefixtures("limit")
@pytest.mark.parametrize(
    "sent",
    [b"", b"GET /metrics HTTP/1.1\r\n", b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"],
    ids=["nothing", "half a head", "and reads nothing"],
)
def test_a_slow_client_is_cut_off(port: int, sent: bytes) -> None:
    threads = threading.active_count()
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        client.connect(("127.0.0.1", port))
        client.sendall(sent)
        wait_until(lambda: threading.active_count() > threads)
        wait_until(lambda: threading.active_count() == threads)


@pytest.mark.usefixtures("limit")
def test_a_client_that_sends_a_little_again_and_again_is_cut_off(port: int) -> None:
    """The limit is one of the whole connection, not of the time between two bytes."""
    with socket.create_connection(("127.0.0.1", port), timeout=LIMIT / 10) as client:
        client.sendall(b"GET /metrics HTTP/1.1\r\n")

        def ended() -> bool:
            client.sendall(b"X: y\r\n")
            with suppress(TimeoutError):
                return client.recv(1) == b""
            return False

        with suppress(ConnectionError):
            wait_until(ended)


def test_an_address_that_is_taken_is_said(port: int) -> None:
    with pytest.raises(OSError, match=f"cannot serve metrics on 127.0.0.1:{port}"):
        serve_metrics("127.0.0.1", port, CollectorRegistry())
