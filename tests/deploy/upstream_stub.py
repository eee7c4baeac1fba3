"""A worker that records its requests and can be made to fail."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

PATIENCE = 10.0
DATE = "Thu, 01 Jan 2026 00:00:00 GMT"


class Sent(NamedTuple):
    """A request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Recipient(ThreadingHTTPServer):
    """Answers everything with its own number, and with `headers`; `hangs_up` makes it close without
    an answer, `holds` makes it delay the end of its answer until `go_on` is set."""

    daemon_threads = True

    def __init__(self, number: int) -> None:
        super().__init__(("127.0.0.1", 0), _Answering)
        self.number = number
        self.sent: list[Sent] = []
        self.headers: dict[str, str] = {}
        self.hangs_up = False
        self.holds = False
        self.go_on = threading.Event()
        self.connections: list[socket.socket] = []

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.server_address[1]}"

    def die(self) -> None:
        """Stops listening and closes every connection."""
        self.shutdown()
        self.server_close()
        for connection in self.connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: object, client_address: object) -> None:
        """Waits until every client has disconnected."""


class _Answering(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Recipient

    def setup(self) -> None:
        super().setup()
        self.server.connections.append(self.connection)

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        body = self._body()
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.sent.append(Sent(self.command, self.path, headers, body))
        if self.server.hangs_up:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        said = str(self.server.number).encode()
        end = b"the end" if self.server.holds else b""
        self.send_response_only(200)
        self.send_header("Date", DATE)
        self.send_header("Content-Length", str(len(said + end)))
        for name, value in self.server.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(said)
        if end:
            self.server.go_on.wait(PATIENCE)
            self.wfile.write(end)

    def _body(self) -> bytes:
        """The body of the request, in chunks (RFC 9112, 7.1) or as a whole."""
        if self.headers.get("transfer-encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("content-length", "0")))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def log_message(self, *_: object) -> None:
        """Logs nothing."""


@contextmanager
def recipients(count: int = 3) -> Iterator[list[Recipient]]:
    """Running workers, numbered from 0."""
    servers = [Recipient(number) for number in range(count)]
    for one in servers:
        threading.Thread(target=one.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield servers
    finally:
        for one in servers:
            one.die()
