"""A connection between a browser and the service that can be cut at any byte."""

import asyncio
import re
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.support.servers.relay import Relay

STREAM = re.compile(r"GET .*/stream\b")
"""A request of which the answer goes on."""

RESET = struct.pack("ii", 1, 0)
"""Linger for no time (socket(7)): closing resets the connection."""


class CuttingProxy(Relay):
    """Forwards bytes to the service at a port until it is told to cut."""

    def __init__(self, service: int) -> None:
        super().__init__(service)
        self._streaming: set[asyncio.StreamWriter] = set()
        self._halving: set[asyncio.StreamWriter] = set()

    def cut(self) -> None:
        """Resets every connection now."""
        for browser in self.clients:
            self.end(browser)

    def cut_within_next(self) -> None:
        """Resets every stream in the middle of the next bytes that go to the browser, and other
        connections now."""
        self._halving |= self._streaming
        for browser in self.clients - self._streaming:
            self.end(browser)

    def came(self, requests: list[str], client: asyncio.StreamWriter) -> None:
        if any(map(STREAM.match, requests)):
            self._streaming.add(client)

    def cut_behind(self, received: int, client: asyncio.StreamWriter) -> int | None:
        return received // 2 if client in self._halving else None

    def end(self, client: asyncio.StreamWriter) -> None:
        if not client.is_closing():
            connection: socket.socket = client.get_extra_info("socket")
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        client.transport.abort()
        self._streaming.discard(client)
        self._halving.discard(client)


@asynccontextmanager
async def cutting_proxy(service: int) -> AsyncIterator[CuttingProxy]:
    """A proxy to a port of this machine. No connection is left open after it."""
    proxy = CuttingProxy(service)
    await proxy.start()
    try:
        yield proxy
    finally:
        await proxy.stop()
