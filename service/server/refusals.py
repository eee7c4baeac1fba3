"""Answers to what is no request: below the framework, and as problem documents."""

import msgspec
from litestar.types import Receive, Scope, Send

from service.http.cors import RawHeaders
from service.http.page_security import DATA_HEADER
from service.http.problems import MEDIA_TYPE, document

_not_understood = msgspec.json.encode(document("bad_request"))
BAD_REQUEST = (
    b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\n%b: %b\r\n"
    b"content-type: %b\r\ncontent-length: %d\r\n\r\n%b"
    % (*DATA_HEADER, MEDIA_TYPE.encode(), len(_not_understood), _not_understood)
)

_no_host = msgspec.json.encode(document("bad_request", "a request has exactly one Host header"))
_no_host_head = [
    (b"content-type", MEDIA_TYPE.encode()),
    (b"content-length", str(len(_no_host)).encode()),
    (b"connection", b"close"),
    DATA_HEADER,
]


def with_headers(response: bytes, headers: RawHeaders) -> bytes:
    """A response with more headers."""
    status_line, _, rest = response.partition(b"\r\n")
    return b"".join([status_line, b"\r\n", *(b"%b: %b\r\n" % each for each in headers), rest])


async def refuse_host(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers 400: two proxies might each believe another of several hosts."""
    await send({"type": "http.response.start", "status": 400, "headers": _no_host_head})
    await send({"type": "http.response.body", "body": _no_host, "more_body": False})
