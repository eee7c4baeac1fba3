"""The access log and the instrumentation of requests: by route, never by path or content."""

import secrets
from time import perf_counter
from typing import cast

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from service.observability import logs
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


class RequestLog:
    """Logs a line for every request: its route, never its path, query, headers or body.

    Each request has an id, which its sender gets in `X-Request-Id`. It is random and never chosen
    by the sender, so it reveals neither the number of requests nor anything a client wrote.
    """

    def __init__(self, *, addresses: bool = False) -> None:
        self._addresses = addresses

    def answered(self, scope: Scope, status: int, seconds: float) -> str:
        """Logs a request, and returns its id; `seconds` is the time until the head of the response
        was sent, without the time that the client wanted to wait."""
        request_id, more = secrets.token_hex(8), {}
        if self._addresses and (client := scope.get("client")):
            more["address"] = client[0]
        logs.info(
            "request",
            id=request_id,
            method=method_of(scope),
            route=route_of(scope),
            status=status,
            ms=round(seconds * 1000, 3),
            **more,
        )
        return request_id


class InstrumentedApp:
    """The application with every response reported to the instrumentation and, if there is one, to
    the log."""

    def __init__(
        self, app: ASGIApp, instrumentation: Instrumentation, log: RequestLog | None = None
    ) -> None:
        self._app = app
        self._instrumentation = instrumentation
        self._log = log

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
                if self._log is not None:
                    request_id = self._log.answered(scope, status, seconds)
                    headers = [*message["headers"], (b"x-request-id", request_id.encode())]
                    message = cast(Message, {**message, "headers": headers})
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
