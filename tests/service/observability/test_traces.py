"""Traces: durations, and never content."""

import asyncio
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from random import Random
from typing import ClassVar

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from domain.games import GAMES
from service.application.scheduling.scheduler import Scheduler
from service.cli.playing.demo import play, tables_of
from service.event_store.store import Store
from service.observability import traces
from service.observability.instrumentation import Instrumentation
from service.observability.request_log import UNMATCHED
from service.observability.traces import Traces, configured, tracing
from tests.support.repository import ROOT
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.operated_server import operated
from tests.support.servers.traffic_recorder import RecordedTraffic

ALLOWED: dict[str, set[str]] = {
    "transaction": {"arbiter.rows", "arbiter.commands"},
    "store read": set(),
    "deadline report": {"arbiter.late_seconds"},
    "signing": set(),
}
OF_A_REQUEST = {"http.request.method", "http.route", "http.response.status_code"}


@pytest.fixture
def exported() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def spans(exported: InMemorySpanExporter) -> Traces:
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exported))
    return Traces(provider)


def named(exported: InMemorySpanExporter, name: str) -> list[ReadableSpan]:
    return [span for span in exported.get_finished_spans() if span.name == name]


def seconds(span: ReadableSpan) -> float:
    assert span.start_time is not None and span.end_time is not None
    return (span.end_time - span.start_time) / 1e9


def attributes(span: ReadableSpan) -> dict[str, object]:
    return dict(span.attributes or {})


def test_a_request_has_a_span_of_its_own(
    tmp_path: Path, spans: Traces, exported: InMemorySpanExporter
) -> None:
    forged = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
    with operated(tmp_path, within=spans.around) as live:
        match = live.create("dollar-prize")
        exported.clear()
        match.anyone.view("seat:0", headers=forged)
        live.anyone.get("/nowhere")
    refused, nowhere = exported.get_finished_spans()
    assert refused.name == "GET /v1/matches/{match_id}/view"
    assert attributes(refused) == {
        "http.request.method": "GET",
        "http.route": "/v1/matches/{match_id}/view",
        "http.response.status_code": 403,
    }
    assert 0 < seconds(refused) < 5
    assert refused.parent is None
    assert nowhere.name == f"GET {UNMATCHED}"


async def test_work_for_a_request_is_within_its_span(
    spans: Traces, exported: InMemorySpanExporter
) -> None:
    async def app(scope: object, receive: object, send: object) -> None:
        await asyncio.sleep(0.02)
        spans.read(0.01)

    scope = {"type": "http", "method": "GET", "path": "/"}
    await spans.around(app)(scope, None, None)  # type: ignore[arg-type]
    spans.read(0.01)
    inner, request, outer = exported.get_finished_spans()
    assert inner.parent is not None and request.context is not None
    assert inner.parent.span_id == request.context.span_id
    assert outer.parent is None


def test_a_live_reader_has_a_span_before_leaving(
    tmp_path: Path, spans: Traces, exported: InMemorySpanExporter
) -> None:
    with operated(tmp_path, within=spans.around) as live:
        match = live.started("dollar-prize")
        with match.anyone.stream():
            until = time.monotonic() + 5
            while not named(exported, "GET /v1/matches/{match_id}/stream"):
                assert time.monotonic() < until
                time.sleep(0.01)
    assert len(named(exported, "GET /v1/matches/{match_id}/stream")) == 1


def test_spans_have_the_measured_durations(spans: Traces, exported: InMemorySpanExporter) -> None:
    spans.committed(7, 2, 0.5)
    spans.deadline_reported(3.0, 0.25)
    [transaction], [report] = named(exported, "transaction"), named(exported, "deadline report")
    assert seconds(transaction) == pytest.approx(0.5)
    assert attributes(transaction) == {"arbiter.rows": 7, "arbiter.commands": 2}
    assert seconds(report) == pytest.approx(0.25)
    assert attributes(report) == {"arbiter.late_seconds": 3.0}


def _ignored(_: object, __: Instrumentation) -> None:
    """The other instrumentation."""


