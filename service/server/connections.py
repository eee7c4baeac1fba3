"""Connections with bounded memory: neither what a client sends nor what it does not read can grow
without limit.

Slow clients are cut off and reconnect without loss: they go on with a stream from `after`, and send
an action again under its `Idempotency-Key`.
"""

import asyncio
from collections import deque
from math import inf
from typing import Any, Final, cast
from urllib.parse import unquote

from httptools import (
    HttpParserError,
    HttpParserInvalidURLError,
    HttpParserUpgrade,
    HttpRequestParser,
    parse_url,
)
from litestar.types import ASGIApp, HTTPScope

from service.http.cors import Origins, RawHeaders
from service.http.limits import (
    ADDRESS_LIMIT,
    BODY_LIMIT,
    DISCARD_LIMIT,
    HEAD_LIMIT,
    MOST_HEADERS,
    MOST_PARAMETERS,
)
from service.http.rate_limiting import is_health
from service.http.streams import CHUNK_WRITER
from service.server.descriptors import most_connections, open_files
from service.server.exchange import Exchange, Refusal

HEAD_SECONDS = 15.0
BODY_SECONDS = 30.0
UNREAD_SECONDS = 30.0
DISCARD_SECONDS = 5.0
"""Time limits for a client to send the head of a request, to send its body, to read anything of
what is buffered for it, and to read an answer that came before the whole request."""

MOST_HELD = 64 * 1024 * 1024
"""Maximum bytes held for clients that have not sent the rest of a request, or do not read; beyond
it the slowest of them is cut off."""

PARSE_BYTES = 4 * 1024
"""Maximum bytes parsed at once: many small pipelined requests stay bytes until it is their turn."""

BAD_REQUEST: Final = Refusal("bad_request")
NO_HOST: Final = Refusal("bad_request", "a request has exactly one Host header")
"""Two proxies might each believe another of several (RFC 9112, 3.2)."""

HEAD_TOO_LARGE: Final = Refusal("head_too_large")
BODY_TOO_LARGE: Final = Refusal("too_large")
BUSY: Final = Refusal("try_again")


class Connections:
    """All connections of a server, and what they have in common.

    `held` has the bytes held for each slow client, the slowest first. `turned_away` counts
    connections refused because there were too many, `cut_off` clients cut off because they were too
    slow. `most` is the maximum number of connections. Every answer has `headers`, and says what
    `origins` may do with it.
    """

    def __init__(self, app: ASGIApp, origins: Origins, root: str, keep_alive: float) -> None:
        self.app = app
        self.origins = origins
        self.root = root.encode()
        self.keep_alive = keep_alive
        self.headers: RawHeaders = []
        self.open: set[Connection] = set()
        self.tasks: set[asyncio.Task[None]] = set()
        self.held: dict[Connection, int] = {}
        self.bytes_held = self.turned_away = self.cut_off = 0
        self.most = most_connections(open_files())

    def hold(self, connection: "Connection", size: int) -> None:
        """Sets the bytes held for a connection; 0 if its client keeps up."""
        self.bytes_held += size - self.held.get(connection, 0)
        if size:
            self.held[connection] = size
        else:
            self.held.pop(connection, None)
        while self.bytes_held > MOST_HELD:
            next(iter(self.held)).cut_off()

    def cut_off_the_slow(self, patience: float = 1.0) -> None:
        """Cuts off slow clients; called every second. `patience` is the fraction of their time
        limits that they get, less while the server stops."""
        for connection in list(self.open):
            connection.cut_off_if_slow(patience)


