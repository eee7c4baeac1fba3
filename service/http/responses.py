"""How answers are made, and how the description names those that are problems."""

from typing import Any, cast

import msgspec
from litestar.openapi.datastructures import ResponseSpec
from litestar.response.base import ASGIResponse
from litestar.types import (
    HTTPResponseBodyEvent,
    HTTPResponseStartEvent,
    Receive,
    Scope,
    Send,
)

from service.http.problems import MEDIA_TYPE, TITLES, AnyRequest, Failed, Problem


def raises(*codes: str) -> dict[int, ResponseSpec]:
    """The problem responses of a route, as the description shows them."""
    by_status: dict[int, list[str]] = {}
    for code in codes:
        by_status.setdefault(TITLES[code][0], []).append(code)
    return {
        status: ResponseSpec(
            Problem,
            description="; ".join(f"`{code}`: {TITLES[code][1]}" for code in named),
            media_type=MEDIA_TYPE,
            generate_examples=False,
        )
        for status, named in by_status.items()
    }


READING = (
    "bad_request", "bad_audience", "key_unknown", "not_allowed", "no_such_match", "no_such_seat",
    "no_such_position", "try_again",
)  # fmt: skip
"""The problems of every route that reads a match for an audience."""


def returns(status: int, body: type[Any]) -> dict[int, ResponseSpec]:
    """The answer of a route that makes it itself, as the description shows it."""
    return {status: ResponseSpec(body, generate_examples=False, description="")}


class Made(ASGIResponse):
    """An answer with nothing left to decide: the framework's own assembles one header at a time."""

    def __init__(self, body: bytes, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        # The framework's own initialiser is what this does without.
        self._start = {"type": "http.response.start", "status": status, "headers": headers}
        self._body = {"type": "http.response.body", "body": body, "more_body": False}

    # What is called so is ASGI, which hands over more than an answer needs.
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        await send(cast(HTTPResponseStartEvent, self._start))
        await send(cast(HTTPResponseBodyEvent, self._body))


def json_bytes(
    body: bytes,
    status: int = 200,
    headers: dict[str, str] | None = None,
    media_type: str = "application/json",
) -> ASGIResponse:
    """An answer whose JSON has been made already; 304 has no body."""
    told = [(name.lower().encode(), value.encode()) for name, value in (headers or {}).items()]
    if status != 304:
        told.append((b"content-type", media_type.encode()))
        told.append((b"content-length", str(len(body)).encode()))
    return Made(body, status, told)


def json(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> ASGIResponse:
    """An answer as JSON."""
    return json_bytes(msgspec.json.encode(value), status, headers)


def own(tag: str) -> dict[str, str]:
    """The headers of an answer that depends on who asks: kept by its reader alone, and checked."""
    return {"ETag": tag, "Cache-Control": "private, no-cache", "Vary": "Authorization"}


def only(request: AnyRequest, *names: str) -> None:
    """Raises Failed for a query parameter that is not one of `names`, or is there twice."""
    asked = [pair.partition("=")[0] for pair in request.url.query.split("&") if pair]
    for name in asked:
        if name not in names or asked.count(name) > 1:
            raise Failed("bad_request", f"these may be asked for, once each: {', '.join(names)}")
