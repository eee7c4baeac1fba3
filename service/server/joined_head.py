"""Writes the head of a response together with the beginning of its body: one system call and one
packet where the framework would use two."""

import asyncio
from typing import Any


class JoinedHead:
    """The transport of one response. What is written first waits for what is written next, at most
    until the end of this turn of the event loop."""

    __slots__ = ("_flushed", "_head", "_transport")

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._head = b""
        self._flushed = False

    def write(self, data: bytes) -> None:
        """Writes, or keeps the first bytes until the next."""
        if self._flushed:
            self._transport.write(data)
        elif self._head:
            self._flushed = True
            self._transport.write(self._head + data)
        else:
            self._head = data
            asyncio.get_running_loop().call_soon(self.flush)

    def flush(self) -> None:
        """Writes what waits."""
        if not self._flushed and self._head:
            self._flushed = True
            self._transport.write(self._head)

    def close(self) -> None:
        """Writes what waits, and closes."""
        self.flush()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)
