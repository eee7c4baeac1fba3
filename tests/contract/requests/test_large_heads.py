"""A request head without an end is not read forever."""

import socket

from tests.support.servers.live_server import Live


def answered(live: Live, head: bytes) -> bytes:
    """The service's answer to a request whose head never ends."""
    host, port = live.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        answer = b""
        try:
            for start in range(0, len(head), 65_536):
                connection.sendall(head[start : start + 65_536])
            while more := connection.recv(65_536):
                answer += more
        except (BrokenPipeError, ConnectionResetError):
            return answer
        return answer


def test_one_endless_header_is_431(live: Live) -> None:
    head = b"GET /v1/games HTTP/1.1\r\nHost: x\r\nX-Long: " + b"x" * 150_000
    answer = answered(live, head)
    assert answer.startswith(b"HTTP/1.1 431 ")
    assert b'"code":"head_too_large"' in answer


def test_endless_headers_are_431(live: Live) -> None:
    head = b"GET /v1/games HTTP/1.1\r\nHost: x\r\n" + b"X-Many: y\r\n" * 15_000
    assert answered(live, head).startswith(b"HTTP/1.1 431 ")


def test_many_requests_on_one_connection_are_many_heads(live: Live) -> None:
    one = b"GET /v1/games HTTP/1.1\r\nHost: x\r\nX-Long: " + b"x" * 1_000 + b"\r\n\r\n"
    last = one.replace(b"Host: x", b"Host: x\r\nConnection: close")
    answer = answered(live, one * 100 + last)
    assert answer.count(b"HTTP/1.1 200 ") == 101
