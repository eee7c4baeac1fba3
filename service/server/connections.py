"""Connections with bounded memory: neither what a client sends nor what it does not read can grow
without limit.

Slow clients are cut off and reconnect without loss: they go on with a stream from `after`, and send
an action again under its `Idempotency-Key`.
"""

from typing import Any, cast

import msgspec
from litestar.types import ASGIApp, Receive, Scope, Send
from litestar.utils import normalize_path
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from service.http.cors import NO_ORIGINS, Origins, RawHeaders, RequestHead
from service.http.page_security import DATA_HEADER
from service.http.problems import MEDIA_TYPE, RETRY_AFTER, document
from service.http.streams import CHUNK_WRITER
from service.server.descriptors import most_connections, open_files
from service.server.refusals import BAD_REQUEST, refuse_host, with_headers
from service.server.response_writer import ResponseWriter

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

ALWAYS_ANSWERED = ("/healthz", "/readyz")
"""Paths that are answered however busy the service is, because busy is not dead."""

STREAM, EVENTS = "/stream", "/events"
"""The ends of the paths of a stream and of events after normalisation."""

_busy = msgspec.json.encode(document("try_again"))
_busy_head = [
    (b"content-type", MEDIA_TYPE.encode()),
    (b"content-length", str(len(_busy)).encode()),
    (b"retry-after", RETRY_AFTER.encode()),
    DATA_HEADER,
]
UNAVAILABLE = b"".join(
    [
        b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\n",
        b"x-content-type-options: nosniff\r\n",
        *(b"%b: %b\r\n" % header for header in _busy_head),
        b"\r\n",
        _busy,
    ]
)


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
            if isinstance(connection, Connection):
                connection.cut_off_if_slow(patience)


