# Made from the asynchronous classes by `make blocking-client`: change those.
"""Connections to a service on this machine."""

from collections.abc import Callable, Iterator

import httpx

from arbiter_client.transport import NO_CERTIFICATES, TIMEOUT, on_this_machine


def http_client(url: str) -> httpx.Client:
    """A client of httpx that is good for many requests at once to a service on this machine, and a
    usual one for any other."""
    local = on_this_machine(url)
    if local and url.startswith("http:"):
        return httpx.Client(transport=SeparateConnections(), timeout=TIMEOUT)
    return httpx.Client(timeout=TIMEOUT, trust_env=not local)


class SeparateConnections(httpx.BaseTransport):
    """A connection for each request under way.

    The pool of httpx examines every idle connection at every request: with 24 of them that takes
    longer than everything else it does.
    """

    def __init__(self) -> None:
        self._idle: list[httpx.HTTPTransport] = []
        self._all: list[httpx.HTTPTransport] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The response, whose connection is free again once it is closed."""
        connection = self._idle.pop() if self._idle else self._opened()
        try:
            response = connection.handle_request(request)
        except BaseException:
            self._idle.append(connection)
            raise
        assert isinstance(response.stream, httpx.SyncByteStream)
        response.stream = _Lent(response.stream, lambda: self._idle.append(connection))
        return response

    def close(self) -> None:
        """Closes all connections, also those of requests under way."""
        connections, self._all, self._idle = self._all, [], []
        for connection in connections:
            connection.close()

    def _opened(self) -> httpx.HTTPTransport:
        one = httpx.Limits(max_connections=1)
        connection = httpx.HTTPTransport(verify=NO_CERTIFICATES, limits=one, trust_env=False)
        self._all.append(connection)
        return connection


class _Lent(httpx.SyncByteStream):
    """The body of a response; once closed its connection is given back."""

    def __init__(self, stream: httpx.SyncByteStream, give_back: Callable[[], None]) -> None:
        self._stream = stream
        self._give_back: Callable[[], None] | None = give_back

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._stream:
            yield chunk

    def close(self) -> None:
        give_back, self._give_back = self._give_back, None
        try:
            self._stream.close()
        finally:
            if give_back is not None:
                give_back()
