"""The server of the metrics: one short request a connection."""

import socket
from contextlib import suppress
from threading import Thread, Timer
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from prometheus_client import CollectorRegistry, start_wsgi_server

SECONDS = 10.0
"""Time limit for a connection: to send its request, to be answered, and to read the answer."""


class OneRequest(WSGIRequestHandler):
    """A connection, which ends after one request, or at its time limit wherever it is."""

    def setup(self) -> None:
        super().setup()
        self._limit = Timer(SECONDS, self._end)
        self._limit.daemon = True
        self._limit.start()

    def _end(self) -> None:
        with suppress(OSError):  # It has ended by itself.
            self.connection.shutdown(socket.SHUT_RDWR)

    def handle(self) -> None:
        with suppress(OSError):  # The collector is gone, or was too slow.
            super().handle()

    def finish(self) -> None:
        self._limit.cancel()
        with suppress(OSError):  # As above: what is left of the answer is written here.
            super().finish()

    def log_message(self, *_: Any) -> None:
        """Requests of collectors are not logged."""


def serve_metrics(host: str, port: int, registry: CollectorRegistry) -> tuple[WSGIServer, Thread]:
    """A server of the metrics and the thread in which it runs: it answers each collector in a
    thread of its own. Port 0 takes a free one. Raises OSError with the reason."""
    try:
        server, thread = start_wsgi_server(port, host, registry)
    except OSError as error:
        raise OSError(f"cannot serve metrics on {host}:{port}: {error.strerror}") from error
    # The library's own connections have no time limit.
    server.RequestHandlerClass = OneRequest
    return server, thread
