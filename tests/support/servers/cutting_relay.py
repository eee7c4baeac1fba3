"""A relay before a server that resets connections behind chosen numbers of bytes."""

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from tests.support.browser.cutting_proxy import REQUEST
from tests.support.servers.live_server import Live

REFUSAL = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class CuttingRelay:
    """Forwards bytes to a server. The n-th request ("GET /v1/…") that matches a pattern of
    `limits` has its connection cut behind the n-th of these numbers of bytes that come back.
    Requests that `refused` matches are not forwarded. `requests` are all that came, `cuts` is how
    many connections were cut."""

    def __init__(self, port: int, limits: Mapping[str, Sequence[int]], refused: str | None) -> None:
        self._server_port = port
        self._limits = {pattern: list(behind) for pattern, behind in limits.items()}
        self._refused = refused
        self._left: dict[asyncio.StreamWriter, int] = {}
        self.requests: list[str] = []
        self.cuts = 0
        self.url = ""

    async def carry(self, reader: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        """Carries one connection until either side closes it."""
        from_server, server = await asyncio.open_connection("127.0.0.1", self._server_port)
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(self._requests(reader, server, client))
                both.create_task(self._answers(from_server, client, server))
        finally:
            self._left.pop(client, None)

    async def _requests(
        self,
        reader: asyncio.StreamReader,
        server: asyncio.StreamWriter,
        client: asyncio.StreamWriter,
    ) -> None:
        with suppress(ConnectionError):
            while sent := await reader.read(65_536):
                found = [f"{m.decode()} {path.decode()}" for m, path in REQUEST.findall(sent)]
                self.requests += found
                if self._refused and any(re.search(self._refused, one) for one in found):
                    client.write(REFUSAL)
                    break
                for pattern, behind in self._limits.items():
                    if behind and any(re.search(pattern, one) for one in found):
                        self._left[client] = behind.pop(0)
                server.write(sent)
        server.close()
        client.close()

    async def _answers(
        self,
        reader: asyncio.StreamReader,
        client: asyncio.StreamWriter,
        server: asyncio.StreamWriter,
    ) -> None:
        with suppress(ConnectionError):
            while sent := await reader.read(65_536):
                left = self._left.get(client)
                if left is not None and len(sent) >= left:
                    client.write(sent[:left])
                    await client.drain()
                    self.cuts += 1
                    break
                if left is not None:
                    self._left[client] = left - len(sent)
                client.write(sent)
        client.close()
        server.close()


@contextmanager
def cutting(
    live: Live, limits: Mapping[str, Sequence[int]], refused: str | None = None
) -> Iterator[CuttingRelay]:
    """A relay before a live server, on its loop."""
    relay = CuttingRelay(live.port, limits, refused)

    async def start() -> asyncio.Server:
        return await asyncio.start_server(relay.carry, "127.0.0.1", 0)

    async def stop() -> None:
        server.close()

    server = asyncio.run_coroutine_threadsafe(start(), live.loop).result(10)
    relay.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield relay
    finally:
        asyncio.run_coroutine_threadsafe(stop(), live.loop).result(10)
