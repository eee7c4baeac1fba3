"""One request and its answer: ASGI on one side, HTTP/1 on the other (RFC 9112)."""

import asyncio
from collections.abc import Iterable
from http import HTTPStatus
from typing import Final, Protocol

from litestar.types import ASGIApp, HTTPScope, Message, ReceiveMessage

from service.http.errors.problems import Failed, problem
from service.http.middleware.cors import RawHeaders
from service.observability import logs
from service.observability.arrival import arrive
from service.server.request_reader import HttpRequest, Refusal

STATUS_LINES = {
    status: f"HTTP/1.1 {status:d} {status.phrase}\r\n".encode() for status in HTTPStatus
}
WITHOUT_BODY = (204, 304)


FAILED: Final = Refusal("internal_error")


class Client(Protocol):
    """What an exchange needs of the connection of its client."""

    transport: asyncio.Transport

    @property
    def takes_bytes(self) -> bool:
        """Whether the client takes what is written."""

    async def drained(self) -> None:
        """Returns when the client takes what is written, or is gone."""

    def headers(self, scope: HTTPScope) -> RawHeaders:
        """The headers of every answer to a request."""

    def answered(self, exchange: "Exchange") -> None:
        """Goes on after an answer that is complete."""


class Exchange:
    """One request and its answer; `over` says whether that is complete or the client gone."""

    def __init__(self, client: Client, request: HttpRequest) -> None:
        self.scope = request.scope
        self.keep_alive = not request.is_last
        self.over = False
        self._client = client
        self._body: bytes | Refusal | None = request.body
        self._gone = asyncio.Event()
        self._began = False
        self._has_body = True
        self._bytes_left: int | None = None
        """Bytes of the answer that are still to come; None if it does not say how many."""

    @property
    def _is_chunked(self) -> bool:
        """Whether the body is sent in chunks. A client of HTTP/1.0 does not know them: there the
        end of the connection is the end of the body."""
        return self._bytes_left is None and self._has_body and self.scope["http_version"] == "1.1"

    def end(self) -> None:
        """The client is gone, or has its answer."""
        self.over = True
        self._gone.set()

    async def run(self, app: ASGIApp) -> None:
        """Lets the application answer."""
        arrive()
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
                self._client.transport.close()

    async def receive(self) -> ReceiveMessage:
        """The whole body, then the end. Raises Failed if the body is refused."""
        body, self._body = self._body, None
        if isinstance(body, Refusal):
            raise Failed(body.code)
        if body is not None:
            return {"type": "http.request", "body": body, "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """Sends a part of the answer, when the client takes it."""
        if not self._client.takes_bytes:
            await self._client.drained()
        if self.over:
            return
        if message["type"] == "http.response.start":
            self._begin(message["status"], message.get("headers", ()))
        elif message["type"] == "http.response.body":
            self._write(message.get("body", b""), more=message.get("more_body", False))

    def refuse(self, refusal: Refusal) -> None:
        """Answers with a refusal, and ends the connection."""
        answer, self.keep_alive = problem(*refusal), False
        self._begin(answer.status, answer.raw_headers)
        self._write(answer.content, more=False)

    def write(self, chunk: bytes) -> bool:
        """Writes a chunk with its HTTP framing, next to the application: what is broadcast to many
        readers goes straight to their connections. Returns False, and writes nothing, if the client
        does not take what was written before, is gone, or cannot be sent chunks."""
        if not self._client.takes_bytes or self.over or not (self._began and self._is_chunked):
            return False
        self._client.transport.write(chunk)
        return True

    def _begin(self, status: int, headers: Iterable[tuple[bytes, bytes]]) -> None:
        """Writes the head of the answer."""
        if self._began:
            raise RuntimeError("the answer has begun already")
        self._began = True
        self._has_body = status not in WITHOUT_BODY and self.scope["method"] != "HEAD"
        lines = [STATUS_LINES[HTTPStatus(status)]]
        for name, value in (*self._client.headers(self.scope), *headers):
            if name == b"content-length":
                self._bytes_left = int(value)
            lines.append(b"%b: %b\r\n" % (name, value))
        if not self.keep_alive:
            lines.append(b"connection: close\r\n")
        if self._is_chunked:
            lines.append(b"transfer-encoding: chunked\r\n")
        head = b"".join(lines)
        if not head.count(b"\r") == head.count(b"\n") == len(lines):
            raise ValueError("a header of the answer has a line break in it")
        self._client.transport.write(head + b"\r\n")

    def _write(self, body: bytes, *, more: bool) -> None:
        if not self._began:
            raise RuntimeError("the answer has not begun")
        if self._is_chunked:
            framed = b"%x\r\n%b\r\n" % (len(body), body) if body else b""
            body = framed if more else framed + b"0\r\n\r\n"
        elif self._bytes_left is not None and self._has_body:
            self._bytes_left -= len(body)
            if self._bytes_left < 0 or (self._bytes_left > 0 and not more):
                raise RuntimeError("the answer is not as long as it says")
        if self._has_body:
            self._client.transport.write(body)
        if not more:
            self.end()
            self._client.answered(self)