def test_no_span_contains_anything_of_a_match(
    tmp_path: Path,
    spans: Traces,
    exported: InMemorySpanExporter,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Matches of every game by bots: every attribute is an allowed one, and nothing that went over
    the wire is in a span."""
    reports = property(lambda _: spans, _ignored)
    monkeypatch.setattr(Store, "instrumentation", reports)
    monkeypatch.setattr(Scheduler, "_instrumentation", reports, raising=False)
    overheard = RecordedTraffic()
    with operated(tmp_path, within=lambda app: spans.around(overheard.around(app))) as live:
        shown = asyncio.run(play(live.url, ORGANISER_KEY, tables_of(1, Random(7))))
        quick = live.started("together", ("Ann", "Ben", "Cy", "Dee"), clock="rules")
        quick.moderator.view()
    finished = exported.get_finished_spans()
    assert {played.game for played in shown} == set(GAMES)
    for span in finished:
        assert set(attributes(span)) <= ALLOWED.get(span.name, OF_A_REQUEST), span.name
        assert not span.events
    for kind in ("transaction", "store read", "signing"):
        assert named(exported, kind)
    text = "\n".join(span.to_json() for span in finished)
    assert len(overheard.said) > 500
    assert [said for said in overheard.said if said in text] == []


@pytest.mark.parametrize(
    ("environment", "asked_for"),
    [
        ({}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318"}, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://localhost:4318/v1/traces"}, True),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": ""}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a", "OTEL_SDK_DISABLED": "true"}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a", "OTEL_TRACES_EXPORTER": "none"}, False),
        ({"OTEL_SERVICE_NAME": "arbiter"}, False),
    ],
)
def test_the_standard_variables_turn_it_on(environment: dict[str, str], asked_for: bool) -> None:
    assert configured(environment) is asked_for
    if not asked_for:
        with tracing(environment) as none:
            assert none is None


class Collector(BaseHTTPRequestHandler):
    """Receives exported spans."""

    received: ClassVar[list[bytes]] = []

    def do_POST(self) -> None:
        self.received.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Logs nothing."""


def test_reported_spans_arrive_before_the_service_has_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Collector, "received", [])
    with HTTPServer(("127.0.0.1", 0), Collector) as collector:
        threading.Thread(target=collector.serve_forever, daemon=True).start()
        environment = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.server_port}",
            "OTEL_EXPORTER_OTLP_COMPRESSION": "none",
            "OTEL_SERVICE_NAME": "a-table-in-vienna",
        }
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        with tracing(environment) as made:
            assert made is not None
            made.committed(3, 1, 0.1)
        collector.shutdown()
    [body] = Collector.received
    [sent] = ExportTraceServiceRequest.FromString(body).resource_spans
    assert sent.scope_spans[0].spans[0].name == "transaction"
    service = {each.key: each.value.string_value for each in sent.resource.attributes}
    assert service["service.name"] == "a-table-in-vienna"


def test_an_unreachable_collector_delays_nobody_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traces, "EXPORT_SECONDS", 0.2)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
    environment = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://192.0.2.1:9"}
    monkeypatch.setenv(*next(iter(environment.items())))
    began = time.monotonic()
    with tracing(environment) as made:
        assert made is not None
        made.signed(0.1)
    assert time.monotonic() - began < 1.0
    # It goes on trying, in a thread that must not outlive the test.
    for thread in threading.enumerate():
        if thread.name == "traces":
            thread.join()


def test_without_the_package_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    environment = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318"}
    with pytest.raises(ValueError, match="install arbiter"), tracing(environment):
        pass


def test_the_service_runs_without_it_installed() -> None:
    without = "import sys; sys.modules['opentelemetry'] = None; import service.observability.traces"
    subprocess.run([sys.executable, "-c", without], cwd=ROOT, check=True, timeout=30)


def test_the_end_of_a_span_is_reported_once(
    tmp_path: Path, spans: Traces, caplog: pytest.LogCaptureFixture
) -> None:
    with operated(tmp_path, within=spans.around) as live:
        live.anyone.get("/v1/games")
    # Only the spans count: an earlier test's exporter may still be stopping.
    assert [each for each in caplog.records if each.name == "opentelemetry.sdk.trace"] == []
