"""Writes the head of a response together with the beginning of its body: one system call and one
packet where the framework would use two."""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import RequestResponseCycle


class JoinedHead:
    """The transport of one response until its head is written. What is written first waits for what
    is written next, at most until the next turn of the event loop."""

    __slots__ = ("_cycle", "_head", "_transport")

    def __init__(self, cycle: RequestResponseCycle) -> None:
        self._cycle = cycle
        self._transport = cycle.transport
        self._head = b""

    def write(self, data: bytes) -> None:
        """Keeps the first bytes until the next, which are written with them."""
        if self._head:
            self._head += data
            self.flush()
        else:
            self._head = data
            asyncio.get_running_loop().call_soon(self.flush)

    def flush(self) -> None:
        """Writes what waits; from then on the response is written to its transport directly."""
        if self._head:
            head, self._head = self._head, b""
            self._cycle.transport = self._transport
            self._transport.write(head)

    def close(self) -> None:
        """Writes what waits, and closes."""
        self.flush()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)
