"""Traces for OpenTelemetry: what the service spends its time on, never for whom.

They are configured by the standard environment variables alone, `OTEL_*`. A span has the route, the
method and the status, or how much was written; never a match, seat, key, body or address.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Thread
from time import time_ns
from typing import TYPE_CHECKING

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from service.observability.instrumentation import Instrumentation
from service.observability.request_log import method_of, route_of

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer, TracerProvider

EXPORT_SECONDS = 1.0
"""Time limit for exporting the remaining spans when the service stops."""

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")

Attributes = dict[str, str | int | float]


class Traces(Instrumentation):
    """Instrumentation that makes spans."""

    def __init__(self, provider: "TracerProvider") -> None:
        self._tracer: Tracer = provider.get_tracer("arbiter")

    def around(self, app: ASGIApp) -> ASGIApp:
        """The application with a span for every request, until the head of the response is sent, so
        that live streams have one, too. Trace headers of the sender are ignored."""
        from opentelemetry import context, trace

        async def traced(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != ScopeType.HTTP:
                await app(scope, receive, send)
                return
            span = self._tracer.start_span("request", context.Context(), trace.SpanKind.SERVER)

            async def traced_send(message: Message) -> None:
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
                await app(scope, receive, traced_send)
            finally:
                if span.is_recording():
                    span.end()
                context.detach(token)

        return traced

    def committed(self, rows: int, commands: int, seconds: float) -> None:
        self._add_span("transaction", seconds, {"arbiter.rows": rows, "arbiter.commands": commands})

    def read(self, seconds: float) -> None:
        self._add_span("store read", seconds, {})

    def deadline_reported(self, late: float, seconds: float) -> None:
        self._add_span("deadline report", seconds, {"arbiter.late_seconds": late})

    def signed(self, seconds: float) -> None:
        self._add_span("signing", seconds, {})

    def _add_span(self, name: str, seconds: float, attributes: Attributes) -> None:
        """Adds a span that ends now, within the current request's span if there is one."""
        now = time_ns()
        began = now - int(seconds * 1e9)
        self._tracer.start_span(name, attributes=attributes, start_time=began).end(now)


@contextmanager
def tracing(environment: Mapping[str, str]) -> Iterator[Traces | None]:
    """Yields the traces, or None if the environment does not configure an exporter.

    Raises ValueError with a sentence for the operator if the libraries are not installed.
    """
    if not configured(environment):
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
        # The collector may be gone: do not wait long for it.
        exporting = Thread(target=provider.shutdown, name="traces", daemon=True)
        exporting.start()
        exporting.join(EXPORT_SECONDS)


def configured(environment: Mapping[str, str]) -> bool:
    """Whether the standard variables turn traces on."""
    if environment.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return False
    if environment.get("OTEL_TRACES_EXPORTER", "otlp") != "otlp":
        return False
    return any(environment.get(name) for name in ENDPOINTS)
