"""The server of the metrics: one short request a connection."""

import socket
from contextlib import suppress
from socketserver import ThreadingMixIn
from threading import Thread, Timer
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from prometheus_client import CollectorRegistry, make_wsgi_app

SECONDS = 10.0
"""Time limit for a connection: to send its request, to be answered, and to read the answer."""


class MetricsServer(ThreadingMixIn, WSGIServer):
    """Answers each collector in a thread of its own, which does not keep the process alive."""

    daemon_threads = True


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


def serve_metrics(
    host: str, port: int, registry: CollectorRegistry
) -> tuple[MetricsServer, Thread]:
    """A server of the metrics and the thread in which it runs. Port 0 takes a free one. Raises
    OSError with the reason."""
    family, *_ = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    kind = type("Server", (MetricsServer,), {"address_family": family})
    try:
        server: MetricsServer = kind((host, port), OneRequest)
    except OSError as error:
        raise OSError(f"cannot serve metrics on {host}:{port}: {error.strerror}") from error
    server.set_app(make_wsgi_app(registry))
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    return server, thread