class Connection(HttpToolsProtocol):
    """One connection, with limits on its memory and on how long the client may take."""

    server_state: Connections
    flow: "Flow"

    _receiving: tuple[float, float] | None = None
    """When receiving a head or a body began, and its time limit in seconds."""

    _unparsed = memoryview(b"")
    _unread_since: tuple[int, float] | None = None
    """The bytes buffered when a slow reader last read some, and the time of that."""

    _cycle: RequestResponseCycle | None = None
    """The request being answered, or the last one answered; `cycle` is the last one received."""

    takes_bytes = True
    """Whether the client takes what is written."""

    @property
    def answering(self) -> bool:
        """Whether a request is being answered."""
        return self._cycle is not None and not self._cycle.response_complete

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.flow = Flow(transport)
        self._receiving = self.loop.time(), HEAD_SECONDS
        if len(self.connections) > self.server_state.most:
            self.server_state.turned_away += 1
            transport.write(with_headers(UNAVAILABLE, self.server_state.origins.unread_headers))
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        self._unparsed = memoryview(b"")
        if self._cycle is not None:
            # The framework notifies only the last request received, which may wait behind this one.
            self._cycle.disconnected = True
            self._cycle.message_event.set()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if not (self._unparsed or self.pipeline or len(data) > PARSE_BYTES):
            self.feed(data)
            return
        if self._unparsed:
            data = bytes(self._unparsed) + data
        self._parse(memoryview(data))

    def _parse(self, data: memoryview) -> None:
        """Parses until a request has to wait for the response to an earlier one."""
        while data and not self.pipeline and not self.transport.is_closing():
            self.feed(cast(bytes, data[:PARSE_BYTES]))
            data = data[PARSE_BYTES:]
        self._unparsed = data
        self.flow.block(bool(data) and not self.transport.is_closing())

    def feed(self, data: bytes) -> None:
        """Parses the next bytes."""
        super().data_received(data)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._receiving = self.loop.time(), HEAD_SECONDS

    def on_headers_complete(self) -> None:
        self._receiving = self.loop.time(), BODY_SECONDS
        super().on_headers_complete()
        origins, scope = self.server_state.origins, self.cycle.scope
        if origins:
            head = RequestHead(scope["method"], scope["path"], scope["query_string"], self.headers)
            self.cycle.default_headers = [*self.cycle.default_headers, *origins.headers(head)]
        self.server_state.add_body(self)

    def on_message_complete(self) -> None:
        self._receiving = None
        self.server_state.bodies.pop(self, None)
        super().on_message_complete()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._cycle = cycle
        # A request says exactly once for which host it is (RFC 9112, 3.2).
        if sum(name == b"host" for name, _ in cycle.scope["headers"]) != 1:
            super()._start_asgi_task(cycle, cast(Any, refuse_host))
            return
        # Normalised as the router does: `//v1/matches/.../stream/` is a stream, too.
        path = normalize_path(cycle.scope["path"])
        if _is_stream(cycle.scope["method"], path, cycle.scope["query_string"]):
            app = _counting_streams(app, self.server_state)
            extensions = cast(dict[str, Any], cycle.scope.setdefault("extensions", {}))
            extensions[CHUNK_WRITER] = ResponseWriter(self, cycle)
        elif self.server_state.full and path not in ALWAYS_ANSWERED:
            self.server_state.turned_away += 1
            app = _turn_away
        super()._start_asgi_task(cycle, app)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002  the framework's own words
        """Answers what is no HTTP, and closes."""
        headers = [*self.server_state.default_headers, *self.headers_for_origin()]
        self.transport.write(with_headers(BAD_REQUEST, headers))
        self.transport.close()

    def headers_for_origin(self) -> RawHeaders:
        """What the origin of a request may do with its answer, by as much of the request's head as
        has been read."""
        origins = self.server_state.origins
        if not self.headers:
            return origins.unread_headers
        return origins.headers(RequestHead("", "", b"", self.headers))

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._unparsed and not self.pipeline:
            self._parse(self._unparsed)

    def pause_writing(self) -> None:
        super().pause_writing()
        self.takes_bytes = False
        size = self.transport.get_write_buffer_size()
        self._unread_since = size, self.loop.time()
        self.server_state.set_unread(self, size)

    def resume_writing(self) -> None:
        super().resume_writing()
        self.takes_bytes = True
        self._unread_since = None
        self.server_state.set_unread(self, 0)

    def cut_off(self) -> None:
        """Ends the connection at once, even in the middle of a request."""
        self._forget()
        self.takes_bytes = False
        self.server_state.cut_off += 1
        self.transport.abort()

    def cut_off_if_slow(self, patience: float) -> None:
        """Cuts the client off if it is late to send or to read."""
        now, receiving = self.loop.time(), self._receiving
        if self.flow.write_paused or self.transport.is_closing():
            size = self.transport.get_write_buffer_size()
            if self._unread_since is None or size < self._unread_since[0]:
                self._unread_since = size, now
            elif now - self._unread_since[1] > patience * UNREAD_SECONDS:
                self.cut_off()
        elif (
            receiving is not None
            and not self.flow.read_paused
            and now - receiving[0] > patience * receiving[1]
        ):
            self.cut_off()

    def _unsupported_upgrade_warning(self) -> None:
        """Every request is answered as HTTP, whatever it would become; the log need not know."""

    def _forget(self) -> None:
        self.server_state.set_unread(self, 0)
        self.server_state.bodies.pop(self, None)
        self._receiving = None


class Flow(FlowControl):
    """Flow control that stops reading while received bytes are left to parse."""

    _blocked = False

    def block(self, blocked: bool) -> None:
        """Stops reading, or allows it again."""
        if blocked != self._blocked:
            self._blocked = blocked
            (self.pause_reading if blocked else self.resume_reading)()

    def resume_reading(self) -> None:
        if not self._blocked:
            super().resume_reading()


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


async def _turn_away(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers 503 at once, so that the request does not wait in memory."""
    await send({"type": "http.response.start", "status": 503, "headers": _busy_head})
    await send({"type": "http.response.body", "body": _busy, "more_body": False})
