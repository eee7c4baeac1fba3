"""Connections with bounded memory: neither what a client sends nor what it does not read can grow
without limit.

Slow clients are cut off and reconnect without loss: they go on with a stream from `after`, and send
an action again under its `Idempotency-Key`.
"""

import asyncio
from collections import deque
from typing import Any, cast
from urllib.parse import unquote

import uvicorn
from httptools import (
    HttpParserCallbackError,
    HttpParserError,
    HttpParserInvalidURLError,
    HttpParserUpgrade,
    HttpRequestParser,
    parse_url,
)
from litestar.types import ASGIApp, HTTPScope, Receive, Scope, Send
from litestar.utils import normalize_path
from uvicorn.server import ServerState

from service.http.cors import NO_ORIGINS, Origins, RawHeaders
from service.http.limits import (
    ADDRESS_LIMIT,
    BODY_LIMIT,
    DISCARD_LIMIT,
    HEAD_LIMIT,
    MOST_HEADERS,
    MOST_PARAMETERS,
)
from service.http.streams import CHUNK_WRITER
from service.server.descriptors import most_connections, open_files
from service.server.exchange import Exchange
from service.server.refusals import (
    BAD_REQUEST,
    BODY_TOO_LARGE,
    BUSY,
    HEAD_TOO_LARGE,
    NO_HOST,
    Refusal,
)

HEAD_SECONDS = 15.0
BODY_SECONDS = 30.0
UNREAD_SECONDS = 30.0
"""Time limits for a client to send the head of a request, to send its body, and to read anything of
what is buffered for it."""

MOST_UNREAD = 64 * 1024 * 1024
"""Maximum bytes buffered for slow readers; beyond it the slowest of them is cut off."""

MOST_BODIES = 1_024
"""Maximum number of request bodies being received; beyond it the slowest sender is cut off."""

MOST_REQUESTS = 2_048
"""Maximum number of requests being answered, not counting streams; others are answered 503."""

PARSE_BYTES = 4 * 1024
"""Maximum bytes parsed at once: many small pipelined requests stay bytes until it is their turn."""

DISCARD_SECONDS = 5.0
"""For how long, after an answer, the rest of a request is discarded that nobody will read: a client
that is cut off while it sends may never see the answer."""

ALWAYS_ANSWERED = ("/healthz", "/readyz")
"""Paths that are answered however busy the service is, because busy is not dead, and without a
`Host`, because the HTTP/1.0 of many balancers has none."""

STREAM, EVENTS = "/stream", "/events"
"""The ends of the paths of a stream and of events after normalisation."""


class Connections(ServerState):
    """All connections of a server, and its limits.

    `unread` has the bytes buffered for each slow reader, the slowest first. `turned_away` counts
    the requests and connections refused because there were too many, `cut_off` the clients cut off
    because they were too slow. `most` is the maximum number of connections. Every answer says what
    `origins` may do with it.
    """

    def __init__(self, origins: Origins = NO_ORIGINS) -> None:
        super().__init__()
        self.origins = origins
        self.connections: set[Connection] = set()  # type: ignore[assignment]  # not the framework's
        self.unread: dict[Connection, int] = {}
        self.bytes_unread = 0
        self.bodies: dict[Connection, None] = {}
        self.streams = 0
        self.turned_away = 0
        self.cut_off = 0
        self.most = most_connections(open_files())

    @property
    def requests(self) -> int:
        """The number of requests being answered, not counting streams."""
        return len(self.tasks) - self.streams

    @property
    def full(self) -> bool:
        """Whether the maximum number of requests is being answered."""
        return self.requests - len(self.bodies) >= MOST_REQUESTS

    def set_unread(self, connection: "Connection", size: int) -> None:
        """Sets the bytes buffered for a reader; 0 if it keeps up."""
        self.bytes_unread += size - self.unread.pop(connection, 0)
        if size:
            self.unread[connection] = size
        while self.bytes_unread > MOST_UNREAD:
            next(iter(self.unread)).cut_off()

    def add_body(self, connection: "Connection") -> None:
        """Notes that the connection receives a body."""
        self.bodies[connection] = None
        if len(self.bodies) > MOST_BODIES:
            next(iter(self.bodies)).cut_off()

    def cut_off_the_slow(self, patience: float = 1.0) -> None:
        """Cuts off slow clients; called every second. `patience` is the fraction of their time
        limits that they get, less while the server stops."""
        for connection in list(self.connections):
            connection.cut_off_if_slow(patience)


