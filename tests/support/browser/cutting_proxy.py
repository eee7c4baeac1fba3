"""A connection between a browser and the service that can be cut at any byte."""

import asyncio
import re
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

REQUEST = re.compile(rb"^([A-Z]+) (\S+) HTTP/1\.1\r$", re.MULTILINE)

STREAM = re.compile(rb"/(stream|play)\b")
"""A path of which the answer goes on: a stream or a WebSocket."""

RESET = struct.pack("ii", 1, 0)
"""Linger for no time (socket(7)): closing resets the connection."""


class CuttingProxy:
    """Forwards bytes to the service at a port. `requests` has the method and the path of each
    request that has come through."""

    def __init__(self, service: int) -> None:
        self._service = service
        self._browsers: set[asyncio.StreamWriter] = set()
        self._streaming: set[asyncio.StreamWriter] = set()
        self._halving: set[asyncio.StreamWriter] = set()
        self.requests: list[str] = []
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def cut(self) -> None:
        """Resets every connection now."""
        for browser in list(self._browsers):
            _reset(browser)

    def cut_within_next(self) -> None:
        """Resets every stream in the middle of the next bytes that go to the browser, and other
        connections now."""
        self._halving |= self._streaming
        for browser in self._browsers - self._streaming:
            _reset(browser)

    async def carry(
        self, from_browser: asyncio.StreamReader, browser: asyncio.StreamWriter
    ) -> None:
        """Carries one connection until either side closes it."""
        from_service, service = await asyncio.open_connection("127.0.0.1", self._service)
        self._browsers.add(browser)
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(self._requests(from_browser, service, browser))
                both.create_task(self._answers(from_service, browser, service))
        finally:
            for each in (self._browsers, self._streaming, self._halving):
                each.discard(browser)

    async def _requests(
        self,
        reader: asyncio.StreamReader,
        service: asyncio.StreamWriter,
        browser: asyncio.StreamWriter,
    ) -> None:
        with suppress(ConnectionError):
            while sent := await reader.read(65_536):
                found = REQUEST.findall(sent)
                self.requests += [f"{m.decode()} {path.decode()}" for m, path in found]
                if any(m == b"GET" and STREAM.search(path) for m, path in found):
                    self._streaming.add(browser)
                service.write(sent)
        service.close()
        browser.close()

    async def _answers(
        self,
        reader: asyncio.StreamReader,
        browser: asyncio.StreamWriter,
        service: asyncio.StreamWriter,
    ) -> None:
        with suppress(ConnectionError):
            while sent := await reader.read(65_536):
                if browser in self._halving:
                    browser.write(sent[: len(sent) // 2])
                    await browser.drain()
                    _reset(browser)
                    break
                browser.write(sent)
        browser.close()
        service.close()


@asynccontextmanager
async def cutting_proxy(service: int) -> AsyncIterator[CuttingProxy]:
    """A proxy to a port of this machine."""
    proxy = CuttingProxy(service)
    server = await asyncio.start_server(proxy.carry, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        proxy.cut()


def _reset(writer: asyncio.StreamWriter) -> None:
    connection: socket.socket = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    writer.transport.abort()
