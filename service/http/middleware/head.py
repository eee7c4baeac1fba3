"""HEAD (RFC 9110, 9.3.2): the status and the headers that GET would have, without the body.

It is answered as GET is, by the same route, except where GET would wait, hold a stream or use
something up: there the route asks `is_head`. It is accounted for as GET is: the length and the tag
of something hidden are a look at it. OPTIONS (9.3.7) says which methods an address has.
"""

from typing import Any

from litestar import Litestar
from litestar.enums import ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.routes import HTTPRoute
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from service.http.errors.problems import AnyRequest
from service.http.requests.responses import json_bytes

_MARK = "head"

OF_THE_ROUTE = ("path_template", "route_handler")


class Application(Litestar):
    """The application, which answers HEAD wherever it answers GET."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answers a request."""
        if scope.get("method") != "HEAD":
            await super().__call__(scope, receive, send)
            return
        as_get: Any = {**scope, "method": "GET", "state": {**scope.get("state", {}), _MARK: True}}

        async def send_without_body(message: Message) -> None:
            if message["type"] == "http.response.start":
                # The log and the metrics name the route, and what pages may read depends on it.
                scope.update({name: as_get[name] for name in OF_THE_ROUTE if name in as_get})
            elif message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        await super().__call__(as_get, receive, send_without_body)


def is_head(request: AnyRequest) -> bool:
    """Whether the request is a HEAD request, which never waits and holds nothing."""
    return _MARK in request.scope["state"]


class AllowedMethods(ASGIMiddleware):
    """Answers OPTIONS with all methods of the address. The framework's own answer names only those
    of the handler that was registered first."""

    scopes = (ScopeType.HTTP,)

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Answers OPTIONS, or passes the request on."""
        if str(scope.get("method")) != "OPTIONS":
            await next_app(scope, receive, send)
            return
        template = scope["path_template"]
        methods: set[str] = {
            method
            for route in scope["litestar_app"].routes
            if isinstance(route, HTTPRoute) and route.path_format == template
            for method in route.methods
        }
        methods |= {"HEAD"} if "GET" in methods else set()
        answer = json_bytes(b"", 204, {"Allow": ", ".join(sorted(methods))})
        await answer(scope, receive, send)
