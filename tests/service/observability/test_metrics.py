"""Metrics: totals at a separate address, which name no match."""

import asyncio
import math
import re
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import pytest
from prometheus_client import REGISTRY
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from domain.games import GAMES
from service.observability import logs
from service.observability.logs import configure_logs
from service.observability.metrics import GAUGES, Metrics, serving_metrics
from service.observability.request_log import METHODS, OTHER_METHOD, UNMATCHED
from service.setting_types import metrics_address
from tests.support.games import fewest
from tests.support.http.match_play import play_out
from tests.support.servers.live_server import Live
from tests.support.servers.metric_values import value
from tests.support.servers.operated_server import Operated, operated
from tests.support.servers.raw_sockets import connected, request
from tests.support.waiting import wait_until

HOST = "127.0.0.1"


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
def live(tmp_path: Path, metrics: Metrics) -> Iterator[Operated]:
    with operated(tmp_path, instrumentation=metrics) as server:
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


def test_invented_paths_make_no_series(live: Live, metrics: Metrics) -> None:
    for _ in range(20):
        live.anyone.get(f"/{uuid4()}")
        live.anyone.get(f"/v1/matches/{uuid4()}/view")
        live.anyone.get(f"/v1/games/{uuid4()}")
    routes = {
        sample.labels["route"]
        for family in metrics.registry.collect()
        for sample in family.samples
        if "route" in sample.labels
    }
    assert routes == {UNMATCHED, "/v1/matches/{match_id}/view", "/v1/games/{game}"}


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
    live: Operated, metrics: Metrics
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


ALLOWED = {
    "method": METHODS | {OTHER_METHOD},
    "status": {"1xx", "2xx", "3xx", "4xx", "5xx"},
}


def test_no_label_names_a_match_or_a_person(live: Live, metrics: Metrics) -> None:
    """After any play, labels are templates of routes, methods, classes and bounds."""
    matches = [live.started(game, fewest(game)) for game in ("dollar-prize", "twelve-chips")]
    for match in matches:
        play_out(match)
    for family in metrics.registry.collect():
        for sample in family.samples:
            for label, said in sample.labels.items():
                assert said in ALLOWED.get(label, {said})
                assert label != "route" or re.fullmatch(r"unmatched|[a-z0-9_{}/.-]+", said)
                assert not any(match.id in said for match in matches)
                assert not any(game in said for game in GAMES)


def test_the_public_port_serves_no_metrics(live: Live) -> None:
    assert live.anyone.get("/metrics").status_code == 404


def test_nothing_is_registered_for_the_whole_process(metrics: Metrics) -> None:
    metrics.committed(3, 1, 0.01)
    assert value(Metrics(), "arbiter_rows_total") == 0
    assert not any(family.name.startswith("arbiter") for family in REGISTRY.collect())


def test_errors_are_counted_by_their_name(
    metrics: Metrics, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import structlog

    before = structlog.get_config()
    monkeypatch.setattr(logs, "_log", structlog.get_logger())
    try:
        configure_logs("json", metrics.failed)
        logs.failure("store_failed", OSError("disk full"))
    finally:
        structlog.configure(**before)
    assert value(metrics, "arbiter_errors_total", event="store_failed") == 1
    assert "disk full" in capsys.readouterr().err


async def test_gauges_are_computed_when_collected(metrics: Metrics) -> None:
    waiting = 3
    async with serving_metrics(metrics, HOST, 0, {"commands_waiting": lambda: waiting}) as port:
        for waiting in (3, 7):
            samples = await asyncio.to_thread(scraped, port)
            values = [each.value for each in samples if each.name == "arbiter_commands_waiting"]
            assert values == [waiting]


async def test_a_failing_gauge_affects_no_other(metrics: Metrics) -> None:
    def failing() -> float:
        raise ConnectionError

    async with serving_metrics(
        metrics, HOST, 0, {"unsigned": failing, "leader": lambda: 1}
    ) as port:
        samples = {each.name: each.value for each in await asyncio.to_thread(scraped, port)}
    assert math.isnan(samples["arbiter_unsigned"])
    assert samples["arbiter_leader"] == 1


async def test_the_process_and_the_build_are_exported(metrics: Metrics) -> None:
    async with serving_metrics(metrics, HOST, 0, {}) as port:
        samples = {each.name: each for each in await asyncio.to_thread(scraped, port)}
    assert samples["process_resident_memory_bytes"].value > 1_000_000
    assert samples["process_open_fds"].value > 3
    assert samples["process_cpu_seconds_total"].value > 0
    assert set(samples["arbiter_build_info"].labels) == {"version", "python"}


async def test_a_blocked_event_loop_is_seen_while_it_is_blocked_and_after(metrics: Metrics) -> None:
    async with serving_metrics(metrics, HOST, 0, {}) as port:
        await asyncio.sleep(0)
        assert scraped(port)  # blocks the thread on which the loop runs
        time.sleep(0.8)  # noqa: ASYNC251  the loop is stuck
        await asyncio.sleep(0.1)
        assert value(metrics, "arbiter_loop_lag_seconds_sum") > 0.5


async def test_the_port_is_closed_afterwards(metrics: Metrics) -> None:
    async with serving_metrics(metrics, HOST, 0, {}) as port:
        pass
    with pytest.raises(OSError, match="refused"):
        await asyncio.to_thread(scraped, port)


def test_each_worker_has_the_next_port() -> None:
    assert metrics_address("127.0.0.1:9464") == ("127.0.0.1", 9464)
    assert metrics_address("127.0.0.1:9464", 3) == ("127.0.0.1", 9467)
    assert metrics_address("[::1]:9464", 1) == ("::1", 9465)
    assert metrics_address("127.0.0.1:0", 1) == ("127.0.0.1", 0)


@pytest.mark.parametrize("text", ["", "9464", ":9464", "127.0.0.1:", "127.0.0.1:x", "h:-1"])
def test_an_invalid_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="an address and a port"):
        metrics_address(text)


def test_ports_above_the_highest_are_refused() -> None:
    with pytest.raises(ValueError, match="no port above"):
        metrics_address("127.0.0.1:65535", 1)


def test_every_gauge_has_a_meaning() -> None:
    with pytest.raises(KeyError):
        Metrics().add_gauges({"votes": lambda: 1})
    assert all(GAUGES.values())
