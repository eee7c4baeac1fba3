"""Connections, and what one of them may cost: nothing that a client sends, or does not read, grows
without bound in memory.

Who is slow is cut off, and comes back without loss: a stream is read on from `after`, an action is
sent again under its `Idempotency-Key`.
"""

import asyncio
import resource
from typing import Any, cast

import msgspec
from litestar.types import ASGIApp, Receive, Scope, Send
from litestar.utils import normalize_path
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from service.http.problems import MEDIA_TYPE, RETRY_AFTER, document
from service.operation.joining import Joining

HEAD_SECONDS = 15.0
BODY_SECONDS = 30.0
UNREAD_SECONDS = 30.0
"""So long a client may take for the head of a request, for its body, and to read anything at all of
what waits for it."""

MOST_UNREAD = 64 * 1024 * 1024
"""So many bytes may wait for readers who do not keep up, before the slowest of them is cut off."""

MOST_BODIES = 1_024
"""So many bodies may be under way at once, before the slowest sender is cut off."""

MOST_REQUESTS = 2_048
"""So many requests may wait for their answers, streams left out, before others are answered 503."""

SLICE = 4 * 1024
"""So much is parsed at once: many small requests sent without waiting for answers remain bytes."""

MOST_CONNECTIONS = 16_384

KEPT_FILES = 256
"""So many open files are left to the store and to everything else that is no connection."""

ALWAYS = ("/healthz", "/readyz")
"""Answered however busy the service is: busy is not dead."""

STREAM = "/stream"
"""What a stream's path ends with, once the router has read it."""

_busy = msgspec.json.encode(document("try_again"))
_busy_head = [
    (b"content-type", MEDIA_TYPE.encode()),
    (b"content-length", str(len(_busy)).encode()),
    (b"retry-after", RETRY_AFTER.encode()),
]
TURNED_AWAY = b"".join(
    [
        b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\n",
        *(b"%b: %b\r\n" % header for header in _busy_head),
        b"\r\n",
        _busy,
    ]
)


class Connections(ServerState):
    """All connections of a server, those first who have kept it waiting longest.

    `unread` is how many bytes wait for each slow reader, `turned_away` how many requests and
    connections there were too many of, `cut_off` how many clients were too slow.
    """

    def __init__(self) -> None:
        super().__init__()
        self.unread: dict[Connection, int] = {}
        self.bytes_unread = 0
        self.bodies: dict[Connection, None] = {}
        self.streams = 0
        self.turned_away = 0
        self.cut_off = 0
        self.most = min(MOST_CONNECTIONS, open_files() - KEPT_FILES)

    @property
    def requests(self) -> int:
        """How many requests are being answered, streams left out."""
        return len(self.tasks) - self.streams

    @property
    def full(self) -> bool:
        """Whether no more requests can be taken."""
        return self.requests - len(self.bodies) >= MOST_REQUESTS

    def not_reading(self, connection: "Connection", size: int) -> None:
        """So much waits for a reader now; 0 if he keeps up."""
        self.bytes_unread += size - self.unread.pop(connection, 0)
        if size:
            self.unread[connection] = size
        while self.bytes_unread > MOST_UNREAD:
            next(iter(self.unread)).cut_off()

    def sending_body(self, connection: "Connection") -> None:
        """A body is under way on the connection."""
        self.bodies[connection] = None
        if len(self.bodies) > MOST_BODIES:
            next(iter(self.bodies)).cut_off()

    def cut_off_the_slow(self, patience: float = 1.0) -> None:
        """To be called every second; at the end with less `patience`."""
        for connection in list(self.connections):
            if isinstance(connection, Connection):
                connection.cut_off_if_slow(patience)


