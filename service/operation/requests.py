"""Requests as an operator sees them: by the route, never by what was asked for in it."""

import secrets
from time import perf_counter
from typing import cast

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from service import logs
from service.watcher import Watcher

UNMATCHED = "unmatched"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER_METHOD = "other"
"""Routes and methods that are not ours have one name for all: anybody can invent more."""

STREAM = "/stream"
"""What the routes of live readers end with."""


class RequestLog:
    """A line for every request: its route, never its path or query, nor anything that it brings.

    Each has a name that its sender is told too, in `X-Request-Id`. It is drawn by lot, and never
    the sender's own: it tells neither how many others there were nor what anybody wrote.
    """

    def __init__(self, *, addresses: bool = False) -> None:
        self._addresses = addresses

    def name(self) -> str:
        """A name for the next request."""
        return secrets.token_hex(8)

    def answered(self, scope: Scope, name: str, status: int, seconds: float) -> None:
        """The head of the answer was sent after so long."""
        more = {}
        if self._addresses and (client := scope.get("client")):
            more["address"] = client[0]
        logs.told(
            "request",
            id=name,
            method=method_of(scope),
            route=route_of(scope),
            status=status,
            ms=round(seconds * 1000, 3),
            **more,
        )


class Watched:
    """The application, with every answer told to a watcher and to the log, if there is one."""

    def __init__(self, app: ASGIApp, watcher: Watcher, log: RequestLog | None = None) -> None:
        self._app = app
        self._watcher = watcher
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        watcher, began, streaming = self._watcher, perf_counter(), False

        async def told(message: Message) -> None:
            nonlocal streaming
            if message["type"] == "http.response.start":
                status, seconds = message["status"], perf_counter() - began
                route = route_of(scope)
                watcher.answered(method_of(scope), route, status, seconds)
                if self._log is not None:
                    name = self._log.name()
                    headers = [*message["headers"], (b"x-request-id", name.encode())]
                    message = cast(Message, {**message, "headers": headers})
                    self._log.answered(scope, name, status, seconds)
                if status == 200 and route.endswith(STREAM):
                    streaming = True
                    watcher.stream_opened()
            await send(message)

        try:
            await self._app(scope, receive, told)
        finally:
            if streaming:
                watcher.stream_closed()


def route_of(scope: Scope) -> str:
    """The route's template, `/v1/matches/{match_id}/view`."""
    return scope.get("path_template") or UNMATCHED


def method_of(scope: Scope) -> str:
    """The request's method, if it is one."""
    method = str(scope.get("method"))
    return method if method in METHODS else OTHER_METHOD
