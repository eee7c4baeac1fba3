"""Answers."""

from typing import Any, NamedTuple, TypeVar, cast
from uuid import UUID

import msgspec
from litestar import Response
from litestar.response.base import ASGIResponse
from litestar.types import (
    HTTPResponseBodyEvent,
    HTTPResponseStartEvent,
    Receive,
    Scope,
    Send,
)

from service.http.middleware.page_security import DATA, POLICY

T = TypeVar("T")


class ViewInAnswer(NamedTuple):
    """The view of a match in an answer: whose it is, after which of its events, and its bytes."""

    match: UUID
    audience: str
    seq: int
    body: bytes


class EncodedResponse(ASGIResponse):
    """An answer whose body and headers are final; the framework's own builds headers one by one.
    `own_headers` are those that depend on the request, `view` is the view in its body, if any."""

    def __init__(
        self,
        body: bytes,
        status: int,
        headers: list[tuple[bytes, bytes]],
        own_headers: dict[str, str] | None = None,
        view: ViewInAnswer | None = None,
    ) -> None:
        # Without the framework's own initialiser, which costs most.
        self.content, self.status, self.raw_headers = body, status, headers
        self.own_headers, self.view = own_headers or {}, view
        self._start = {"type": "http.response.start", "status": status, "headers": headers}
        self._body = {"type": "http.response.body", "body": body, "more_body": False}

    def to_asgi_response(self, *_: Any, **__: Any) -> "EncodedResponse":
        """Itself, where the framework expects an `Answer`."""
        return self

    # The signature is that of ASGI.
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        await send(cast(HTTPResponseStartEvent, self._start))
        await send(cast(HTTPResponseBodyEvent, self._body))


def json_bytes(
    body: bytes,
    status: int = 200,
    headers: dict[str, str] | None = None,
    media_type: str = "application/json",
    view: ViewInAnswer | None = None,
) -> EncodedResponse:
    """An answer whose body is encoded already; 204 and 304 have none."""
    given = {POLICY: DATA, **(headers or {})}
    raw = [(name.lower().encode(), value.encode()) for name, value in given.items()]
    if status not in (204, 304):
        raw.append((b"content-type", media_type.encode()))
        raw.append((b"content-length", str(len(body)).encode()))
    return EncodedResponse(body, status, raw, headers, view)


class Answer(Response[T]):
    """An answer with a value as JSON, and its own headers."""

    def __init__(self, value: T, status: int = 200, headers: dict[str, str] | None = None) -> None:
        # Without the framework's own initialiser, which costs most.
        self.content, self.status_code, self.own_headers = value, status, headers

    def encoded(self) -> EncodedResponse:
        """The answer in bytes."""
        body = msgspec.json.encode(self.content)
        return json_bytes(body, self.status_code or 200, self.own_headers)

    def to_asgi_response(self, *_: Any, **__: Any) -> EncodedResponse:
        """The same: everything is said here, nothing by the route."""
        return self.encoded()


def private_headers(tag: str | None = None) -> dict[str, str]:
    """The headers of an answer that depends on the key: caches may keep it for that key alone, and
    must revalidate it."""
    headers = {"Cache-Control": "private, no-cache", "Vary": "Authorization"}
    return headers if tag is None else {"ETag": tag, **headers}


def private(value: T) -> Answer[T]:
    """An answer that depends on the key."""
    return Answer(value, 200, private_headers())


SHOWN_ONCE = {"Cache-Control": "no-store"}
"""For an answer with a key or a secret in it."""


def created(value: T, *, repeated: bool, headers: dict[str, str] | None = None) -> Answer[T]:
    """201 for what has been recorded now, 200 for what the same request had recorded before."""
    if repeated:
        return Answer(value, 200, {**(headers or {}), "Idempotent-Replayed": "true"})
    return Answer(value, 201, headers)