class Connection(asyncio.Protocol):
    """One connection, with limits on its memory and on how long the client may take.

    What the parser calls are the methods that begin with `on_`. Of a request it keeps the head and
    the body. What comes between chunks and behind the last one counts as the body does, and is
    ignored: a trailer is no header (RFC 9110, 6.5.1).
    """

    transport: asyncio.Transport

    def __init__(self, connections: Connections) -> None:
        self._all = connections
        self._loop = asyncio.get_running_loop()
        self._parser = HttpRequestParser(self)
        self._drained = asyncio.Event()
        self._drained.set()
        self._exchanges: deque[tuple[Exchange, Refusal | None]] = deque()
        """The request being answered, and those that wait behind it; some are refused unseen."""
        self._since = self._loop.time()
        """When what the client is to do next began."""
        self._receiving = True
        """Whether a request is begun and not complete; a new connection is one."""
        self._ends = self._goes_on = False
        """Whether nothing that is still received will be read; whether another request may come."""
        self._received = self._unread = 0
        """Bytes of the head or of the body with all that frames it, then those discarded; and bytes
        that the client does not read."""
        self._unparsed, self._paused = b"", False
        self._scope: HTTPScope | None = None
        self._url, self._headers, self._body = b"", cast(RawHeaders, []), bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        # Of a client that is gone already the system knows no address.
        self.client = (transport.get_extra_info("peername") or ())[:2] or None
        self._server = (transport.get_extra_info("sockname") or ())[:2] or None
        self._all.open.add(self)
        if len(self._all.open) > self._all.most:
            self._all.turned_away += 1
            self._refuse(BUSY)
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        self._all.open.discard(self)
        self._all.hold(self, 0)
        self._ends, self._unparsed = True, b""
        for exchange, _ in self._exchanges:
            exchange.end()
        self._drained.set()

    # What is received.

    def data_received(self, data: bytes) -> None:
        if not self._ends:
            self._unparsed = self._unparsed + data if self._unparsed else data
            self._parse()
            return
        self._received += len(data)
        if self._received > DISCARD_LIMIT:
            self.cut_off()

    def _parse(self) -> None:
        """Parses until a request is complete: what is behind it stays bytes until it is answered
        and the answer read."""
        while self._unparsed and self.takes_bytes and not (self._exchanges or self._ends):
            part, self._unparsed = self._unparsed[:PARSE_BYTES], self._unparsed[PARSE_BYTES:]
            self._feed(part)
        if self._ends:
            self._unparsed = b""
        if bool(self._unparsed) != self._paused and not self.transport.is_closing():
            self._paused = not self._paused
            (self.transport.pause_reading if self._paused else self.transport.resume_reading)()
        self._account()

    def _feed(self, data: bytes) -> None:
        self._received += len(data)
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade):
            self._refuse(BAD_REQUEST)
        if self._receiving and self._received > (BODY_LIMIT if self._scope else HEAD_LIMIT):
            self._refuse(BODY_TOO_LARGE if self._scope else HEAD_TOO_LARGE)

    def on_message_begin(self) -> None:
        self._receiving, self._since = True, self._loop.time()
        self._scope = None
        self._url, self._headers, self._body = b"", [], bytearray()

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._scope is None and not self._ends:
            self._headers.append((name.lower(), value))
            if len(self._headers) > MOST_HEADERS:
                self._refuse(HEAD_TOO_LARGE)

    def on_headers_complete(self) -> None:
        self._received, self._since = 0, self._loop.time()
        version, parser = self._parser.get_http_version(), self._parser
        # Nobody knows what a client sends that wanted something else than HTTP.
        is_new = version == "1.1" and not parser.should_upgrade()
        self._goes_on = is_new and parser.should_keep_alive()
        refusal = None if self._ends else self._read_head(version)
        if refusal is not None:
            self._refuse(refusal)

    def _read_head(self, version: str) -> Refusal | None:
        """Reads the head of a request; returns why it is refused."""
        if len(self._url) > ADDRESS_LIMIT or self._url.count(b"&") >= MOST_PARAMETERS:
            return HEAD_TOO_LARGE
        try:
            scope = self._request(version)
        except (HttpParserInvalidURLError, AttributeError, UnicodeDecodeError):
            return BAD_REQUEST
        values = dict(self._headers)
        hosts = sum(name == b"host" for name, _ in self._headers)
        # The HTTP/1.0 of many balancers has no host.
        if hosts != 1 and not (hosts == 0 and version == "1.0" and is_health(scope["path"])):
            return NO_HOST
        self._scope = scope
        if int(values.get(b"content-length", b"0")) > BODY_LIMIT:
            return BODY_TOO_LARGE
        is_waited_for = values.get(b"expect", b"").lower() == b"100-continue"
        if is_waited_for and version == "1.1" and not self._exchanges:
            self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        return None

    def _request(self, version: str) -> HTTPScope:
        """The request as ASGI describes it."""
        url = parse_url(self._url)
        # Proxies may take the prefix away or leave it.
        below = url.path.removeprefix(self._all.root)
        raw_path = below if below.startswith(b"/") else url.path
        path = raw_path.decode("ascii")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": version,
            "method": self._parser.get_method().decode("ascii"),
            "scheme": "http",
            "server": self._server,
            "client": self.client,
            "root_path": "",
            "path": unquote(path) if "%" in path else path,
            "raw_path": raw_path,
            "query_string": url.query or b"",
            "headers": self._headers,
            "state": {},
        }
        return cast(HTTPScope, scope)

    def on_body(self, body: bytes) -> None:
        if not self._ends:
            self._body += body

    def on_message_complete(self) -> None:
        self._receiving, self._received = False, 0
        if not self._ends:
            self._ends = not self._goes_on
            self._enqueue(bytes(self._body))

    def _refuse(self, refusal: Refusal) -> None:
        """Refuses what is being received, and everything behind it: a head when all before it is
        answered, a body when the application reads it."""
        if not self._ends:
            self._ends, self._received = True, 0
            self._enqueue(refusal)

    # What is answered.

    def _enqueue(self, body: bytes | Refusal) -> None:
        unread = {"type": "http", "method": "", "path": "/", "query_string": b""}
        unread |= {"http_version": "1.1", "headers": self._headers}
        scope = self._scope or cast(HTTPScope, unread)
        origins, refused = self._all.origins, None if self._scope else cast(Refusal, body)
        known = self._scope or self._headers
        headers = [
            *self._all.headers,
            *(origins.headers(scope) if known else origins.unread_headers),
        ]
        exchange = Exchange(self, scope, body, headers, keep_alive=not self._ends)
        scope["extensions"] = {CHUNK_WRITER: cast(Any, exchange)}
        self._exchanges.append((exchange, refused))
        if len(self._exchanges) == 1:
            self._answer()

    def _answer(self) -> None:
        """Answers the first of the requests."""
        if self.transport.is_closing():
            return
        exchange, refused = self._exchanges[0]
        if refused is not None:
            exchange.refuse(refused)
            return
        task = self._loop.create_task(exchange.run(self._all.app))
        self._all.tasks.add(task)
        task.add_done_callback(self._all.tasks.discard)

    def answered(self, exchange: Exchange) -> None:
        """Goes on with the next request; after the last one the connection ends, but a client that
        is still sending may read the answer."""
        self._exchanges.popleft()
        self._since = self._loop.time()
        if self.transport.is_closing():
            return
        if exchange.keep_alive:
            if self._exchanges or self._unparsed:
                self._loop.call_soon(self._answer if self._exchanges else self._parse)
            return
        self._ends = True
        if self._receiving:
            self.transport.write_eof()
        else:
            self.transport.close()

    def shutdown(self) -> None:
        """Ends the connection after what is being answered or received; called again and again
        while the server stops."""
        if self._exchanges:
            self._exchanges[0][0].keep_alive = False
        elif not self._receiving:
            self.transport.close()

    # Clients that take their time.

    @property
    def takes_bytes(self) -> bool:
        """Whether the client takes what is written."""
        return self._drained.is_set()

    async def drained(self) -> None:
        """Returns when the client takes what is written, or is gone."""
        await self._drained.wait()

    def pause_writing(self) -> None:
        self._drained.clear()
        self._since, self._unread = self._loop.time(), self.transport.get_write_buffer_size()
        self._account()

    def resume_writing(self) -> None:
        self._drained.set()
        self._since, self._unread = self._loop.time(), 0
        self._parse()

    def _account(self) -> None:
        """Says how many bytes are held for the client."""
        size = self._unread + len(self._unparsed)
        if self._receiving and not self._ends:
            size += max(self._received, len(self._body))
        if size or self in self._all.held:
            self._all.hold(self, size)

    def cut_off(self) -> None:
        """Ends the connection at once, even in the middle of a request."""
        self._ends, self._unparsed = True, b""
        self._drained.clear()
        self._all.hold(self, 0)
        self._all.cut_off += 1
        self.transport.abort()

    def cut_off_if_slow(self, patience: float) -> None:
        """Cuts the client off if it is late to send or to read; one that only sends no further
        request is not slow."""
        now, reads = self._loop.time(), self.takes_bytes and not self.transport.is_closing()
        if not reads:
            size = self.transport.get_write_buffer_size()
            if size < self._unread or not self._unread:
                self._unread, self._since = size, now
        if now - self._since <= patience * self._limit(reads=reads):
            return
        if reads and (self._ends or not self._receiving):
            self.transport.close()
        else:
            self.cut_off()

    def _limit(self, *, reads: bool) -> float:
        """The seconds that the client has for what it is to do next."""
        if not reads:
            return UNREAD_SECONDS
        if self._exchanges:
            return inf
        if self._ends:
            return DISCARD_SECONDS
        if self._receiving:
            return BODY_SECONDS if self._scope else HEAD_SECONDS
        return self._all.keep_alive