class Refused(Exception):
    """A request that no application gets to see."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.status)
        self.refusal = refusal


class Connection(asyncio.Protocol):
    """One connection, with limits on its memory and on how long the client may take.

    What the parser calls are the methods that begin with `on_`. Of a request it keeps the head and
    the body. What comes between chunks and behind the last one counts as the body does, and is
    ignored: a trailer is no header (RFC 9110, 6.5.1).
    """

    transport: asyncio.Transport
    client: tuple[str, int] | None

    takes_bytes = True
    """Whether the client takes what is written."""

    _size = 0
    """Bytes received of the head, or of the body with all that frames it; then those discarded."""

    _unparsed = memoryview(b"")
    _paused = False

    _discards = False
    """Whether nothing that is still received will be read."""

    _has_head = False
    """Whether the head of a request is complete, and more of the request is to come."""

    _body_of: Exchange | None = None
    """The request whose body is being received."""

    _receiving: tuple[float, float] | None = None
    """When receiving a head or a body began, or waiting for the next request, and its time limit in
    seconds."""

    _idle = False
    """Whether the next request is waited for."""

    _unread_since: tuple[int, float] | None = None
    """The bytes buffered when a slow reader last read some, and the time of that."""

    # The signature is that of the framework's own protocols.
    def __init__(
        self,
        config: uvicorn.Config,
        server_state: Connections,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        self.loop = _loop or asyncio.get_running_loop()
        self._app = cast(ASGIApp, config.loaded_app)
        self._root = config.root_path.encode()
        self._idle_seconds = config.timeout_keep_alive
        self._state = server_state
        self._app_state = app_state
        self._parser = HttpRequestParser(self)
        self._url = b""
        self._headers: RawHeaders = []
        self._requests: deque[tuple[Exchange, ASGIApp | Refusal]] = deque()
        """The request being answered, and those that wait behind it."""
        self._drained = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        # Of a client that is gone already the system knows no address.
        self.client = (transport.get_extra_info("peername") or ())[:2] or None
        self._server = (transport.get_extra_info("sockname") or ())[:2] or None
        self._receiving = self.loop.time(), HEAD_SECONDS
        self._state.connections.add(self)
        if len(self._state.connections) > self._state.most:
            self._state.turned_away += 1
            self._refuse(BUSY)
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        self._state.connections.discard(self)
        self._forget()
        self._discards, self._unparsed = True, memoryview(b"")
        for exchange, _ in self._requests:
            exchange.end()
        self._drained.set()

    # What is received.

    def data_received(self, data: bytes) -> None:
        if self._discards:
            self._size += len(data)
            if self._size > DISCARD_LIMIT:
                self.cut_off()
        else:
            self._parse(memoryview(bytes(self._unparsed) + data if self._unparsed else data))

    def _parse(self, data: memoryview) -> None:
        """Parses until a request has to wait for the response to an earlier one."""
        self._unparsed = memoryview(b"")
        while data and len(self._requests) < 2 and not self._discards:
            self._feed(data[:PARSE_BYTES])
            data = data[PARSE_BYTES:]
        self._unparsed = memoryview(b"") if self._discards else data
        if bool(self._unparsed) != self._paused and not self.transport.is_closing():
            self._paused = not self._paused
            (self.transport.pause_reading if self._paused else self.transport.resume_reading)()

    def _feed(self, data: memoryview) -> None:
        """Parses the next bytes. Behind the last request of a connection there may be anything."""
        self._size += len(data)
        try:
            self._parser.feed_data(cast(bytes, data))
        except HttpParserCallbackError as error:
            if not isinstance(error.__context__, Refused):
                raise
            self._refuse(error.__context__.refusal)
        except (HttpParserError, HttpParserUpgrade):
            self._refuse(BAD_REQUEST)
        if self._body_of is None and self._size > HEAD_LIMIT:
            self._refuse(HEAD_TOO_LARGE)
        elif self._body_of is not None and self._size > BODY_LIMIT:
            self._refuse(BODY_TOO_LARGE)

    def on_message_begin(self) -> None:
        if self._discards:
            raise Refused(BAD_REQUEST)
        self._receiving, self._idle = (self.loop.time(), HEAD_SECONDS), False
        self._url, self._headers = b"", []

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._has_head:
            self._headers.append((name.lower(), value))
            if len(self._headers) > MOST_HEADERS:
                raise Refused(HEAD_TOO_LARGE)

    def on_headers_complete(self) -> None:
        self._receiving, self._size = (self.loop.time(), BODY_SECONDS), 0
        scope, values = self._scope(), dict(self._headers)
        self._has_head = True
        exchange = Exchange(
            self,
            scope,
            [*self._state.default_headers, *self._state.origins.headers(scope)],
            keep_alive=self._may_go_on(),
            continues=values.get(b"expect", b"").lower() == b"100-continue",
        )
        self._body_of = exchange
        self._enqueue(exchange, self._app)
        if self._body_of is not None:
            self._state.add_body(self)
        if int(values.get(b"content-length", b"0")) > BODY_LIMIT:
            self._refuse(BODY_TOO_LARGE)

    def on_body(self, body: bytes) -> None:
        if self._body_of is not None and self._body_of.add_body(body) > BODY_LIMIT:
            self._refuse(BODY_TOO_LARGE)

    def on_message_complete(self) -> None:
        self._has_head = False
        exchange = self._body_of
        if exchange is not None:
            self._no_body()
            self._discards = not exchange.keep_alive
            exchange.end_body()
            self._wait_for_next()
        elif not self._requests:
            self.transport.close()  # It is refused, and nothing of it is still to come.

    def _no_body(self) -> None:
        """No body is being received any more."""
        self._receiving, self._size, self._body_of = None, 0, None
        self._state.bodies.pop(self, None)

    def _refuse(self, refusal: Refusal) -> None:
        """Refuses what is being received, and everything behind it: a head when all before it is
        answered, a body when the application reads it."""
        if self._discards:
            return
        exchange = self._body_of
        self._no_body()
        self._discards = True
        if exchange is None:
            self._refuse_head(refusal)
        elif exchange.over:
            self._end(exchange)
        else:
            exchange.end_body(refusal)

    def _refuse_head(self, refusal: Refusal) -> None:
        nothing = {"type": "http", "method": "", "path": "/", "query_string": b""}
        unread = cast(HTTPScope, {**nothing, "http_version": "1.1", "headers": self._headers})
        origins = self._state.origins
        known = origins.headers(unread) if self._headers else origins.unread_headers
        headers = [*self._state.default_headers, *known]
        self._enqueue(Exchange(self, unread, headers, keep_alive=False), refusal)

    def _scope(self) -> HTTPScope:
        """The request as ASGI describes it. Raises Refused for an address that is too long, or
        none."""
        if len(self._url) > ADDRESS_LIMIT or self._url.count(b"&") >= MOST_PARAMETERS:
            raise Refused(HEAD_TOO_LARGE)
        try:
            url = parse_url(self._url)
            # Proxies may take the prefix away or leave it.
            below = url.path.removeprefix(self._root)
            raw_path = below if below.startswith(b"/") else url.path
            path = raw_path.decode("ascii")
        except (HttpParserInvalidURLError, AttributeError, UnicodeDecodeError):
            raise Refused(BAD_REQUEST) from None
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": self._parser.get_http_version(),
            "method": self._parser.get_method().decode("ascii"),
            "scheme": "http",
            "server": self._server,
            "client": self.client,
            "root_path": "",
            "path": unquote(path) if "%" in path else path,
            "raw_path": raw_path,
            "query_string": url.query or b"",
            "headers": self._headers,
            "state": self._app_state.copy(),
        }
        return cast(HTTPScope, scope)

    def _may_go_on(self) -> bool:
        """Whether another request may follow. One that would become something else is answered as
        HTTP, and nobody knows what its client sends next."""
        parser = self._parser
        is_new = parser.get_http_version() == "1.1"
        return is_new and parser.should_keep_alive() and not parser.should_upgrade()

    # What is answered.

    def _enqueue(self, exchange: Exchange, answer: ASGIApp | Refusal) -> None:
        self._requests.append((exchange, answer))
        if len(self._requests) == 1:
            self._answer_next()

    def _answer_next(self) -> None:
        """Answers the first of the requests."""
        if not self._requests or self.transport.is_closing():
            return
        exchange, answer = self._requests[0]
        if not isinstance(answer, Refusal):
            answer = self._admitted(exchange, answer)
        if isinstance(answer, Refusal):
            exchange.refuse(answer)
            return
        task = self.loop.create_task(exchange.run(answer))
        self._state.tasks.add(task)
        task.add_done_callback(self._state.tasks.discard)

    def _admitted(self, exchange: Exchange, app: ASGIApp) -> ASGIApp | Refusal:
        """What answers the request: the application, if it gets to see it."""
        scope = exchange.scope
        # Normalised as the router does: `//v1/matches/.../stream/` is a stream, too.
        path = normalize_path(scope["path"])
        hosts = sum(name == b"host" for name, _ in scope["headers"])
        is_probe = path in ALWAYS_ANSWERED
        if hosts != 1 and not (hosts == 0 and is_probe and scope["http_version"] == "1.0"):
            return NO_HOST
        if _is_stream(scope["method"], path, scope["query_string"]):
            scope["extensions"] = {CHUNK_WRITER: cast(Any, exchange)}
            return _counting_streams(app, self._state)
        if self._state.full and not is_probe:
            self._state.turned_away += 1
            return BUSY
        return app

    def answered(self, exchange: Exchange) -> None:
        """Goes on with the next request; after the last one the connection ends."""
        self._requests.popleft()
        if self.transport.is_closing():
            return
        if not exchange.keep_alive:
            self._end(exchange)
            return
        if self._requests:
            self.loop.call_soon(self._answer_next)
        if self._unparsed:
            self._parse(self._unparsed)
        self._wait_for_next()

    def _wait_for_next(self) -> None:
        """Limits the time until the next request, if none is there or being received."""
        if not self._requests and self._receiving is None:
            self._receiving, self._idle = (self.loop.time(), self._idle_seconds), True

    def _end(self, last: Exchange) -> None:
        """Ends the connection, but lets a client that is still sending read the answer."""
        self._discards = True
        if last.received:
            self.transport.close()
            return
        self._no_body()
        self.transport.write_eof()
        self.loop.call_later(DISCARD_SECONDS, self.transport.close)

    def shutdown(self) -> None:
        """Ends the connection after what is being answered; called when the server stops."""
        if self._requests:
            self._requests[-1][0].keep_alive = False
        else:
            self.transport.close()

    # Clients that take their time.

    def pause_writing(self) -> None:
        self.takes_bytes = False
        self._drained.clear()
        size = self.transport.get_write_buffer_size()
        self._unread_since = size, self.loop.time()
        self._state.set_unread(self, size)

    def resume_writing(self) -> None:
        self.takes_bytes = True
        self._drained.set()
        self._unread_since = None
        self._state.set_unread(self, 0)

    async def drained(self) -> None:
        """Returns when the client takes what is written, or is gone."""
        await self._drained.wait()

    def cut_off(self) -> None:
        """Ends the connection at once, even in the middle of a request."""
        self._forget()
        self.takes_bytes, self._discards = False, True
        self._state.cut_off += 1
        self.transport.abort()

    def cut_off_if_slow(self, patience: float) -> None:
        """Cuts the client off if it is late to send or to read."""
        now, receiving = self.loop.time(), self._receiving
        if not self.takes_bytes or self.transport.is_closing():
            size = self.transport.get_write_buffer_size()
            if self._unread_since is None or size < self._unread_since[0]:
                self._unread_since = size, now
            elif now - self._unread_since[1] > patience * UNREAD_SECONDS:
                self.cut_off()
        elif (
            receiving is not None
            and not self._paused
            and now - receiving[0] > patience * receiving[1]
        ):
            if self._idle:
                self.transport.close()
            else:
                self.cut_off()

    def _forget(self) -> None:
        self._state.set_unread(self, 0)
        self._no_body()


def _is_stream(method: str, path: str, query: bytes) -> bool:
    """Whether a request is for a live stream, or waits for an event as a stream does."""
    if method != "GET":
        return False
    return path.endswith(STREAM) or (path.endswith(EVENTS) and b"wait=" in query)


def _counting_streams(app: ASGIApp, connections: Connections) -> ASGIApp:
    """The application, counted as a stream while it runs."""

    async def counted(scope: Scope, receive: Receive, send: Send) -> None:
        connections.streams += 1
        try:
            await app(scope, receive, send)
        finally:
            connections.streams -= 1

    return counted
