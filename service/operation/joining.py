"""The head of an answer and its body, sent together."""

import asyncio
from typing import Any

SMALL = 64 * 1024
"""Larger bodies are not copied to be joined to their heads."""


class Joining:
    """The transport of one answer: what is written first, its head, waits for the rest of this turn
    of the event loop for what is written next, and both go out with one call of the system.

    Whatever else is asked of it is asked of the transport itself.
    """

    def __init__(self, transport: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._held = b""
        self._begun = False

    def write(self, data: bytes) -> None:
        """Sends the data, or holds it back if it is the first."""
        if not self._begun:
            self._begun, self._held = True, data
            self._loop.call_soon(self.flush)
        elif not self._held:
            self._transport.write(data)
        elif len(data) > SMALL:
            self.flush()
            self._transport.write(data)
        else:
            held, self._held = self._held, b""
            self._transport.write(held + data)

    def flush(self) -> None:
        """Sends what is held back."""
        held, self._held = self._held, b""
        if held and not self._transport.is_closing():
            self._transport.write(held)

    def close(self) -> None:
        """Closes the transport when everything has been sent."""
        self.flush()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)
