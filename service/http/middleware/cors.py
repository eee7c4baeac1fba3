"""Cross-origin requests (Fetch standard, section 3.2): which pages of other origins may read what.

None by default. A named origin may do everything that its key allows; `*` lets every page read what
needs no key. The origin `null` is never named: any page can have it.
"""

from collections.abc import Iterable
from typing import cast

from litestar.types import ASGIApp, HTTPScope, Receive, Scope, Send

from service.http.middleware.caching import reads_public_address
from service.http.requests.context import query_of
from service.http.requests.request_body import value_of

ANY = "*"

EXPOSED = b"ETag, Date, Retry-After, Idempotent-Replayed, Location, Link, Arbiter-Incarnation"
WITHOUT_KEY = b"Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID"
ALLOWED = b"Authorization, " + WITHOUT_KEY

PREFLIGHT_SECONDS = b"600"
"""For how long a browser remembers what it may send."""

RawHeaders = list[tuple[bytes, bytes]]


class AllowedOrigins:
    """The origins that the operator has named; false if there are none."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        origins = set(names)
        self._any = ANY in origins
        self._origins = frozenset(origin.encode("latin-1") for origin in origins - {ANY})

    def __bool__(self) -> bool:
        return self._any or bool(self._origins)

    def headers(self, request: HTTPScope) -> RawHeaders:
        """The headers of every answer to the request, whatever its status. Of one that was not read
        they are known only where all requests have the same."""
        if not self:
            return []
        origin = value_of(request["headers"], b"origin")
        if not request["headers"] and len(self._origins) == 1:
            [origin] = self._origins
        if is_preflight(request):
            return self._preflight_headers(origin)
        return self._answer_headers(origin, keyless=self._any and _needs_no_key(request))

    def _answer_headers(self, origin: bytes | None, *, keyless: bool) -> RawHeaders:
        if keyless:
            return [_allow_origin(ANY.encode()), (b"access-control-expose-headers", EXPOSED)]
        if not self._origins:
            return []
        if origin is None or origin not in self._origins:
            return [_VARY]
        return [_allow_origin(origin), (b"access-control-expose-headers", EXPOSED), _VARY]

    def _preflight_headers(self, origin: bytes | None) -> RawHeaders:
        vary = [_VARY] if self._origins else []
        if origin is not None and origin in self._origins:
            allowed, methods, headers = origin, b"GET, HEAD, POST, PATCH, DELETE", ALLOWED
        elif self._any:
            allowed, methods, headers = ANY.encode(), b"GET, HEAD", WITHOUT_KEY
        else:
            return vary
        return [
            _allow_origin(allowed),
            (b"access-control-allow-methods", methods),
            (b"access-control-allow-headers", headers),
            (b"access-control-max-age", PREFLIGHT_SECONDS),
            *vary,
        ]


_VARY = (b"vary", b"Origin")


def answering_preflights(app: ASGIApp) -> ASGIApp:
    """The application, with preflights answered before it: they need no key and are not counted.
    What they allow stands in the headers that the server adds to every answer."""

    async def answering(scope: Scope, receive: Receive, send: Send) -> None:
        if not is_preflight(cast(HTTPScope, scope)):
            await app(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    return answering


def is_preflight(request: HTTPScope) -> bool:
    """Whether a browser asks what it may send (Fetch standard, 3.2.2)."""
    if request["method"] != "OPTIONS":
        return False
    names = {name for name, _ in request["headers"]}
    return b"origin" in names and b"access-control-request-method" in names


def _needs_no_key(request: HTTPScope) -> bool:
    """Whether the answer is what anyone gets: the request shows no key and no ticket, or is not
    read for them."""
    if reads_public_address(request):
        return True
    if value_of(request["headers"], b"authorization") is not None:
        return False
    return "ticket" not in query_of(request)


def _allow_origin(origin: bytes) -> tuple[bytes, bytes]:
    return b"access-control-allow-origin", origin
