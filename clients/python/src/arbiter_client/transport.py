"""What a client needs of the network. It is written once with `await`; one transport waits on an
event loop, the other blocks and never suspends."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

import httpx
from msgspec import Struct

from arbiter_client.problems import Disconnected, NotSent
from arbiter_client.version import __version__

TIMEOUT = httpx.Timeout(60.0, connect=10.0)
SILENCE = httpx.Timeout(45.0, connect=10.0)
"""A stream has something to say every 15 seconds, if only that it is there."""

USER_AGENT = f"arbiter-client/{__version__}"


class Request(Struct, frozen=True):
    """A request. `repeatable`: sent twice it counts once."""

    method: str
    path: str
    query: Mapping[str, Any] = {}
    headers: Mapping[str, str] = {}
    body: bytes | None = None
    repeatable: bool = True


class Answer(Struct, frozen=True):
    """An answer, read to its end; the names of its headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""


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


class LineSplitter:
    """Bytes, cut into lines of JSON. What stands behind the last end of a line is not yet one."""

    def __init__(self) -> None:
        self._rest = b""

    def lines(self, chunk: bytes) -> list[bytes]:
        """The lines that this chunk completes, but for empty ones."""
        *whole, self._rest = (self._rest + chunk).split(b"\n")
        return [line for line in whole if line]


def built(
    http: httpx.Client | httpx.AsyncClient,
    url: str,
    request: Request,
    timeout: httpx.Timeout | None = None,
) -> httpx.Request:
    """The request as httpx sends it to the service at `url`."""
    return http.build_request(
        request.method,
        url + request.path,
        params=dict(request.query) or None,
        headers={"User-Agent": USER_AGENT, **request.headers},
        content=request.body,
        timeout=timeout or http.timeout,
    )


def answered(response: httpx.Response, body: bytes = b"") -> Answer:
    """An answer of httpx as one of ours."""
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Answer(response.status_code, headers, body)


@contextmanager
def network() -> Iterator[None]:
    """Raises Disconnected for what httpx or the system raise when there is no connection, or no
    longer one."""
    try:
        yield
    except httpx.UnsupportedProtocol:
        raise
    except (
        httpx.ConnectError,
        httpx.ConnectTimeout,
        httpx.PoolTimeout,
        ConnectionRefusedError,
    ) as error:
        raise NotSent(str(error)) from error
    except (httpx.TransportError, OSError) as error:
        raise Disconnected(str(error) or type(error).__name__) from error
