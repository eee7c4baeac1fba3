"""Writes to a response under way, beside the framework."""

from typing import Protocol

from uvicorn.protocols.http.httptools_impl import RequestResponseCycle


class Receiver(Protocol):
    """A connection; `takes_bytes` says whether its client takes what is written."""

    takes_bytes: bool


class ResponseWriter:
    """What is broadcast to many readers goes straight to their connections."""

    __slots__ = ("_connection", "_cycle")

    def __init__(self, connection: Receiver, cycle: RequestResponseCycle) -> None:
        self._connection = connection
        self._cycle = cycle

    def write(self, chunk: bytes) -> bool:
        """Writes a chunk with its HTTP framing. Returns False, and writes nothing, if the client
        does not take what was written before, is gone, or cannot be sent chunks."""
        cycle = self._cycle
        if not self._connection.takes_bytes or cycle.response_complete or cycle.disconnected:
            return False
        if not cycle.chunked_encoding:
            return False
        cycle.transport.write(chunk)
        return True
