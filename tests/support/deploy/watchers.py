"""Watchers at nginx: many connections that each send one request and read its answer."""

import asyncio
from asyncio import StreamReader, StreamWriter
from typing import NamedTuple

PATIENCE = 60.0
A_PER_ADDRESS = 200
"""Watchers behind one address: nginx limits how many there may be."""


class Watched(NamedTuple):
    """The answer to one watcher."""

    status: int
    body: bytes


class Watchers:
    """Readers with a connection each, in groups at addresses of the loopback network."""

    def __init__(self, port: int, count: int) -> None:
        self._port = port
        self._count = count
        self._connections: list[tuple[StreamReader, StreamWriter]] = []

    async def ask(self, path: str) -> None:
        """Connects all watchers, and sends each one's request."""
        for number in range(self._count):
            address = f"127.0.1.{1 + number // A_PER_ADDRESS}"
            reader, writer = await asyncio.open_connection(
                "127.0.0.1", self._port, local_addr=(address, 0)
            )
            writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
            await writer.drain()
            self._connections.append((reader, writer))

    async def answers(self) -> list[Watched]:
        """The answers to all, when the last has come."""
        async with asyncio.timeout(PATIENCE):
            return await asyncio.gather(*(self._answer(*each) for each in self._connections))

    async def leave(self) -> None:
        """Closes all connections; nobody reads an answer."""
        for _, writer in self._connections:
            writer.close()
            await writer.wait_closed()

    async def _answer(self, reader: StreamReader, writer: StreamWriter) -> Watched:
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        writer.close()
        return Watched(int(head.split()[1]), body)
