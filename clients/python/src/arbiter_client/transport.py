"""What httpx is given, and what it gives back."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from arbiter_client.problems import Disconnected, NotSent
from arbiter_client.requests import Answer, Request
from arbiter_client.version import __version__

TIMEOUT = httpx.Timeout(60.0, connect=10.0)
SILENCE = httpx.Timeout(45.0, connect=10.0)
"""A stream has something to say every 15 seconds, if only that it is there."""

USER_AGENT = f"arbiter-client/{__version__}"

NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For plain HTTP: loading the certificates of the system takes 30 ms."""


class LineSplitter:
    """Bytes, cut into lines of JSON. What stands after the last end of a line is not yet one."""

    def __init__(self) -> None:
        self._rest = b""

    def lines(self, chunk: bytes) -> list[bytes]:
        """The lines that this chunk completes, but for empty ones."""
        *whole, self._rest = (self._rest + chunk).split(b"\n")
        return [line for line in whole if line]


def address(url: str) -> str:
    """The address of a service that was given with or without `/v1`."""
    return url.rstrip("/").removesuffix("/v1")


def settings(url: str) -> dict[str, Any]:
    """How a client of httpx is made for the service at `url`: no proxy reaches this machine."""
    local = httpx.URL(url).host in ("127.0.0.1", "::1", "localhost")
    verify = NO_CERTIFICATES if local and url.startswith("http:") else True
    return {"timeout": TIMEOUT, "trust_env": not local, "verify": verify}


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
