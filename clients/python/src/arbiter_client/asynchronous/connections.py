"""Connections to a service on this machine."""

from collections.abc import AsyncIterator, Callable

import httpx

from arbiter_client.transport import NO_CERTIFICATES, settings


def http_client(url: str) -> httpx.AsyncClient:
    """A client of httpx that is good for many requests at once to a service on this machine, and a
    usual one for any other."""
    chosen = settings(url)
    if chosen["verify"] is NO_CERTIFICATES:
        chosen["transport"] = SeparateConnections()
    return httpx.AsyncClient(**chosen)


class SeparateConnections(httpx.AsyncBaseTransport):
    """A connection for each request under way.

    The pool of httpx examines every idle connection at every request: with 24 of them that takes
    longer than everything else it does.
    """

    def __init__(self) -> None:
        self._idle: list[httpx.AsyncHTTPTransport] = []
        self._all: list[httpx.AsyncHTTPTransport] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The response, whose connection is free again once it is closed."""
        connection = self._idle.pop() if self._idle else self._opened()
        try:
            response = await connection.handle_async_request(request)
        except BaseException:
            self._idle.append(connection)
            raise
        assert isinstance(response.stream, httpx.AsyncByteStream)
        response.stream = _Lent(response.stream, lambda: self._idle.append(connection))
        return response

    async def aclose(self) -> None:
        """Closes all connections, also those of requests under way."""
        connections, self._all, self._idle = self._all, [], []
        for connection in connections:
            await connection.aclose()

    def _opened(self) -> httpx.AsyncHTTPTransport:
        one = httpx.Limits(max_connections=1)
        connection = httpx.AsyncHTTPTransport(verify=NO_CERTIFICATES, limits=one, trust_env=False)
        self._all.append(connection)
        return connection


class _Lent(httpx.AsyncByteStream):
    """The body of a response; once closed its connection is given back."""

    def __init__(self, stream: httpx.AsyncByteStream, give_back: Callable[[], None]) -> None:
        self._stream = stream
        self._give_back: Callable[[], None] | None = give_back

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            yield chunk

    async def aclose(self) -> None:
        give_back, self._give_back = self._give_back, None
        try:
            await self._stream.aclose()
        finally:
            if give_back is not None:
                give_back()
