"""Sends the head and the body of a response in one write."""

import asyncio
from typing import Any

SMALL = 64 * 1024
"""Maximum size in bytes of a body that is copied to be sent with its head."""


class CoalescingTransport:
    """The transport of one response. The first write, its head, waits until the end of this turn of
    the event loop for the next write, and both are sent with one system call.

    Everything else is passed on to the underlying transport.
    """

    def __init__(self, transport: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._head = b""
        self._started = False

    def write(self, data: bytes) -> None:
        """Sends the data, or delays it if it is the head."""
        if not self._started:
            self._started, self._head = True, data
            self._loop.call_soon(self.flush)
        elif not self._head:
            self._transport.write(data)
        elif len(data) > SMALL:
            self.flush()
            self._transport.write(data)
        else:
            head, self._head = self._head, b""
            self._transport.write(head + data)

    def flush(self) -> None:
        """Sends the delayed head, if any."""
        head, self._head = self._head, b""
        if head and not self._transport.is_closing():
            self._transport.write(head)

    def close(self) -> None:
        """Closes the transport after sending everything."""
        self.flush()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)
