"""What the client needs of the network, and what it has of httpx."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import Protocol

import httpx

from arbiter_client.problems import Disconnected
from arbiter_client.requests import Answer, Request
from arbiter_client.transport import SILENCE, LineSplitter, answered, built, network


class Channel(Protocol):
    """An open stream of lines."""

    async def receive(self) -> bytes:
        """The next line. Raises Disconnected when there will be none."""

    async def close(self) -> None:
        """Closes it. Raises nothing."""


class Transport(Protocol):
    """How requests are sent."""

    async def send(self, request: Request) -> Answer:
        """The answer. Raises Disconnected."""

    async def stream(self, request: Request) -> tuple[Answer, Channel | None]:
        """The beginning of the answer, and its lines unless it is 204. An error is read to its
        end. Raises Disconnected."""

    async def pause(self, seconds: float) -> None:
        """Waits."""

    async def close(self) -> None:
        """Closes what is open."""


class HttpTransport:
    """Sends requests by a client of httpx."""

    def __init__(self, url: str, http: httpx.AsyncClient) -> None:
        self._url = url
        self._http = http

    async def send(self, request: Request) -> Answer:
        with network():
            response = await self._http.send(built(self._http, self._url, request))
        return answered(response, response.content)

    async def stream(self, request: Request) -> tuple[Answer, Channel | None]:
        with network():
            sent = built(self._http, self._url, request, SILENCE)
            response = await self._http.send(sent, stream=True)
            if response.status_code != 200:
                return answered(response, await response.aread()), None
        return answered(response), Lines(response.aiter_bytes(), response.aclose)

    async def pause(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def close(self) -> None:
        await self._http.aclose()


class Lines:
    """The lines of an answer that comes in these chunks."""

    def __init__(self, chunks: AsyncIterator[bytes], close: Callable[[], Awaitable[None]]) -> None:
        self._chunks, self._close = chunks, close
        self._splitter = LineSplitter()
        self._lines: deque[bytes] = deque()

    async def receive(self) -> bytes:
        while not self._lines:
            with network():
                chunk = await anext(self._chunks, None)
            if chunk is None:
                raise Disconnected("the stream was closed")
            self._lines.extend(self._splitter.lines(chunk))
        return self._lines.popleft()

    async def close(self) -> None:
        with suppress(Disconnected), network():
            await self._close()
