"""One request and its answer: ASGI on one side, HTTP/1 on the other (RFC 9112)."""

import asyncio
from collections.abc import Iterable
from http import HTTPStatus
from typing import Protocol

from litestar.types import ASGIApp, HTTPScope, Message, ReceiveMessage

from service.http.cors import RawHeaders
from service.http.problems import Failed
from service.observability import logs
from service.server.refusals import FAILED, Refusal

STATUS_LINES = {each: f"HTTP/1.1 {each:d} {each.phrase}\r\n".encode() for each in HTTPStatus}
WITHOUT_BODY = (204, 304)


class ClientConnection(Protocol):
    """A connection; `takes_bytes` says whether its client takes what is written."""

    transport: asyncio.Transport
    takes_bytes: bool

    async def drained(self) -> None:
        """Returns when the client takes what is written, or is gone."""

    def answered(self, exchange: "Exchange") -> None:
        """The answer is written."""


class Exchange:
    """One request and its answer.

    `received` says whether the whole body is there, `over` whether the answer is complete or the
    client gone. Every answer gets `headers`. With `continues` the client sends the body when it is
    told to.
    """

    def __init__(
        self,
        connection: ClientConnection,
        scope: HTTPScope,
        headers: RawHeaders,
        *,
        keep_alive: bool,
        continues: bool = False,
    ) -> None:
        self.scope = scope
        self.keep_alive = keep_alive
        self.received = self.over = False
        self._refusal: Refusal | None = None
        self._connection = connection
        self._headers = headers
        self._continues = continues and scope["http_version"] == "1.1"
        self._body = bytearray()
        self._body_read = False
        self._changed = asyncio.Event()
        self._began = False
        self._has_body = True
        self._left: int | None = None
        """Bytes of the answer that are still to come; None if it does not say how many."""

    @property
    def _is_chunked(self) -> bool:
        """Whether the body is sent in chunks. A client of HTTP/1.0 does not know them: there the
        end of the connection is the end of the body."""
        return self._left is None and self._has_body and self.scope["http_version"] == "1.1"

    @property
    def _body_ended(self) -> bool:
        return self.received or self._refusal is not None

    def add_body(self, data: bytes) -> int:
        """Adds received bytes of the body; returns how many there are."""
        self._body += data
        return len(self._body)

    def end_body(self, refusal: Refusal | None = None) -> None:
        """The body is complete; or it is refused, and the rest will not be read."""
        self.received, self._refusal = refusal is None, refusal
        if refusal is not None:
            self.keep_alive = False
            self._body.clear()
        self._changed.set()

    def end(self) -> None:
        """The client is gone, or has its answer."""
        self.over = True
        self._changed.set()

    async def run(self, app: ASGIApp) -> None:
        """Lets the application answer."""
        try:
            await app(self.scope, self.receive, self.send)
            if not self.over:
                raise RuntimeError("the application has not answered")
        except Exception as error:  # noqa: BLE001  the client gets an answer whatever fails
            logs.failure("request_failed", error)
            if not (self._began or self.over):
                self.refuse(FAILED)
        finally:
            if not self.over:
                self._connection.transport.close()

    async def receive(self) -> ReceiveMessage:
        """The whole body, then the end. Raises Failed if the body is refused."""
        if self._continues and not (self._began or self._body_ended):
            self._connection.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        self._continues = False
        while not (self.over or (not self._body_read and self._body_ended)):
            self._changed.clear()
            await self._changed.wait()
        if self.over:
            return {"type": "http.disconnect"}
        self._body_read = True
        if self._refusal is not None:
            raise Failed(self._refusal.code)
        return {"type": "http.request", "body": bytes(self._body), "more_body": False}

    async def send(self, message: Message) -> None:
        """Sends a part of the answer, when the client takes it."""
        if not self._connection.takes_bytes:
            await self._connection.drained()
        if self.over:
            return
        if message["type"] == "http.response.start":
            self.begin(message["status"], message.get("headers", ()))
        elif message["type"] == "http.response.body":
            self._write(message.get("body", b""), more=message.get("more_body", False))

    def refuse(self, refusal: Refusal) -> None:
        """Answers with a refusal, at once."""
        if refusal.final:
            self.keep_alive = False
        self.begin(refusal.status, refusal.headers)
        self._write(refusal.body, more=False)

    def begin(self, status: int, headers: Iterable[tuple[bytes, bytes]]) -> None:
        """Writes the head of the answer."""
        if self._began:
            raise RuntimeError("the answer has begun already")
        self._began = True
        self._has_body = status not in WITHOUT_BODY and self.scope["method"] != "HEAD"
        lines = [STATUS_LINES[HTTPStatus(status)]]
        for name, value in (*self._headers, *headers):
            if name == b"content-length":
                self._left = int(value)
            lines.append(b"%b: %b\r\n" % (name, value))
        if not self.keep_alive:
            lines.append(b"connection: close\r\n")
        if self._is_chunked:
            lines.append(b"transfer-encoding: chunked\r\n")
        head = b"".join(lines)
        if not head.count(b"\r") == head.count(b"\n") == len(lines):
            raise ValueError("a header of the answer has a line break in it")
        self._connection.transport.write(head + b"\r\n")

    def write(self, chunk: bytes) -> bool:
        """Writes a chunk with its HTTP framing, beside the application: what is broadcast to many
        readers goes straight to their connections. Returns False, and writes nothing, if the client
        does not take what was written before, is gone, or cannot be sent chunks."""
        if not self._connection.takes_bytes or self.over or not (self._began and self._is_chunked):
            return False
        self._connection.transport.write(chunk)
        return True

    def _write(self, body: bytes, *, more: bool) -> None:
        if not self._began:
            raise RuntimeError("the answer has not begun")
        if self._is_chunked:
            framed = b"%x\r\n%b\r\n" % (len(body), body) if body else b""
            self._connection.transport.write(framed if more else framed + b"0\r\n\r\n")
        elif self._has_body:
            self._count(len(body), more=more)
            self._connection.transport.write(body)
        if not more:
            self.end()
            self._connection.answered(self)

    def _count(self, size: int, *, more: bool) -> None:
        """Raises RuntimeError if the answer is not as long as it said."""
        if self._left is None:
            return
        self._left -= size
        if self._left < 0 or (self._left > 0 and not more):
            raise RuntimeError("the answer is not as long as it says")
