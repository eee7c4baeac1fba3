"""A web server that is not the service's: a page of another origin."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

FOLLOWER = Path(__file__).with_name("follower.html").read_bytes()


class Handler(BaseHTTPRequestHandler):
    """Answers every request with the page of followers."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(FOLLOWER)))
        self.end_headers()
        self.wfile.write(FOLLOWER)

    def log_message(self, *_: object) -> None:
        """Writes no log."""


class FileHandler(SimpleHTTPRequestHandler):
    """Answers with the files of a folder."""

    def log_message(self, *_: object) -> None:
        """Writes no log."""


@contextmanager
def other_origin(folder: Path | None = None) -> Iterator[str]:
    """The origin of a running server, which has the files of a folder or the page of followers."""
    handler = Handler if folder is None else partial(FileHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, name="other origin", daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
