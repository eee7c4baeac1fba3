"""Pages and their files: sent again only if they have changed, and compressed by gzip for those who
accept it (RFC 9110, 8.4 and 12.5.3).

Only answers that are the same for everyone are compressed: where a secret and something that a
reader chose are compressed together, the length tells of the secret.
"""

import gzip
from functools import lru_cache

from service.http.errors.problems import AnyRequest
from service.http.middleware.caching import PAGE, content_tag, is_unchanged
from service.http.requests.request_body import value_of
from service.http.requests.responses import EncodedResponse, json_bytes

LEAST = 1_000
"""Bytes; shorter content is sent as it is."""

COMPRESSIBLE = ("text/", "application/json", "image/svg+xml")
"""Beginnings of the media types that are not compressed by themselves."""

KEPT = 128
"""Number of compressed contents that are kept in memory."""

LEVEL = 6


def page_answer(
    request: AnyRequest,
    content: bytes,
    media_type: str = "text/html",
    headers: dict[str, str] | None = None,
    status: int = 200,
) -> EncodedResponse:
    """The answer with a page or a file; 304 to a client that has it. It takes milliseconds for a
    long one, so it is made in a thread."""
    given = {"Cache-Control": PAGE, **(headers or {})}
    given["Vary"] = ", ".join(filter(None, (given.get("Vary"), "Accept-Encoding")))
    zips = len(content) >= LEAST and media_type.startswith(COMPRESSIBLE)
    zips = zips and accepts_gzip(value_of(request.scope["headers"], b"accept-encoding"))
    if status == 200:
        tag = content_tag(content)
        # Marked as weak where the bytes are others than those of the content.
        given["ETag"] = f"W/{tag}" if zips else tag
        if is_unchanged(request, tag):
            return json_bytes(b"", 304, given)
    if zips:
        content = _compressed(content)
        given["Content-Encoding"] = "gzip"
    kind = f"{media_type}; charset=utf-8" if media_type.startswith("text/") else media_type
    return json_bytes(content, status, given, kind)


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
