"""The instrumentation of requests: by route, never by path or content."""

from time import perf_counter

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from service.observability.instrumentation import Instrumentation

UNMATCHED = "unmatched"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER_METHOD = "other"
"""One name for all unknown methods, and one for all unmatched routes: clients could invent any
number of them."""

WAITED = "waited_seconds"
"""In the state of a request: for how long its client wanted it to wait."""

STREAM = "/stream"
"""The end of the routes of live streams."""


class InstrumentedApp:
    """The application with every response reported to the instrumentation."""

    def __init__(self, app: ASGIApp, instrumentation: Instrumentation) -> None:
        self._app = app
        self._instrumentation = instrumentation

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        instrumentation, began, streaming = self._instrumentation, perf_counter(), False

        async def instrumented_send(message: Message) -> None:
            nonlocal streaming
            if message["type"] == "http.response.start":
                status, seconds = message["status"], perf_counter() - began
                seconds -= scope.get("state", {}).get(WAITED, 0.0)
                route = route_of(scope)
                instrumentation.answered(method_of(scope), route, status, seconds)
                if status == 200 and route.endswith(STREAM) and method_of(scope) == "GET":
                    streaming = True
                    instrumentation.stream_opened()
            await send(message)

        try:
            await self._app(scope, receive, instrumented_send)
        finally:
            if streaming:
                instrumentation.stream_closed()


def route_of(scope: Scope) -> str:
    """The route's template, `/v1/matches/{match_id}/view`."""
    return scope.get("path_template") or UNMATCHED


def method_of(scope: Scope) -> str:
    """The request's method, or `other` if it is unknown."""
    method = str(scope.get("method"))
    return method if method in METHODS else OTHER_METHOD
