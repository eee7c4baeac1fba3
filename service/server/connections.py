"""Connections with bounded memory: neither what a client sends nor what it does not read can grow
without limit.

Slow clients are cut off and reconnect without loss: they go on with a stream from `after`, and send
an action again under its `Idempotency-Key`.
"""

import asyncio
from collections import deque
from math import inf
from typing import Any, Final, cast

from litestar.types import ASGIApp, HTTPScope

from service.http.cors import Origins, RawHeaders
from service.http.limits import DISCARD_LIMIT
from service.http.streams import CHUNK_WRITER
from service.server.descriptors import most_connections, open_files
from service.server.exchange import Exchange, Refusal
from service.server.request_reader import Request, RequestReader

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

BUSY: Final = Refusal("try_again")

UNREAD_REQUEST: Final = {
    "type": "http", "method": "", "path": "/", "query_string": b"", "http_version": "1.1"
}  # fmt: skip


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
    """One connection, with limits on its memory and on how long the client may take."""

    transport: asyncio.Transport

    def __init__(self, connections: Connections) -> None:
        self._all = connections
        self._loop = asyncio.get_running_loop()
        self._drained = asyncio.Event()
        self._drained.set()
        self._exchanges: deque[tuple[Exchange, Refusal | None]] = deque()
        """The request being answered, and those that wait behind it; some are refused unseen."""
        self._since = self._loop.time()
        """When what the client is to do next began."""
        self._unparsed, self._paused = b"", False
        self._ends = False
        """Whether nothing that is still received will be read."""
        self._discarded = self._unread = 0
        """Bytes received in vain, and bytes that the client does not read."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        # Of a client that is gone already the system knows no address.
        client = (transport.get_extra_info("peername") or ())[:2] or None
        server = (transport.get_extra_info("sockname") or ())[:2] or None
        self._reader = RequestReader(self._all.root, {"client": client, "server": server})
        self._all.open.add(self)
        if len(self._all.open) > self._all.most:
            self._all.turned_away += 1
            self._enqueue(Request(None, [], BUSY, is_last=True))
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
        self._discarded += len(data)
        if self._discarded > DISCARD_LIMIT:
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
        reader = self._reader
        before = reader.reads
        reader.feed(data)
        if reader.requests or reader.reads != before:
            self._since = self._loop.time()
        requests, reader.requests = reader.requests, []
        for request in requests:
            self._enqueue(request)
        if reader.continues and not self._exchanges:
            self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            reader.continues = False

    # What is answered.

    def _enqueue(self, request: Request) -> None:
        """Takes a request, to be answered behind those before it."""
        self._ends = request.is_last
        origins, scope = self._all.origins, request.scope
        if scope is None:
            scope = cast(HTTPScope, {**UNREAD_REQUEST, "headers": request.headers})
        allowed = origins.headers(scope) if request.headers else origins.unread_headers
        headers = [*self._all.headers, *allowed]
        exchange = Exchange(self, scope, request.body, headers, keep_alive=not request.is_last)
        scope["extensions"] = {CHUNK_WRITER: cast(Any, exchange)}
        refused = cast(Refusal, request.body) if request.scope is None else None
        self._exchanges.append((exchange, refused))
        if len(self._exchanges) == 1:
            self._answer()

    def _answer(self) -> None:
        """Answers the first of the requests: a body that is refused when the application reads
        it."""
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
        self._exchanges.clear()
        if self._reader.reads == "nothing":
            self.transport.close()
        else:
            self.transport.write_eof()

    def shutdown(self) -> None:
        """Ends the connection after what is being answered or received; called again and again
        while the server stops."""
        if self._exchanges:
            self._exchanges[0][0].keep_alive = False
        elif self._reader.reads == "nothing":
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
        size = self._unread + len(self._unparsed) + (0 if self._ends else self._reader.held)
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
        if reads and (self._ends or self._reader.reads == "nothing"):
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
        limits = {"head": HEAD_SECONDS, "body": BODY_SECONDS, "nothing": self._all.keep_alive}
        return limits[self._reader.reads]
