"""Clients of servers on this machine, without the costs that httpx has for others."""

import ssl
from typing import Any

import httpx

PLAIN = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""No certificates: loading them takes 30 ms for each client."""


def client(url: str = "", **more: Any) -> httpx.Client:
    """A client of the server at `url`, which ignores the proxies of the environment."""
    return httpx.Client(base_url=url, trust_env=False, verify=PLAIN, **more)


def async_client(url: str, **more: Any) -> httpx.AsyncClient:
    """A client for many requests at once of the server at `url`. Responses are read whole."""
    return httpx.AsyncClient(base_url=url, trust_env=False, transport=SeparateConnections(), **more)


def streaming_client(url: str, **more: Any) -> httpx.AsyncClient:
    """A client for many open streams of the server at `url`."""
    limits = httpx.Limits(max_connections=None)
    return httpx.AsyncClient(base_url=url, trust_env=False, verify=PLAIN, limits=limits, **more)


def get(url: str) -> httpx.Response:
    """The response to one request on a connection of its own."""
    return httpx.get(url, trust_env=False, verify=PLAIN)


class SeparateConnections(httpx.AsyncBaseTransport):
    """A connection for each request under way.

    httpx's pool examines every idle connection at every request: with 24 of them that takes longer
    than everything else it does.
    """

    def __init__(self) -> None:
        self._idle: list[httpx.AsyncHTTPTransport] = []
        self._all: set[httpx.AsyncHTTPTransport] = set()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The whole response. Raises httpx.TransportError like httpx's own transport."""
        connection = self._idle.pop() if self._idle else self._opened()
        try:
            response = await connection.handle_async_request(request)
            await response.aread()
        except BaseException:
            self._all.discard(connection)
            await connection.aclose()
            raise
        self._idle.append(connection)
        return response

    async def aclose(self) -> None:
        """Closes all connections, also those of requests under way."""
        connections, self._all, self._idle = self._all, set(), []
        for connection in connections:
            await connection.aclose()

    def _opened(self) -> httpx.AsyncHTTPTransport:
        one = httpx.Limits(max_connections=1)
        connection = httpx.AsyncHTTPTransport(verify=PLAIN, limits=one, trust_env=False)
        self._all.add(connection)
        return connection
