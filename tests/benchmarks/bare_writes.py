"""A server that does nothing but write: what it is sent goes to every connection that watches.

`GET` opens a stream, `POST` is answered when its body has been written to all of them: the least
that any server of streams does, with the same event loop as the service.
"""

import asyncio
import sys
from typing import cast

import uvloop

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"
DONE = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"

watching: set[asyncio.Transport] = set()


class BareConnection(asyncio.Protocol):
    """One connection."""

    def __init__(self) -> None:
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def connection_lost(self, exc: Exception | None) -> None:
        watching.discard(self._transport)

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, end, body = self._received.partition(b"\r\n\r\n")
        if not end:
            return
        if head.startswith(b"POST"):
            length = int(head.partition(b"Content-Length: ")[2].split(b"\r\n")[0])
            if len(body) < length:
                return
            for transport in watching:
                transport.write(body)
            self._transport.write(DONE)
        else:
            if not head.startswith(b"GET /healthz"):
                watching.add(self._transport)
                self._transport.write(HEAD)
            else:
                self._transport.write(DONE)
        self._received = b""


async def _serve(port: int) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(BareConnection, "127.0.0.1", port, backlog=2048)
    await server.serve_forever()


if __name__ == "__main__":
    # The first argument is the folder that every server of the benchmarks is given.
    uvloop.run(_serve(int(sys.argv[2])))
