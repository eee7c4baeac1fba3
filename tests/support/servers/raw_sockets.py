"""A server, and sockets that talk to it as no well-behaved client does."""

import resource
import socket
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from service.server.connections import Connection
from tests.support.servers.live_server import Live, serving

MEGABYTE = 1_000_000
PATIENCE = 10.0
RECEIVE_BUFFER = 4_096
"""Receive buffer of a client that does not read, so that the service notices soon."""


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with serving(tmp_path_factory.mktemp("live")) as server:
        yield server


def in_memory() -> int:
    """Bytes of memory that this process has, including the server in it."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def connected(live: Live, sent: bytes = b"", receive: int | None = None) -> socket.socket:
    connection = socket.socket()
    if receive is not None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
    connection.settimeout(PATIENCE)
    connection.connect(("127.0.0.1", live.port))
    connection.sendall(sent)
    return connection


def request(path: str, key: str | None = None, more: str = "") -> bytes:
    bearer = "" if key is None else f"Authorization: Bearer {key}\r\n"
    return f"GET {path} HTTP/1.1\r\nHost: x\r\n{bearer}{more}\r\n".encode()


def everything(connection: socket.socket) -> bytes:
    """All bytes until the connection ends, which it must."""
    received = b""
    try:
        while chunk := connection.recv(65_536):
            received += chunk
    except ConnectionResetError:
        pass
    return received


def answered_soon(live: Live) -> bool:
    """Whether a well-behaved client is answered within a second."""
    began = time.monotonic()
    answer = live.anyone.get("/v1/games")
    return answer.status_code == 200 and time.monotonic() - began < 1.0


def peers(connections: Iterable[Connection]) -> list[tuple[str, int]]:
    """The addresses of the clients of connections, as the service sees them."""
    return [each.transport.get_extra_info("peername")[:2] for each in list(connections)]
