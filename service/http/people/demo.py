"""`/demo/{game}`: starts a match between bots and leads to its page.

A form of the lobby asks for it, so it needs no script.
"""

import math
from collections.abc import Iterable

from litestar import Controller, post
from litestar.params import FromPath
from litestar.response.base import ASGIResponse

from domain.games import GAMES
from service.http.context import context, root_of
from service.http.demo import RATE, DemoFull
from service.http.guards import EVERYBODY
from service.http.people.pages import page
from service.http.problems import AnyRequest, Failed
from service.http.rate_limiting import client_address
from service.http.request_body import check_no_body, value_of
from service.http.responses import json_bytes

OWN_SITE = (b"same-origin", b"none")
"""What Fetch Metadata says of a request that no other site has made."""


class DemoPages(Controller):
    """Starting a match between bots."""

    @post("/demo/{game:str}", guards=[EVERYBODY])
    async def start(self, request: AnyRequest, game: FromPath[str]) -> ASGIResponse:
        """Starts a match and answers 303 with the address of its page."""
        await check_no_body(request)
        demo = context(request).demo
        if demo is None or game not in GAMES:
            raise Failed("not_found")
        if not _is_own(request):
            raise Failed("not_allowed")
        wait = await _wait_of(request)
        if wait is not None:
            return await _refused(request, 429, wait)
        try:
            match_id = await demo.start(game)
        except DemoFull as full:
            return await _refused(request, 503, math.ceil(full.seconds))
        headers = {"Location": f"{root_of(request)}/m/{match_id}", "Cache-Control": "no-store"}
        return json_bytes(b"", 303, headers)


def _is_own(request: AnyRequest) -> bool:
    """Whether no other site has made the request: it must not use up what a reader may start.
    Browsers say so by Fetch Metadata where a page came encrypted, and elsewhere by its origin."""
    headers = request.scope["headers"]
    site, origin = value_of(headers, b"sec-fetch-site"), value_of(headers, b"origin")
    if site is not None:
        return site in OWN_SITE
    return origin is None or _is_own_origin(origin, headers)


def _is_own_origin(origin: bytes, headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether the origin is the host that was asked (RFC 6454, section 7). Encrypted or not is not
    compared: a proxy may have taken the encryption off."""
    host = value_of(headers, b"host")
    return bool(host) and origin.partition(b"://")[2] == host


async def _wait_of(request: AnyRequest) -> int | None:
    """For how many seconds the client may start no more; None if it may."""
    guard = context(request).guard
    address = client_address(guard, request.scope)
    return None if address is None else await guard.limiter.count(RATE, f"demo/{address}")


async def _refused(request: AnyRequest, status: int, seconds: int) -> ASGIResponse:
    headers = {"Retry-After": str(seconds), "Cache-Control": "no-store"}
    minutes = math.ceil(seconds / 60)
    return await page(
        request, "demo_refused.html", status, headers, here="lobby", why=status, minutes=minutes
    )
