"""What caches may keep: the public's history under addresses that name it, and the pages.

An address with an explicit `as=public` has the same answer for everyone: the key of a request for
it is not read, neither by its route nor by the rate limiter. Everything else of a match is private.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, cast

from litestar.response.base import ASGIResponse
from litestar.types import Scope

from service.http.errors.problems import AnyRequest
from service.http.requests.context import context, query_of
from service.http.requests.request_body import JSON, value_of
from service.http.requests.request_form import options_of
from service.http.requests.responses import (
    incarnation_header,
    json_bytes,
    parse_tags,
    private_headers,
)

API = "/v1/"

CHANGING = "public, max-age=1"
"""For what may be different a second later."""

HISTORY = "public, max-age=31536000, immutable"
"""For a page of events that others follow: it never changes."""

POSITION = "public, max-age=86400"
"""For what is asked for at a position. Its tag changes with the release, which may show it
differently."""

NOT_SHARED = {"X-Accel-Expires": "0"}
"""For an answer before its time, because the service stops: nginx gives it to one reader alone, and
asks another worker for the others."""

CURRENT = "public, no-cache"
"""For a view at the end: caches ask each time whether it is still the end."""

VIEW = f"{POSITION}, s-maxage=300"
"""For a view at a position: names are in it. When one is withheld, a cache that others share shows
it no longer than a page of events with a name; a browser may show what its reader has seen."""

PAGE = "public, max-age=300"
"""For pages and their files: after five minutes a browser asks whether they are still the same."""

SAME_FOR_ALL = (400, 404, 409)
"""Statuses of errors that depend on the address alone."""


def reads_public_address(scope: Scope) -> bool:
    """Whether a request's address names the public as the audience of a view or of events, or
    belongs to the public alone."""
    route = cast(dict[str, Any], scope).get("route_handler")
    public = None if route is None else options_of(route).public
    if public is None or public == "alone" or not scope["query_string"]:
        return public == "alone"
    return query_of(scope).getall("as", []) == ["public"]


def is_unchanged(request: AnyRequest, tag: str) -> bool:
    """Whether the client has what the tag names. Proxies that compress mark a tag as weak."""
    header = value_of(request.scope["headers"], b"if-none-match")
    tags = parse_tags(None if header is None else header.decode("latin-1"))
    return tags is not None and (tag in tags or "*" in tags)


def unless_known(
    request: AnyRequest, tag: str, headers: dict[str, str], body: bytes, media_type: str = JSON
) -> ASGIResponse:
    """The answer that the tag names; 304 to a client that has it."""
    if is_unchanged(request, tag):
        return json_bytes(b"", 304, headers)
    return json_bytes(body, 200, headers, media_type)


def of_history(
    request: AnyRequest,
    tag: str,
    body: bytes,
    lasting: Mapping[str, str] | None = None,
    media_type: str = JSON,
) -> ASGIResponse:
    """The answer that the tag of a history names. `lasting` says for how long anyone may keep it;
    without that it is for its key alone."""
    caching_headers = private_headers(tag) if lasting is None else {"ETag": tag, **lasting}
    headers = {**caching_headers, **incarnation_header(context(request).instance)}
    return unless_known(request, tag, headers, body, media_type)


def error_headers(scope: Scope, status: int) -> Mapping[str, str]:
    """The headers of an error. At a public address no one gets another one, so a cache in front
    answers for the service, and those who wait at the cache are not let through one by one."""
    if status in SAME_FOR_ALL and reads_public_address(scope):
        return {"Cache-Control": CHANGING}
    return private_headers()


def content_tag(content: bytes) -> str:
    """The entity tag of a page or file: it changes with the content."""
    return f'"{sha256(content).hexdigest()[:32]}"'
