"""Traces for OpenTelemetry: what the service spends its time on, and nothing of whose time it is.

Configured by the standard's own environment variables alone, `OTEL_*`. A span has the route, the
method and the status, or how much was written: no match, seat, key, body or address.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Thread
from time import time_ns
from typing import TYPE_CHECKING

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from service.operation.requests import method_of, route_of
from service.watcher import Watcher

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer, TracerProvider

LEAVING_SECONDS = 1.0
"""So long it may take, when the service stops, to hand over what has not been yet."""

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")

Attributes = dict[str, str | int | float]


class Traces(Watcher):
    """Makes spans of what it is told."""

    def __init__(self, provider: "TracerProvider") -> None:
        self._tracer: Tracer = provider.get_tracer("arbiter")

    def around(self, app: ASGIApp) -> ASGIApp:
        """The application, with a span for every request: until the head of its answer is sent, so
        that live readers have one too. The sender has no say in it."""
        from opentelemetry import context, trace

        async def traced(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != ScopeType.HTTP:
                await app(scope, receive, send)
                return
            span = self._tracer.start_span("request", context.Context(), trace.SpanKind.SERVER)

            async def sent(message: Message) -> None:
                if message["type"] == "http.response.start":
                    method, route = method_of(scope), route_of(scope)
                    span.update_name(f"{method} {route}")
                    span.set_attributes(
                        {
                            "http.request.method": method,
                            "http.route": route,
                            "http.response.status_code": message["status"],
                        }
                    )
                    span.end()
                await send(message)

            token = context.attach(trace.set_span_in_context(span))
            try:
                await app(scope, receive, sent)
            finally:
                if span.is_recording():
                    span.end()
                context.detach(token)

        return traced

    def committed(self, rows: int, commands: int, seconds: float) -> None:
        self._took("transaction", seconds, {"arbiter.rows": rows, "arbiter.commands": commands})

    def read(self, seconds: float) -> None:
        self._took("store read", seconds, {})

    def deadline_reported(self, late: float, seconds: float) -> None:
        self._took("deadline report", seconds, {"arbiter.late_seconds": late})

    def signed(self, seconds: float) -> None:
        self._took("signing", seconds, {})

    def _took(self, name: str, seconds: float, attributes: Attributes) -> None:
        """A span of what has just been done, within the request that it was done for, if any."""
        now = time_ns()
        began = now - int(seconds * 1e9)
        self._tracer.start_span(name, attributes=attributes, start_time=began).end(now)


@contextmanager
def tracing(environment: Mapping[str, str]) -> Iterator[Traces | None]:
    """Traces, if the environment says where they are to go, for as long as the service runs.

    Raises ValueError with a sentence for the operator if what makes them is not installed.
    """
    if not wanted(environment):
        yield None
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        raise ValueError("traces are wanted (OTEL_*): install arbiter[telemetry]") from None
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    try:
        yield Traces(provider)
    finally:
        # Whoever collects them may be gone: nobody waits long for that.
        leaving = Thread(target=provider.shutdown, name="traces", daemon=True)
        leaving.start()
        leaving.join(LEAVING_SECONDS)


def wanted(environment: Mapping[str, str]) -> bool:
    """Whether the standard's variables ask for traces."""
    if environment.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return False
    if environment.get("OTEL_TRACES_EXPORTER", "otlp") != "otlp":
        return False
    return any(environment.get(name) for name in ENDPOINTS)
