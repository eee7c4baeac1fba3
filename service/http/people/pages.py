"""How a page for people is answered: in the reader's language; and errors as pages, for people who
have opened an address in a browser.

Pages and their files are sent again only if they have changed, and compressed by gzip for those who
accept it (RFC 9110, 8.4 and 12.5.3). Only answers that are the same for everyone are compressed:
where a secret and something that a reader chose are compressed together, the length tells of the
secret.
"""

import asyncio
import gzip
from functools import lru_cache
from typing import Any

import msgspec
from litestar.response.base import ASGIResponse

from service.http.errors.problems import MEDIA_TYPE, AnyRequest, Problem
from service.http.middleware.caching import (
    API,
    CHANGING,
    PAGE,
    content_tag,
    error_headers,
    is_unchanged,
)
from service.http.middleware.page_security import PEOPLE_PAGE, page_headers
from service.http.requests.context import context, root_of
from service.http.requests.request_body import value_of
from service.http.requests.responses import EncodedResponse, json_bytes
from service.observability.work import KIB_OF_PAGE, spend
from service.web.rendering import RenderedPages, rendered
from service.web.texts import Language, language_for

BY_LANGUAGE = "Accept-Language, Cookie"
"""What decides about the language of an answer."""

TOLD = {404: "missing", 429: "busy", 503: "away"}
"""What a reader is told, by the status; `failed` for every other one."""

DAMAGED = "record_altered"

NOT_KEPT = {"Cache-Control": "no-store"}

LEAST = 1_000
"""Bytes; shorter content is sent as it is."""

COMPRESSIBLE = ("text/", "application/json", "image/svg+xml")
"""Beginnings of the media types that are not compressed by themselves."""

KEPT = 128
"""Number of compressed contents that are kept in memory."""

LEVEL = 6

_PROBLEM = msgspec.json.Decoder(Problem)

_PAGES = RenderedPages()
"""Of all applications of this process: the same is filled in with the same everywhere."""


def language_of(request: AnyRequest) -> Language:
    """The language in which to answer: the one chosen on this device by `language.js`, else the
    one that the browser asks for."""
    accepted = value_of(request.scope["headers"], b"accept-language") or b""
    return language_for(accepted.decode("latin-1"), request.cookies.get("language", ""))


def in_language(language: Language) -> dict[str, str]:
    """The headers of what is sent in a language: a browser asks again once another was chosen."""
    return {"Cache-Control": CHANGING, "Vary": BY_LANGUAGE, "Content-Language": language.code}


def frame_values(request: AnyRequest) -> dict[str, Any]:
    """What the frame of every page is filled with. The address at which people reach the service
    is never read from the request, which might name another: the operator may have set it."""
    public_url = context(request).instance.settings.server.public_url
    return {"root": root_of(request), "public_url": public_url, "path": request.scope["path"]}


async def page(
    request: AnyRequest,
    template: str,
    status: int = 200,
    headers: dict[str, str] | None = None,
    **values: Any,
) -> ASGIResponse:
    """A template filled in; `headers` come on top of those of every page."""
    language = language_of(request)
    values |= frame_values(request)
    # In a thread: a page of a long match takes some milliseconds, and the first of its kind more.
    content = await asyncio.to_thread(_PAGES.rendered, template, language, **values)
    spend(KIB_OF_PAGE, len(content) / 1024)
    all_headers = page_headers(PEOPLE_PAGE) | in_language(language) | (headers or {})
    return await asyncio.to_thread(
        page_answer, request, content, headers=all_headers, status=status
    )


async def missing(request: AnyRequest, here: str = "match", **values: Any) -> ASGIResponse:
    """The page that says that there is no such match."""
    return await page(request, "missing.html", 404, here=here, **values)


def page_or_problem(handler: Any, request: AnyRequest, error: Exception) -> EncodedResponse:
    """The answer of an error's handler: in the API with what a cache may do with it, elsewhere as a
    page for clients that ask for HTML by name. Programs get problem documents."""
    response: EncodedResponse = handler(request, error)
    if request.scope["path"].startswith(API):
        headers = {**response.own_headers, **error_headers(request.scope, response.status)}
        return json_bytes(response.content, response.status, headers, MEDIA_TYPE)
    accepted = value_of(request.scope["headers"], b"accept") or b""
    return _page(request, response) if b"text/html" in accepted else response


def _page(request: AnyRequest, response: EncodedResponse) -> EncodedResponse:
    document = _PROBLEM.decode(response.content)
    damaged = document.code == DAMAGED
    message = "damaged" if damaged else TOLD.get(document.status, "failed")
    language = language_of(request)
    content = rendered("error.html", language, told=message, here="", **frame_values(request))
    headers = response.own_headers | page_headers(PEOPLE_PAGE) | in_language(language)
    headers |= {"Vary": f"Accept, {BY_LANGUAGE}"} | NOT_KEPT
    return page_answer(request, content, headers=headers, status=document.status)


def page_answer(
    request: AnyRequest,
    content: bytes,
    media_type: str = "text/html",
    headers: dict[str, str] | None = None,
    status: int = 200,
) -> EncodedResponse:
    """The answer with a page or a file; 304 to a client that has it. It takes milliseconds for a
    long one, so it is made in a thread."""
    all_headers = {"Cache-Control": PAGE, **(headers or {})}
    all_headers["Vary"] = ", ".join(filter(None, (all_headers.get("Vary"), "Accept-Encoding")))
    zips = len(content) >= LEAST and media_type.startswith(COMPRESSIBLE)
    zips = zips and accepts_gzip(value_of(request.scope["headers"], b"accept-encoding"))
    if status == 200:
        tag = content_tag(content)
        # Marked as weak where the bytes are others than those of the content.
        all_headers["ETag"] = f"W/{tag}" if zips else tag
        if is_unchanged(request, tag):
            return json_bytes(b"", 304, all_headers)
    if zips:
        content = _compressed(content)
        all_headers["Content-Encoding"] = "gzip"
    kind = f"{media_type}; charset=utf-8" if media_type.startswith("text/") else media_type
    return json_bytes(content, status, all_headers, kind)


@lru_cache(KEPT)
def _compressed(content: bytes) -> bytes:
    return gzip.compress(content, LEVEL, mtime=0)


def accepts_gzip(accept_encoding: bytes | None) -> bool:
    """Whether a client accepts gzip. One that names neither it nor `*` gets content as it is."""
    weights = dict(_weight(part) for part in (accept_encoding or b"").lower().split(b","))
    return weights.get(b"gzip", weights.get(b"*", False))


def _weight(part: bytes) -> tuple[bytes, bool]:
    """A content coding, and whether its weight is more than nothing."""
    coding, _, weight = part.replace(b" ", b"").partition(b";q=")
    return coding, not weight or weight.strip(b"0.") != b""
