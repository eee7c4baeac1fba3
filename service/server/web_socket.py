"""A WebSocket (RFC 6455) on a connection of the server, after the handshake.

The library reads the frames of the client, answers its pings and closes as the standard has it.
What is sent is written to the connection directly: frames from a server have no mask, so the bytes
of one frame serve all who read the same.
"""

import asyncio
from collections import deque
from typing import Any, Protocol, cast

from litestar.types import ASGIApp, HTTPResponseStartEvent, Message, Receive, Scope, Send
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle
from websockets.frames import Frame, Opcode
from websockets.protocol import OPEN, SERVER
from websockets.protocol import Protocol as Frames

from service.http.cors import Origins
from service.http.play_frames import FRAME_LIMIT
from service.http.play_session import WEB_SOCKET

MOST_WAITING = 16
"""Maximum messages that wait to be received; until then no more are read from the connection."""

PARSE_BYTES = 4 * 1024
"""Maximum bytes parsed at once: many small frames stay bytes until it is their turn."""

CLOSE_SECONDS = 5.0
"""How long a client gets to answer a close frame."""

MOST_HELD = 8
"""Maximum chunks that wait to be written together with an answer."""

SILENT_SECONDS = 60.0
"""How long a client may be silent: it is sent a ping every 15 seconds, and answers by itself."""

UNSUPPORTED, TOO_SLOW = 1003, 1013
"""Close codes: for binary frames, and for clients that do not read."""


class Wire(Protocol):
    """The connection of a WebSocket; `takes_bytes` is whether its client takes what is written."""

    flow: Any
    takes_bytes: bool
    transport: asyncio.Transport


class WebSocket:
    """An open WebSocket. `heard` is the time of the loop at which the client was last heard of."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._frames = Frames(SERVER, max_size=FRAME_LIMIT)
        self._loop = asyncio.get_running_loop()
        self._unparsed = memoryview(b"")
        self._fragments: list[bytes] = []
        self._messages: deque[bytes] = deque()
        self._held: list[bytes] | None = None
        self._receiving = True
        self._news = asyncio.Event()
        self.heard = self._loop.time()

    @property
    def open(self) -> bool:
        """Whether neither side has closed it."""
        return self._frames.state is OPEN and not self._wire.transport.is_closing()

    async def receive(self) -> bytes | None:
        """The next message; None when there will be no more."""
        while not self._messages:
            if not self._receiving:
                return None
            self._news.clear()
            await self._news.wait()
        message = self._messages.popleft()
        if self._unparsed:
            self.parse()
        return message

    def write(self, chunk: bytes) -> bool:
        """Writes frames. Returns False, and writes nothing, if the client does not take what was
        written before, or is gone."""
        if not (self._wire.takes_bytes and self.open):
            return False
        if self._held is None:
            self._wire.transport.write(chunk)
        else:
            self._held.append(chunk)
            if len(self._held) >= MOST_HELD:
                self._release()
        return True

    def hold(self) -> None:
        """Keeps what is written until something is sent, which follows soon: one system call does
        for both."""
        if self._held is None:
            self._held = []

    async def send(self, chunk: bytes) -> None:
        """Writes frames when the client has taken what was written before, unless it is gone."""
        flow: FlowControl = self._wire.flow
        if flow.write_paused:
            await flow.drain()
        self._release(chunk)

    def _release(self, chunk: bytes = b"") -> None:
        """Writes what was held, and then the chunk."""
        held, self._held = self._held or [], None
        if self.open and (held or chunk):
            self._wire.transport.write(b"".join([*held, chunk]) if held else chunk)

    def stop_receiving(self) -> None:
        """Ignores what the client sends from now on; what has been received is still handed out."""
        self._receiving = False
        self._news.set()

    def close(self, code: int, reason: str = "") -> None:
        """Closes it; what was received and not handed out is forgotten."""
        self._messages.clear()
        self._release()
        self.stop_receiving()
        if self.open:
            self._frames.send_close(code, reason)
            self._flush()
            self._loop.call_later(CLOSE_SECONDS, self._wire.transport.close)

    def received(self, data: bytes) -> None:
        """Takes bytes from the connection."""
        self.heard = self._loop.time()
        self._unparsed = memoryview(bytes(self._unparsed) + data if self._unparsed else data)
        self.parse()

    def parse(self) -> None:
        """Parses what has been received until too many messages wait, or the client does not read:
        then it is not read, either."""
        while self._unparsed and not self._full:
            data, self._unparsed = self._unparsed[:PARSE_BYTES], self._unparsed[PARSE_BYTES:]
            self._frames.receive_data(bytes(data))
            for event in self._frames.events_received():
                self._take(cast(Frame, event))
            self._flush()
        self._wire.flow.block(bool(self._unparsed))

    @property
    def _full(self) -> bool:
        return len(self._messages) >= MOST_WAITING or self._wire.flow.write_paused

    def _take(self, frame: Frame) -> None:
        if frame.opcode is Opcode.BINARY:
            self.close(UNSUPPORTED, "text frames only")
        elif frame.opcode in (Opcode.TEXT, Opcode.CONT) and self._receiving:
            self._fragments.append(bytes(frame.data))
            if frame.fin:
                self._messages.append(b"".join(self._fragments))
                self._fragments = []
                self._news.set()

    def _flush(self) -> None:
        """Writes what the library has to say. An empty chunk is the end: whoever has not read the
        reason yet is given time to."""
        transport = self._wire.transport
        for data in self._frames.data_to_send():
            if transport.is_closing():
                break
            if data:
                transport.write(data)
            else:
                transport.write_eof()
                self._loop.call_later(CLOSE_SECONDS, transport.close)
        if self._frames.state is not OPEN:
            self.stop_receiving()


class Upgrade:
    """What a request may become a WebSocket by: an ASGI extension (`WEB_SOCKET`)."""

    def __init__(self, wire: Wire, cycle: RequestResponseCycle, origins: Origins) -> None:
        self._wire = wire
        self._cycle = cycle
        self._origins = origins
        self.web_socket: WebSocket | None = None

    def allows(self, origin: bytes | None) -> bool:
        """Whether pages of this origin may open a WebSocket; programs send no origin."""
        return origin is None or self._origins.named(origin)

    def switched(self) -> WebSocket:
        """The WebSocket, once the head of the answer 101 has been sent."""
        self.web_socket = WebSocket(self._wire)
        return self.web_socket

    def write_head(self, head: HTTPResponseStartEvent) -> None:
        """Writes the head of the answer 101, which has no body and no length."""
        self._cycle.response_started = True
        headers = [*self._cycle.default_headers, *head["headers"]]
        lines = b"".join(b"%b: %b\r\n" % (name, value) for name, value in headers)
        if not self._wire.transport.is_closing():
            self._wire.transport.write(b"HTTP/1.1 101 Switching Protocols\r\n%b\r\n" % lines)

    def end(self) -> None:
        """The request has been answered."""
        if self.web_socket is not None:
            self._cycle.response_complete = True


def upgradable(app: ASGIApp, upgrade: Upgrade) -> ASGIApp:
    """The application, which may answer 101 to this request."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 101:
                upgrade.write_head(message)
            else:
                await send(message)

        extensions = cast(dict[str, Any], scope.setdefault("extensions", {}))
        extensions[WEB_SOCKET] = upgrade
        try:
            await app(scope, receive, sending)
        finally:
            upgrade.end()

    return answer
