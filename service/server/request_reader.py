"""Bytes in, requests out, on the public interface of httptools: what a client may send at most, and
nothing about time or connections."""

from collections import deque
from typing import Any, Final, Literal, NamedTuple, cast
from urllib.parse import unquote

from httptools import (
    HttpParserError,
    HttpParserInvalidURLError,
    HttpParserUpgrade,
    HttpRequestParser,
    parse_url,
)
from litestar.types import HTTPScope

from service.http.middleware.cors import RawHeaders
from service.http.middleware.limits import (
    ADDRESS_LIMIT,
    BODY_LIMIT,
    HEAD_LIMIT,
    MOST_HEADERS,
    MOST_PARAMETERS,
)

UNREAD_REQUEST: Final = {
    "type": "http", "method": "", "path": "/", "query_string": b"", "http_version": "1.1"
}  # fmt: skip


class Refusal(NamedTuple):
    """The code of the problem with which a request is refused, and its detail."""

    code: str
    detail: str | None = None


BAD_REQUEST: Final = Refusal("bad_request")
NO_HOST: Final = Refusal("bad_request", "a request has exactly one Host header")
"""Two proxies might each believe another of several (RFC 9112, 3.2)."""

HEAD_TOO_LARGE: Final = Refusal("head_too_large")
BODY_TOO_LARGE: Final = Refusal("too_large")


class HttpRequest(NamedTuple):
    """A request that is complete, or refused. If it is `unread` even its head is refused, and only
    some of its headers are known. `is_last` says whether none may follow."""

    scope: HTTPScope
    body: bytes | Refusal
    unread: bool
    is_last: bool


def _is_probe(path: str) -> bool:
    """Whether this is a probe of an orchestrator: many send HTTP/1.0 without a host."""
    return path.strip("/") in ("healthz", "readyz")


class RequestReader:
    """Reads the requests of a connection, each with its whole body, up to the last one.

    What the parser calls are the methods that begin with `on_`. Of a request they keep the head and
    the body. What comes between chunks and after the last one counts as the body does, and is
    ignored: a trailer is no header (RFC 9110, 6.5.1).

    `requests` are those that have been read. `reads` is what is being received, `received` how
    many bytes of that. `continues` says that the client waits for 100 (Continue) before it sends
    a body. `facts` are the same in every scope, `root` the prefix of all paths, which proxies
    may take away."""

    def __init__(self, root: bytes, facts: dict[str, Any]) -> None:
        self.requests: deque[HttpRequest] = deque()
        self.reads: Literal["nothing", "head", "body"] = "head"
        self.received = 0
        self.ended = self.continues = False
        self._root, self._facts = root, facts
        self._parser = HttpRequestParser(self)
        self._scope: HTTPScope | None = None
        self._headers: RawHeaders = []
        self._url, self._body, self._goes_on = b"", bytearray(), False

    @property
    def bytes_held(self) -> int:
        """Bytes held of a request that is not complete."""
        return 0 if self.ended or self.reads == "nothing" else max(self.received, len(self._body))

    def feed(self, data: bytes) -> None:
        """Reads some more bytes."""
        self.received += len(data)
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade):
            self.refuse(BAD_REQUEST)
        if self.reads == "head" and self.received > HEAD_LIMIT:
            self.refuse(HEAD_TOO_LARGE)
        elif self.reads == "body" and self.received > BODY_LIMIT:
            self.refuse(BODY_TOO_LARGE)

    def on_message_begin(self) -> None:
        self.reads, self._scope = "head", None
        self._url, self._headers, self._body = b"", [], bytearray()

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        if self.reads == "head" and not self.ended:
            self._headers.append((name.lower(), value))
            if len(self._headers) > MOST_HEADERS:
                self.refuse(HEAD_TOO_LARGE)

    def on_headers_complete(self) -> None:
        version, parser = self._parser.get_http_version(), self._parser
        self.reads, self.received = "body", 0
        # After a request for another protocol the next bytes may be anything.
        is_http = version == "1.1" and not parser.should_upgrade()
        self._goes_on = is_http and parser.should_keep_alive()
        if not self.ended:
            self._read_head(version)

    def _read_head(self, version: str) -> None:
        values = dict(self._headers)
        hosts = sum(name == b"host" for name, _ in self._headers)
        scope = self._request(version)
        if len(self._url) > ADDRESS_LIMIT or self._url.count(b"&") >= MOST_PARAMETERS:
            self.refuse(HEAD_TOO_LARGE)
        elif scope is None:
            self.refuse(BAD_REQUEST)
        elif hosts != 1 and not (hosts == 0 and version == "1.0" and _is_probe(scope["path"])):
            self.refuse(NO_HOST)
        else:
            self._scope = scope
            if int(values.get(b"content-length", b"0")) > BODY_LIMIT:
                self.refuse(BODY_TOO_LARGE)
            is_waiting = values.get(b"expect", b"").lower() == b"100-continue"
            self.continues = is_waiting and version == "1.1"

    def _request(self, version: str) -> HTTPScope | None:
        """The request as ASGI describes it; None if its address is none."""
        try:
            url = parse_url(self._url)
            below = url.path.removeprefix(self._root)
            raw_path = below if below.startswith(b"/") else url.path
            path = raw_path.decode("ascii")
        except (HttpParserInvalidURLError, AttributeError, UnicodeDecodeError):
            return None
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": version,
            "method": self._parser.get_method().decode("ascii"),
            "scheme": "http",
            "root_path": "",
            "path": unquote(path) if "%" in path else path,
            "raw_path": raw_path,
            "query_string": url.query or b"",
            "headers": self._headers,
            "state": {},
            **self._facts,
        }
        return cast(HTTPScope, scope)

    def on_body(self, body: bytes) -> None:
        if not self.ended:
            self._body += body

    def on_message_complete(self) -> None:
        self.reads, self.received, self.continues = "nothing", 0, False
        if not self.ended:
            self._take(bytes(self._body), is_last=not self._goes_on)

    def refuse(self, refusal: Refusal) -> None:
        """Refuses what is being received, and everything after it."""
        if not self.ended:
            self._take(refusal, is_last=True)

    def _take(self, body: bytes | Refusal, *, is_last: bool) -> None:
        self.ended, self._body = is_last, bytearray()
        scope = self._scope or cast(HTTPScope, {**UNREAD_REQUEST, "headers": self._headers})
        self.requests.append(HttpRequest(scope, body, self._scope is None, is_last))
