"""The transport that blocks. Its coroutines never suspend, so `run` needs no event loop."""

import time
from collections import deque
from collections.abc import AsyncGenerator, Coroutine, Iterator
from contextlib import suppress
from typing import Any, TypeVar

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

T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine over a blocking transport."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    coroutine.close()
    raise RuntimeError("this coroutine waits for an event loop: use AsyncArbiter for it")


def iterated(items: AsyncGenerator[T, None]) -> Iterator[T]:
    """What an asynchronous generator over a blocking transport yields."""
    try:
        while True:
            try:
                item = run(items.__anext__())
            except StopAsyncIteration:
                return
            yield item
    finally:
        run(items.aclose())


class BlockingTransport:
    """Sends requests by a client of httpx."""

    def __init__(self, url: str, http: httpx.Client) -> None:
        self._url = url
        self._http = http

    async def send(self, request: Request) -> Answer:
        with network():
            response = self._http.send(built(self._http, self._url, request))
        return answered(response, response.content)

    async def stream(self, request: Request) -> tuple[Answer, Channel | None]:
        with network():
            response = self._http.send(built(self._http, self._url, request, SILENCE), stream=True)
            if response.status_code != 200:
                body = response.read()
                return answered(response, body), None
        return answered(response), _Lines(response)

    async def pause(self, seconds: float) -> None:
        time.sleep(seconds)  # noqa: ASYNC251  there is no event loop

    async def close(self) -> None:
        self._http.close()


class _Lines:
    """The lines of an answer."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self._chunks = response.iter_bytes()
        self._splitter = LineSplitter()
        self._lines: deque[bytes] = deque()

    async def receive(self) -> bytes:
        while not self._lines:
            with network():
                chunk = next(self._chunks, None)
            if chunk is None:
                raise Disconnected("the stream was closed")
            self._lines.extend(self._splitter.lines(chunk))
        return self._lines.popleft()

    async def close(self) -> None:
        with suppress(Disconnected), network():
            self._response.close()
