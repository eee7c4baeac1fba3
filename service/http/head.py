"""HEAD (RFC 9110, 9.3.2): the status and the headers that GET would have, without the body.

It is answered as GET is, by the same route, except where GET would wait, hold a stream or use
something up: there the route asks `is_head`. It is accounted for as GET is: the length and the tag
of something hidden are a look at it.
"""

from typing import Any, cast

from litestar.types import ASGIApp, HTTPScope, Message, Receive, Send

from service.http.problems import AnyRequest

_MARK = "head"


async def answer_head(app: ASGIApp, scope: HTTPScope, receive: Receive, send: Send) -> None:
    """Answers a HEAD request as the application answers GET, without the body."""
    state: dict[str, Any] = {**scope.get("state", {}), _MARK: True}
    as_get = cast(HTTPScope, {**scope, "method": "GET", "state": state})

    async def send_without_body(message: Message) -> None:
        if message["type"] == "http.response.start" and "path_template" in as_get:
            # The log and the metrics name the route.
            scope["path_template"] = as_get["path_template"]
        elif message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await send(message)

    await app(as_get, receive, send_without_body)


def is_head(request: AnyRequest) -> bool:
    """Whether the request is a HEAD request, which never waits and holds nothing."""
    return _MARK in request.scope["state"]