class Connection(HttpToolsProtocol):
    """One connection, bounded in what it may hold and in how long it may hold it."""

    server_state: Connections
    flow: "Flow"

    _owed: tuple[float, float] | None = None
    """Since when the rest of a head or a body is to come, and within how long."""

    _unparsed = memoryview(b"")
    _stuck: tuple[int, float] | None = None
    """How much waited for a slow reader when he last took some, and when that was."""

    _joining: Joining | None = None
    _cycle: RequestResponseCycle | None = None
    """The request that is being answered, or was last; `cycle` is the last that has come."""

    @property
    def answering(self) -> bool:
        """Whether a request is being answered."""
        return self._cycle is not None and not self._cycle.response_complete

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.flow = Flow(transport)
        self._owed = self.loop.time(), HEAD_SECONDS
        if len(self.connections) > self.server_state.most:
            self.server_state.turned_away += 1
            transport.write(TURNED_AWAY)
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        self._unparsed = memoryview(b"")
        if self._cycle is not None:
            # The framework's own tells the last request that came, which may wait behind it.
            self._cycle.disconnected = True
            self._cycle.message_event.set()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if not (self._unparsed or self.pipeline or len(data) > SLICE):
            self.feed(data)
            return
        if self._unparsed:
            data = bytes(self._unparsed) + data
        self._parse(memoryview(data))

    def _parse(self, data: memoryview) -> None:
        """Parses on until requests wait for the answers to earlier ones."""
        while data and not self.pipeline and not self.transport.is_closing():
            self.feed(cast(bytes, data[:SLICE]))
            data = data[SLICE:]
        self._unparsed = data
        self.flow.hold(bool(data) and not self.transport.is_closing())

    def feed(self, data: bytes) -> None:
        """Parses what comes next."""
        super().data_received(data)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._owed = self.loop.time(), HEAD_SECONDS

    def on_headers_complete(self) -> None:
        self._owed = self.loop.time(), BODY_SECONDS
        super().on_headers_complete()
        self.server_state.sending_body(self)

    def on_message_complete(self) -> None:
        self._owed = None
        self.server_state.bodies.pop(self, None)
        super().on_message_complete()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._cycle = cycle
        self._joining = Joining(cycle.transport, self.loop)
        # It does all that a transport does.
        cycle.transport = cast(asyncio.Transport, self._joining)
        # As the router reads it: to it `//v1/matches/.../stream/` is a stream, too.
        path = normalize_path(cycle.scope["path"])
        if path.endswith(STREAM):
            app = _counted(app, self.server_state)
        elif self.server_state.full and path not in ALWAYS:
            self.server_state.turned_away += 1
            app = _turned_away
        super()._start_asgi_task(cycle, app)

    def on_response_complete(self) -> None:
        if self._joining is not None:
            self._joining.flush()
        super().on_response_complete()
        if self._unparsed and not self.pipeline:
            self._parse(self._unparsed)

    def pause_writing(self) -> None:
        super().pause_writing()
        size = self.transport.get_write_buffer_size()
        self._stuck = size, self.loop.time()
        self.server_state.not_reading(self, size)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stuck = None
        self.server_state.not_reading(self, 0)

    def cut_off(self) -> None:
        """Ends the connection, whatever is under way on it."""
        self._forget()
        self.server_state.cut_off += 1
        self.transport.abort()

    def cut_off_if_slow(self, patience: float) -> None:
        """Ends the connection if the client is late with what it has to send or to read."""
        now, owed = self.loop.time(), self._owed
        if self.flow.write_paused or self.transport.is_closing():
            size = self.transport.get_write_buffer_size()
            if self._stuck is None or size < self._stuck[0]:
                self._stuck = size, now
            elif now - self._stuck[1] > patience * UNREAD_SECONDS:
                self.cut_off()
        elif owed is not None and not self.flow.read_paused and now - owed[0] > patience * owed[1]:
            self.cut_off()

    def _forget(self) -> None:
        self.server_state.not_reading(self, 0)
        self.server_state.bodies.pop(self, None)
        self._owed = None


class Flow(FlowControl):
    """Lets nothing be read while there is something left to parse."""

    _held = False

    def hold(self, held: bool) -> None:
        """Whether there is."""
        if held != self._held:
            self._held = held
            (self.pause_reading if held else self.resume_reading)()

    def resume_reading(self) -> None:
        if not self._held:
            super().resume_reading()


def open_files() -> int:
    """How many files this process may have open: from now on as many as it is allowed to ask for,
    within reason."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * MOST_CONNECTIONS
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted


def _counted(app: ASGIApp, connections: Connections) -> ASGIApp:
    """The application, with a live reader more for as long as it runs."""

    async def counted(scope: Scope, receive: Receive, send: Send) -> None:
        connections.streams += 1
        try:
            await app(scope, receive, send)
        finally:
            connections.streams -= 1

    return counted


async def _turned_away(scope: Scope, receive: Receive, send: Send) -> None:
    """503 at once: to wait in memory would help nobody."""
    await send({"type": "http.response.start", "status": 503, "headers": _busy_head})
    await send({"type": "http.response.body", "body": _busy, "more_body": False})
