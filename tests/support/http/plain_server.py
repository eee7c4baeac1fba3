"""A server that is no Arbiter: it gives prepared answers, one after another."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class PlainServer(ThreadingHTTPServer):
    """Gives the next of `answers`, a status and a body each, with `headers`; `requests` are the
    paths of what it was asked, without their queries, and `bodies` what was sent with them."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answering)
        self.answers: list[tuple[int, bytes]] = []
        self.headers: dict[str, str] = {}
        self.requests: list[str] = []
        self.bodies: list[bytes] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Answering(BaseHTTPRequestHandler):
    server: PlainServer

    def do_GET(self) -> None:
        self.server.bodies.append(self.rfile.read(int(self.headers.get("Content-Length", "0"))))
        self.server.requests.append(self.path.partition("?")[0])
        status, body = self.server.answers[len(self.server.requests) - 1]
        self.send_response_only(status)
        for name, value in self.server.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *_: object) -> None:
        """Logs nothing."""


@contextmanager
def plain_server() -> Iterator[PlainServer]:
    """A running server."""
    server = PlainServer()
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
