"""Connections with bounded memory: neither what a client sends nor what it does not read can grow
without limit.

Slow clients are cut off and reconnect without loss: they go on with a stream from `after`, and send
an action again under its `Idempotency-Key`.
"""

import asyncio
from math import inf
from typing import Any, Final, cast

from litestar.types import ASGIApp, HTTPScope

from service.http.middleware.cors import AllowedOrigins, RawHeaders
from service.http.middleware.limits import DISCARD_LIMIT
from service.http.requests.event_answers import CHUNK_WRITER
from service.server.descriptors import most_connections, open_files
from service.server.exchange import Exchange
from service.server.request_reader import HttpRequest, Refusal, RequestReader

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


class Connections:
    """All connections of a server, and what they have in common.

    `held` has the bytes held for each slow client, the slowest first. `turned_away` counts
    connections refused because there were too many, `cut_off` clients cut off because they were too
    slow. `most` is the maximum number of connections. Every answer has `headers`, and says what
    `origins` may do with it.
    """

    def __init__(self, app: ASGIApp, origins: AllowedOrigins, root: str, keep_alive: float) -> None:
        self.app = app
        self.origins = origins
        self.root = root.encode()
        self.keep_alive = keep_alive
        self.headers: RawHeaders = []
        self.open: set[Connection] = set()
        self.tasks: set[asyncio.Task[None]] = set()
        self.bytes_by_connection: dict[Connection, int] = {}
        self.bytes_held = self.turned_away = self.cut_off = 0
        self.most = most_connections(open_files())

    def hold(self, connection: "Connection", size: int) -> None:
        """Sets the bytes held for a connection; 0 if its client keeps up."""
        self.bytes_held += size - self.bytes_by_connection.get(connection, 0)
        if size:
            self.bytes_by_connection[connection] = size
        else:
            self.bytes_by_connection.pop(connection, None)
        while self.bytes_held > MOST_HELD:
            next(iter(self.bytes_by_connection)).cut_off()

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
        self._exchange: Exchange | None = None
        """The request being answered; others wait after it in the reader."""
        self._since = self._loop.time()
        """When what the client is to do next began."""
        self._unparsed, self._paused = b"", False
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
            self._reader.refuse(BUSY)
            self._go_on()
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        self._all.open.discard(self)
        self._all.hold(self, 0)
        self._read_no_more()
        if self._exchange is not None:
            self._exchange.end()
        self._drained.set()

    def _read_no_more(self) -> None:
        """Nothing that is still received will be read."""
        self._reader.ended, self._unparsed = True, b""
        self._reader.requests.clear()

    # What is received.

    def data_received(self, data: bytes) -> None:
        if not self._reader.ended:
            self._unparsed = self._unparsed + data if self._unparsed else data
            self._go_on()
            return
        self._discarded += len(data)
        if self._discarded > DISCARD_LIMIT:
            self.cut_off()

    def _go_on(self) -> None:
        """Answers the next request, and parses until there is one: what follows it stays bytes
        until it is answered and the answer read."""
        reader = self._reader
        while self._unparsed and self.takes_bytes and not self._busy and not reader.ended:
            part, self._unparsed = self._unparsed[:PARSE_BYTES], self._unparsed[PARSE_BYTES:]
            before = reader.reads
            reader.feed(part)
            if reader.requests or reader.reads != before:
                self._since = self._loop.time()
            if reader.continues and not reader.requests:
                self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                reader.continues = False
        if reader.ended:
            self._unparsed = b""
        if self._exchange is None and reader.requests:
            self._answer(reader.requests.popleft())
        if bool(self._unparsed) != self._paused and not self.transport.is_closing():
            self._paused = not self._paused
            (self.transport.pause_reading if self._paused else self.transport.resume_reading)()
        self._account()

    # What is answered.

    @property
    def _busy(self) -> bool:
        """Whether a request is being answered, or waits for that."""
        return self._exchange is not None or bool(self._reader.requests)

    def headers(self, scope: HTTPScope) -> RawHeaders:
        """The headers of every answer to a request."""
        return [*self._all.headers, *self._all.origins.headers(scope)]

    def _answer(self, request: HttpRequest) -> None:
        """Answers a request: a body that is refused when the application reads it."""
        if self.transport.is_closing():
            return
        exchange = self._exchange = Exchange(self, request)
        if request.unread:
            exchange.refuse(cast(Refusal, request.body))
            return
        request.scope["extensions"] = {CHUNK_WRITER: cast(Any, exchange)}
        task = self._loop.create_task(exchange.run(self._all.app))
        self._all.tasks.add(task)
        task.add_done_callback(self._all.tasks.discard)

    def answered(self, exchange: Exchange) -> None:
        """Goes on with the next request; after the last one the connection ends, but a client that
        is still sending may read the answer."""
        self._exchange, self._since = None, self._loop.time()
        if self.transport.is_closing():
            return
        if exchange.keep_alive:
            if self._busy or self._unparsed:
                self._loop.call_soon(self._go_on)
            return
        self._read_no_more()
        if self._reader.reads == "nothing":
            self.transport.close()
        else:
            self.transport.write_eof()

    def shutdown(self) -> None:
        """Ends the connection after what is being answered or received; called again and again
        while the server stops."""
        if self._exchange is not None:
            self._exchange.keep_alive = False
        elif self._reader.reads == "nothing" and not self._busy:
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
        self._go_on()

    def _account(self) -> None:
        """Says how many bytes are held for the client."""
        size = self._unread + len(self._unparsed) + self._reader.bytes_held
        if size or self in self._all.bytes_by_connection:
            self._all.hold(self, size)

    def cut_off(self) -> None:
        """Ends the connection at once, even in the middle of a request."""
        self._read_no_more()
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
        if reads and (self._reader.ended or self._reader.reads == "nothing"):
            self.transport.close()
        else:
            self.cut_off()

    def _limit(self, *, reads: bool) -> float:
        """The seconds that the client has for what it is to do next."""
        if not reads:
            return UNREAD_SECONDS
        if self._busy:
            return inf
        if self._reader.ended:
            return DISCARD_SECONDS
        limits = {"head": HEAD_SECONDS, "body": BODY_SECONDS, "nothing": self._all.keep_alive}
        return limits[self._reader.reads]
