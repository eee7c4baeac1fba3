"""Requests to an application without a network: thousands take seconds."""

import asyncio
from typing import NamedTuple
from urllib.parse import urlencode

import msgspec
from litestar.types import ASGIApp, HTTPReceiveMessage, HTTPScope, Message, Scope

STREAMS = (b"text/event-stream", b"application/x-ndjson")


class Request(NamedTuple):
    """What is sent; `key` goes into the header."""

    method: str
    path: str
    query: dict[str, str]
    key: str | None = None
    body: bytes = b""


class Reply(NamedTuple):
    """What is answered; of a stream, which is left at once, `body` is only the number after which
    it begins."""

    status: int
    body: bytes

    @property
    def code(self) -> str | None:
        """The code of a problem."""
        problem = self.status >= 400 and self.body
        return str(msgspec.json.decode(self.body)["code"]) if problem else None


class _Exchange:
    """One request under way."""

    def __init__(self, body: bytes) -> None:
        self.status, self.body = 0, b""
        self._left = asyncio.Event()
        self._unread: list[bytes] = [body]
        self._streams = False

    async def receive(self) -> HTTPReceiveMessage:
        if self._unread:
            return {"type": "http.request", "body": self._unread.pop(), "more_body": False}
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            kind = dict(message["headers"]).get(b"content-type", b"")
            self._streams = kind.startswith(STREAMS)
        elif message["type"] == "http.response.body" and not self._left.is_set():
            # The first line of a stream is by chance: when to come back after a cut.
            self.body += message["body"].partition(b"\n")[2] if self._streams else message["body"]
            if self._streams or not message.get("more_body"):
                self._left.set()


async def answered(app: ASGIApp, request: Request) -> Reply:
    """The application's answer."""
    exchange = _Exchange(request.body)
    await app(_scope(request), exchange.receive, exchange.send)
    return Reply(exchange.status, exchange.body)


def _scope(request: Request) -> Scope:
    authorization = f"Bearer {request.key}".encode()
    # The framework's type names fields that servers leave out.
    scope: HTTPScope = {  # type: ignore[typeddict-item]
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": "http",
        "path": request.path,
        "raw_path": request.path.encode(),
        "root_path": "",
        "query_string": urlencode(request.query).encode(),
        "headers": [] if request.key is None else [(b"authorization", authorization)],
        "client": None,
        "server": None,
        "state": {},
        "extensions": {},
    }
    return scope
