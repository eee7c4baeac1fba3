"""Requests as an operator sees them: by the route, never by what was asked for in it."""

from time import perf_counter

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from service.operation.watcher import Watcher

UNMATCHED = "unmatched"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER_METHOD = "other"
"""Routes and methods that are not ours have one name for all: anybody can invent more."""

STREAM = "/stream"
"""What the routes of live readers end with."""


class Watched:
    """The application, with every answer told to a watcher."""

    def __init__(self, app: ASGIApp, watcher: Watcher) -> None:
        self._app = app
        self._watcher = watcher

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        watcher, began, streaming = self._watcher, perf_counter(), False

        async def told(message: Message) -> None:
            nonlocal streaming
            if message["type"] == "http.response.start":
                status = message["status"]
                route = route_of(scope)
                watcher.answered(method_of(scope), route, status, perf_counter() - began)
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
