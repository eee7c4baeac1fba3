"""Many open streams of one server, read as they come: what each has received, and whether its
response was cut off in the middle."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from tests.support.waiting import until

LAST_CHUNK = b"\r\n0\r\n\r\n"
"""The end of a complete chunked body (RFC 9112, 7.1)."""


class OpenStream:
    """One reader of a match as one audience. `received` has the head, and every chunk with its
    framing."""

    def __init__(self, path: str, key: str | None) -> None:
        self.received = b""
        self.closed = False
        authorization = "" if key is None else f"Authorization: Bearer {key}\r\n"
        self._asks = f"GET {path} HTTP/1.1\r\nHost: x\r\n{authorization}\r\n".encode()

    @property
    def open(self) -> bool:
        """Whether the server has begun to answer it with a stream, and goes on."""
        return self.received.startswith(b"HTTP/1.1 200") and not self.closed

    @property
    def cut(self) -> bool:
        """Whether it ended and its body is not complete."""
        return self.closed and not self.received.endswith(LAST_CHUNK)

    async def read(self, port: int) -> None:
        """Reads until the server closes the connection."""
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(self._asks)
            while some := await reader.read(65_536):
                self.received += some
                if self.received.endswith(LAST_CHUNK):
                    break
        except ConnectionError:
            pass
        finally:
            self.closed = True
            writer.close()


@asynccontextmanager
async def open_streams(
    port: int, wanted: Sequence[tuple[str, str | None]]
) -> AsyncIterator[list[OpenStream]]:
    """A stream for each path and key; all have begun when the context is entered."""
    streams = [OpenStream(path, key) for path, key in wanted]
    tasks = [asyncio.create_task(stream.read(port)) for stream in streams]
    try:
        await until(every(streams, lambda stream: stream.open))
        yield streams
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def every(streams: Sequence[OpenStream], true: Callable[[OpenStream], bool]) -> Callable[[], bool]:
    """Whether it is true of every stream."""
    return lambda: all(map(true, streams))
