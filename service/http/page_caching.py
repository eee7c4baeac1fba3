"""Pages and their files: sent again only if they have changed."""

from typing import cast

from litestar.enums import ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.types import (
    ASGIApp,
    HTTPResponseBodyEvent,
    HTTPResponseStartEvent,
    Message,
    Receive,
    Scope,
    Send,
)

from service.http.caching import PAGE, content_tag, is_known
from service.http.request_body import value_of

OF_CONTENT = (b"content-type", b"content-length")
"""Headers that an answer without content does not have."""


class CachedPages(ASGIMiddleware):
    """Gives each page an entity tag and a `Cache-Control`, and answers 304 to a client that has it.

    What a path answers with 200 never changes while the service runs.
    """

    scopes = (ScopeType.HTTP,)

    def __init__(self) -> None:
        self._tags: dict[str, bytes] = {}

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Answers with the page, or says that it has not changed."""
        started: HTTPResponseStartEvent | None = None

        async def tagged(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start" and message["status"] == 200:
                started = message
            elif message["type"] == "http.response.body" and started is not None:
                first, body = self._answer(scope, started, message)
                started = None
                await send(first)
                await send(body)
            else:
                await send(message)

        await next_app(scope, receive, tagged)

    def _answer(
        self, scope: Scope, started: HTTPResponseStartEvent, body: HTTPResponseBodyEvent
    ) -> tuple[HTTPResponseStartEvent, HTTPResponseBodyEvent]:
        path = scope["path"]
        tag = self._tags.get(path)
        if tag is None:
            assert not body["more_body"], "a page is sent as a whole"
            tag = self._tags[path] = content_tag(body["body"]).encode()
        headers = [*started["headers"], (b"etag", tag)]
        if value_of(headers, b"cache-control") is None:
            headers.append((b"cache-control", PAGE.encode()))
        if not is_known(value_of(scope["headers"], b"if-none-match"), tag.decode()):
            return cast(HTTPResponseStartEvent, {**started, "headers": headers}), body
        headers = [header for header in headers if header[0] not in OF_CONTENT]
        first = cast(HTTPResponseStartEvent, {**started, "status": 304, "headers": headers})
        return first, {**body, "body": b""}
