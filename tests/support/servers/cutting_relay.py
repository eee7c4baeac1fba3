"""Connections between clients and a server on this machine that can be cut at any byte."""

import asyncio
import re
import socket
import struct
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress

from tests.support.servers.live_server import Live

REQUEST = re.compile(rb"^([A-Z]+) (\S+) HTTP/1\.1\r$", re.MULTILINE)
STREAM = re.compile(r"GET .*/stream\b")
"""A request of which the answer goes on."""

RESET = struct.pack("ii", 1, 0)
"""Linger for no time (socket(7)): closing resets the connection."""


class CuttingRelay:
    """Forwards bytes between its clients and the server at a port until it is told to cut. The n-th
    request that matches a pattern of `limits` has its connection closed after the n-th of these
    numbers of bytes that come back; `cuts` is how many were. `requests` are all that came, as in
    "GET /v1/…"."""

    def __init__(self, port: int, limits: Mapping[str, Sequence[int]] | None = None) -> None:
        self._port = port
        self._limits = {pattern: list(behind) for pattern, behind in (limits or {}).items()}
        self._left: dict[asyncio.StreamWriter, int] = {}
        self._listener: asyncio.Server | None = None
        self._carried: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._streaming: set[asyncio.StreamWriter] = set()
        self._halving: set[asyncio.StreamWriter] = set()
        self.requests: list[str] = []
        self.cuts = 0

    async def start(self) -> None:
        """Listens at a free port from now on."""
        self._listener = await asyncio.start_server(self._carry, "127.0.0.1", 0)

    @property
    def url(self) -> str:
        assert self._listener is not None, "the relay has not started"
        return f"http://127.0.0.1:{self._listener.sockets[0].getsockname()[1]}"

    async def stop(self) -> None:
        """Cuts every connection. All are closed when it returns."""
        assert self._listener is not None, "the relay has not started"
        self._listener.close()
        while self._carried:
            for client in self._carried.values():
                client.transport.abort()
            await asyncio.wait(self._carried)

    def cut(self) -> None:
        """Resets every connection now."""
        for client in self._carried.values():
            self._reset(client)

    def cut_within_next(self) -> None:
        """Resets every stream in the middle of the next bytes that go to its client, and other
        connections now."""
        self._halving |= self._streaming
        for client in self._carried.values():
            if client not in self._streaming:
                self._reset(client)

    def _reset(self, client: asyncio.StreamWriter) -> None:
        if not client.is_closing():
            connection: socket.socket = client.get_extra_info("socket")
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        client.transport.abort()

    async def _carry(self, reader: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        """Carries one connection until either side closes it. Both are closed when it returns."""
        task = asyncio.current_task()
        assert task is not None
        self._carried[task] = client
        try:
            from_server, server = await asyncio.open_connection("127.0.0.1", self._port)
            try:
                async with asyncio.TaskGroup() as both:
                    both.create_task(self._forward(reader, server, client))
                    both.create_task(self._answer(from_server, client, server))
            finally:
                await _closed(server)
        finally:
            await _closed(client)
            self._streaming.discard(client)
            self._halving.discard(client)
            del self._carried[task]

    async def _forward(
        self,
        reader: asyncio.StreamReader,
        server: asyncio.StreamWriter,
        client: asyncio.StreamWriter,
    ) -> None:
        with suppress(ConnectionError):
            while sent := await reader.read(65_536):
                lines = [f"{m.decode()} {path.decode()}" for m, path in REQUEST.findall(sent)]
                self.requests += lines
                if any(map(STREAM.match, lines)):
                    self._streaming.add(client)
                for pattern, behind in self._limits.items():
                    if behind and any(re.search(pattern, one) for one in lines):
                        self._left[client] = behind.pop(0)
                server.write(sent)
        server.close()
        client.close()

    async def _answer(
        self,
        reader: asyncio.StreamReader,
        client: asyncio.StreamWriter,
        server: asyncio.StreamWriter,
    ) -> None:
        with suppress(ConnectionError):
            while sent := await reader.read(65_536):
                left = self._left.get(client)
                if client in self._halving:
                    client.write(sent[: len(sent) // 2])
                    await client.drain()
                    self._reset(client)
                    break
                client.write(sent[:left])
                if left is not None and len(sent) >= left:
                    await client.drain()
                    self.cuts += 1
                    del self._left[client]
                    break
                if left is not None:
                    self._left[client] = left - len(sent)
        client.close()
        server.close()


async def _closed(writer: asyncio.StreamWriter) -> None:
    """Closes a connection, and waits until it is. Its last bytes need not arrive."""
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()


@contextmanager
def cutting(live: Live, limits: Mapping[str, Sequence[int]]) -> Iterator[CuttingRelay]:
    """A relay before a live server, on its loop. No connection is left open after it."""
    relay = CuttingRelay(live.port, limits)
    asyncio.run_coroutine_threadsafe(relay.start(), live.loop).result(10)
    try:
        yield relay
    finally:
        asyncio.run_coroutine_threadsafe(relay.stop(), live.loop).result(10)


@asynccontextmanager
async def cutting_relay(port: int) -> AsyncIterator[CuttingRelay]:
    """A relay to a port of this machine. No connection is left open after it."""
    relay = CuttingRelay(port)
    await relay.start()
    try:
        yield relay
    finally:
        await relay.stop()
