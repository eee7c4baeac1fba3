"""A web server that is not the service's: a page of another origin."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

FOLLOWER = Path(__file__).with_name("follower.html").read_bytes()


class Handler(BaseHTTPRequestHandler):
    """Answers every request with the page."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(FOLLOWER)))
        self.end_headers()
        self.wfile.write(FOLLOWER)

    def log_message(self, *_: object) -> None:
        """Writes no log."""


@contextmanager
def other_origin() -> Iterator[str]:
    """The origin of a running server."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, name="other origin", daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
