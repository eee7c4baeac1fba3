"""The transport that waits on an event loop."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import suppress

import httpx

from arbiter_client.problems import Disconnected
from arbiter_client.transport import (
    SILENCE,
    Answer,
    Channel,
    LineSplitter,
    Request,
    answered,
    built,
    network,
)


class AsyncTransport:
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
            response = await self._http.send(
                built(self._http, self._url, request, SILENCE), stream=True
            )
            if response.status_code != 200:
                body = await response.aread()
                return answered(response, body), None
        return answered(response), _Lines(response)

    async def pause(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def close(self) -> None:
        await self._http.aclose()


class _Lines:
    """The lines of an answer."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self._chunks: AsyncIterator[bytes] = response.aiter_bytes()
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
            await self._response.aclose()
