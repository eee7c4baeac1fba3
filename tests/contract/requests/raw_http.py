"""HTTP as bytes: for requests that no client library would send."""

import re
import socket
from dataclasses import dataclass

from tests.support.http.match_play import PROBLEM
from tests.support.servers.live_server import Live


@dataclass(frozen=True)
class Reply:
    """A response as it came over the socket."""

    status: int
    head: bytes
    body: bytes

    @property
    def is_problem(self) -> bool:
        return PROBLEM.encode() in self.head.lower()


def send(
    live: Live, *pieces: bytes, cut: bool = False, patience: float | None = None
) -> list[Reply]:
    """Sends bytes and returns the answer until the server closed the connection.

    With `cut` the client goes away once all is sent. With `patience` it stops waiting after this
    many seconds of silence; without, silence is an error.
    """
    with socket.create_connection(("127.0.0.1", live.port), timeout=patience or 10) as connection:
        received = b""
        try:
            for piece in pieces:
                connection.sendall(piece)
            if cut:
                connection.shutdown(socket.SHUT_WR)
            while chunk := connection.recv(65_536):
                received += chunk
        except ConnectionError:
            pass  # The server may close before all has been sent: its answer counts.
        except TimeoutError:
            assert patience is not None, f"the server keeps waiting after {received[:200]!r}"
    return replies(received)


def replies(received: bytes) -> list[Reply]:
    """The responses in a row of bytes."""
    parsed: list[Reply] = []
    while received:
        head, _, rest = received.partition(b"\r\n\r\n")
        status = re.match(rb"HTTP/1\.[01] (\d{3})", head)
        assert status is not None, received[:200]
        length = re.search(rb"content-length: *(\d+)", head, re.IGNORECASE)
        size = int(length[1]) if length else len(rest)
        parsed.append(Reply(int(status[1]), head, rest[:size]))
        received = rest[size:]
    return parsed


def request(
    method: str, path: str, body: bytes = b"", headers: tuple[str, ...] = (), host: str = "x"
) -> bytes:
    """A well-formed request, closing its connection."""
    sized = (f"Content-Length: {len(body)}",) if body else ()
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", "Connection: close", *sized, *headers]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body
