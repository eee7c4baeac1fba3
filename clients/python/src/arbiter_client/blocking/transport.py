# Made from the asynchronous classes by `make blocking-client`: change those.
"""What the client needs of the network, and what it has of httpx."""

import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from typing import Protocol

import httpx

from arbiter_client.problems import Disconnected
from arbiter_client.requests import Answer, Request
from arbiter_client.transport import SILENCE, LineSplitter, answered, built, network


class Channel(Protocol):
    """An open stream of lines."""

    def receive(self) -> bytes:
        """The next line. Raises Disconnected when there will be none."""

    def close(self) -> None:
        """Closes it. Raises nothing."""


class Transport(Protocol):
    """How requests are sent."""

    def send(self, request: Request) -> Answer:
        """The answer. Raises Disconnected."""

    def stream(self, request: Request) -> tuple[Answer, Channel | None]:
        """The beginning of the answer, and its lines unless it is 204. An error is read to its
        end. Raises Disconnected."""

    def pause(self, seconds: float) -> None:
        """Waits."""

    def close(self) -> None:
        """Closes what is open."""


class HttpTransport:
    """Sends requests by a client of httpx."""

    def __init__(self, url: str, http: httpx.Client) -> None:
        self._url = url
        self._http = http

    def send(self, request: Request) -> Answer:
        """See Transport."""
        with network():
            response = self._http.send(built(self._http, self._url, request))
        return answered(response, response.content)

    def stream(self, request: Request) -> tuple[Answer, Channel | None]:
        """See Transport."""
        with network():
            response = self._http.send(built(self._http, self._url, request, SILENCE), stream=True)
            if response.status_code != 200:
                body = response.read()
                return answered(response, body), None
        return answered(response), _Lines(response)

    def pause(self, seconds: float) -> None:
        """See Transport."""
        time.sleep(seconds)

    def close(self) -> None:
        """See Transport."""
        self._http.close()


class _Lines:
    """The lines of an answer."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self._chunks: Iterator[bytes] = response.iter_bytes()
        self._splitter = LineSplitter()
        self._lines: deque[bytes] = deque()

    def receive(self) -> bytes:
        """See Channel."""
        while not self._lines:
            with network():
                chunk = next(self._chunks, None)
            if chunk is None:
                raise Disconnected("the stream was closed")
            self._lines.extend(self._splitter.lines(chunk))
        return self._lines.popleft()

    def close(self) -> None:
        """See Channel."""
        with suppress(Disconnected), network():
            self._response.close()
