"""Compression of pages and their files by gzip (RFC 9110, 8.4 and 12.5.3).

Only for answers that are the same for everybody: where a secret and something that a reader chose
are compressed together, the length tells of the secret. Litestar's own compression keeps the entity
tag of what it has not compressed, works on the event loop and sends gzip to clients that refuse it.
"""

import asyncio
import gzip
from functools import lru_cache
from typing import cast

from litestar.types import HTTPResponseBodyEvent, HTTPResponseStartEvent, Scope

from service.http.request_body import value_of
from service.http.whole_answers import Answered, WholeAnswers

Headers = list[tuple[bytes, bytes]]

LEAST = 1_000
"""Bytes; shorter content is sent as it is."""

COMPRESSIBLE = (b"text/", b"application/json", b"image/svg+xml")
"""Beginnings of the media types that are not compressed by themselves."""

KEPT = 128
"""Number of compressed contents that are kept in memory."""

LEVEL = 6


class CompressedPages(WholeAnswers):
    """Compresses whole answers for clients that accept it.

    What is compressed has the entity tag of its content, marked as weak: the bytes are others.
    """

    async def answer(
        self, scope: Scope, start: HTTPResponseStartEvent, body: HTTPResponseBodyEvent
    ) -> Answered:
        """The page, compressed where it pays."""
        headers = _varying(list(start["headers"]))
        accepted = accepts_gzip(value_of(scope["headers"], b"accept-encoding"))
        if accepted and start["status"] == 304:
            known = value_of(scope["headers"], b"if-none-match") or b""
            headers = [
                _weak(header) if b"W/" + header[1] in known else header for header in headers
            ]
        elif accepted and _pays(headers, body):
            content = await asyncio.to_thread(_compressed, body["body"])
            headers = [_weak(header) for header in headers if header[0] != b"content-length"]
            length = str(len(content)).encode()
            headers += [(b"content-encoding", b"gzip"), (b"content-length", length)]
            body = {**body, "body": content}
        return cast(HTTPResponseStartEvent, {**start, "headers": headers}), body


@lru_cache(KEPT)
def _compressed(content: bytes) -> bytes:
    return gzip.compress(content, LEVEL, mtime=0)


def _pays(headers: Headers, body: HTTPResponseBodyEvent) -> bool:
    kind = value_of(headers, b"content-type") or b""
    return len(body["body"]) >= LEAST and not body["more_body"] and kind.startswith(COMPRESSIBLE)


def _weak(header: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    """An entity tag as a weak one; every other header as it is."""
    name, value = header
    return (name, b"W/" + value) if name == b"etag" else header


def _varying(headers: Headers) -> Headers:
    """The headers of an answer that also depends on what the client accepts."""
    others = [value for name, value in headers if name == b"vary"]
    kept = [header for header in headers if header[0] != b"vary"]
    return [*kept, (b"vary", b", ".join([*others, b"Accept-Encoding"]))]


def accepts_gzip(accept_encoding: bytes | None) -> bool:
    """Whether a client accepts gzip. One that names neither it nor `*` gets content as it is."""
    weights = dict(_weight(part) for part in (accept_encoding or b"").lower().split(b","))
    return weights.get(b"gzip", weights.get(b"*", False))


def _weight(part: bytes) -> tuple[bytes, bool]:
    """A content coding, and whether its weight is more than nothing."""
    coding, _, weight = part.replace(b" ", b"").partition(b";q=")
    return coding, not weight or weight.strip(b"0.") != b""
