"""What frames a body, the sizes of chunks, their extensions and trailers, is no header, counts as
the body does, and costs no memory. A client of HTTP/1.0 is sent none of it."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from service.http.middleware.limits import BODY_LIMIT, HEAD_LIMIT, MOST_HEADERS
from service.server import connections
from service.server.exchange import Exchange
from tests.contract.requests.raw_http import replies, send
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Live, LiveMatch
from tests.support.servers.raw_sockets import in_memory

MEGABYTE = 1_000_000
CREATION = b'{"game":"dollar-prize","seats":["Ann","Ben"]}'
LAST = b"0\r\n"
CHUNK = b"%x\r\n%b\r\n" % (len(CREATION), CREATION)


def creating(*headers: str) -> bytes:
    """The head of a creation whose body comes in chunks."""
    lines = ["POST /v1/matches HTTP/1.1", "Host: x", "Transfer-Encoding: chunked", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


AUTHORIZED = creating(f"Authorization: Bearer {ORGANISER_KEY}", "Connection: close")


def test_a_key_in_a_trailer_is_no_key(live: Live) -> None:
    trailer = f"Authorization: Bearer {ORGANISER_KEY}\r\n\r\n".encode()
    [reply] = send(live, creating("Connection: close") + CHUNK + LAST + trailer)
    assert (reply.status, b"key_missing" in reply.body) == (401, True)


def test_trailers_are_ignored_and_the_connection_goes_on(live: Live) -> None:
    first = creating(f"Authorization: Bearer {ORGANISER_KEY}") + CHUNK + LAST
    trailers = b"Authorization: Bearer nobody\r\nIdempotency-Key: 1\r\nHost: y\r\n\r\n"
    second = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    answers = send(live, first + trailers + second)
    assert [reply.status for reply in answers] == [201, 200]


def test_an_address_in_a_trailer_does_not_replace_the_proxys(
    live: Live, coins: LiveMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every header of a request arrives before the application sees it, and none afterwards."""
    seen: list[list[bytes]] = []
    respond = Exchange._begin

    def noting(exchange: Exchange, *args: object) -> None:
        seen.append([value for name, value in exchange.scope["headers"] if b"forwarded" in name])
        respond(exchange, *args)  # type: ignore[arg-type]  # as they came

    monkeypatch.setattr(Exchange, "_begin", noting)
    head = creating("X-Forwarded-For: 203.0.113.7", "Connection: close")
    send(live, head + CHUNK, LAST + b"X-Forwarded-For: 198.51.100.1\r\n\r\n")
    assert seen[-1] == [b"203.0.113.7"]


TOO_MUCH = BODY_LIMIT + 2 * connections.PARSE_BYTES
"""What is surely noticed: bytes are counted as they are parsed, not one by one."""

HALF = b"x" * (TOO_MUCH // 2)


@pytest.mark.parametrize(
    "framing",
    [
        CHUNK + LAST + b"X: y\r\n" * (TOO_MUCH // 6),
        CHUNK + LAST + b"X: " + b"y" * TOO_MUCH,
        b"2d;x=" + b"y" * TOO_MUCH,
        b"2d;" + HALF + CHUNK[2:] + b"0;" + HALF + b"\r\n",
        (b"1;" + b"x" * 93 + b"\r\n \r\n") * (TOO_MUCH // 100),
        b"0" * TOO_MUCH,
    ],
    ids=["many trailers", "one trailer", "an extension", "two", "many", "a size"],
)
def test_what_frames_a_body_counts_as_the_body_does(live: Live, framing: bytes) -> None:
    [reply] = send(live, AUTHORIZED + framing, b"\r\n" * 40)
    assert reply.status in (400, 413)
    assert reply.is_problem


def test_as_much_as_a_body_may_have_is_taken(live: Live) -> None:
    framing = b"2d;x=" + b"y" * (BODY_LIMIT // 3) + CHUNK[2:] + LAST + b"X: y\r\n" * 4_000 + b"\r\n"
    [reply] = send(live, AUTHORIZED + framing)
    assert reply.status == 201


@pytest.mark.parametrize("endless", [b"X: y\r\n", b"y" * 1_000], ids=["lines", "a value"])
def test_endless_trailers_cost_no_memory_and_end(
    live: Live, endless: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """46 MiB of them, on four connections at once."""
    begun = AUTHORIZED + CHUNK + LAST + (b"" if endless.endswith(b"\n") else b"X: ")
    some = endless * (MEGABYTE // len(endless))
    before = in_memory()
    for _ in range(4):
        with socket.create_connection(("127.0.0.1", live.port), timeout=10) as connection:
            sent = len(begun)
            connection.sendall(begun)
            with suppress(ConnectionError):
                while sent < 46 * MEGABYTE:
                    connection.sendall(some)
                    sent += len(some)
            assert sent < 12 * MEGABYTE, "what the kernel buffers, and what is discarded"
        assert live.anyone.get("/healthz").status_code == 200
    assert in_memory() - before < 20 * MEGABYTE


def test_a_refused_body_is_answered_before_the_rest_is_there(live: Live) -> None:
    """And the connection is closed: what follows was never a request."""
    head = AUTHORIZED.replace(b"Transfer-Encoding: chunked", b"Content-Length: 65537")
    with socket.create_connection(("127.0.0.1", live.port), timeout=10) as connection:
        connection.sendall(head + b" " * 100)
        received = b""
        while chunk := connection.recv(65_536):
            received += chunk
    [reply] = replies(received)
    assert (reply.status, b"connection: close" in reply.head) == (413, True)


def test_a_broken_request_is_answered_after_those_before_it(live: Live) -> None:
    sent = b"GET /v1/games HTTP/1.1\r\nHost: x\r\n\r\n" * 2 + b"\x00\r\n\r\n"
    assert [reply.status for reply in send(live, sent)] == [200, 200, 400]


@pytest.mark.parametrize("count", [MOST_HEADERS, MOST_HEADERS + 1])
def test_headers_are_limited_in_number(live: Live, count: int) -> None:
    lines = [b"GET /healthz HTTP/1.1", b"Host: x", b"Connection: close"]
    lines += [b"X-%d: y" % number for number in range(count - 2)]
    [reply] = send(live, b"\r\n".join(lines) + b"\r\n\r\n")
    assert reply.status == (200 if count == MOST_HEADERS else 431)


@pytest.mark.parametrize(
    "endless", [b"X-Long: " + b"x" * 150_000, b"X-Many: y\r\n" * 15_000], ids=["one", "many"]
)
def test_a_head_without_an_end_is_431(live: Live, endless: bytes) -> None:
    [reply] = send(live, b"GET /v1/games HTTP/1.1\r\nHost: x\r\n" + endless)
    assert (reply.status, b'"code":"head_too_large"' in reply.body) == (431, True)


def test_many_requests_on_one_connection_are_many_heads(live: Live) -> None:
    one = b"GET /v1/games HTTP/1.1\r\nHost: x\r\nX-Long: " + b"x" * 1_000 + b"\r\n\r\n"
    last = one.replace(b"Host: x", b"Host: x\r\nConnection: close")
    assert [reply.status for reply in send(live, one * 100 + last)] == [200] * 101


def test_most_headers_fit_into_a_head() -> None:
    assert MOST_HEADERS * 100 < HEAD_LIMIT


# Clients of HTTP/1.0.


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "//healthz/"])
def test_a_probe_of_http_1_0_needs_no_host(live: Live, path: str) -> None:
    [reply] = send(live, f"GET {path} HTTP/1.0\r\n\r\n".encode())
    assert reply.status == 200


@contextmanager
def http_1_0(live: Live, path: str, *headers: str) -> Iterator[socket.socket]:
    lines = [f"GET {path} HTTP/1.0", "Host: x", *headers]
    with socket.create_connection(("127.0.0.1", live.port), timeout=10) as connection:
        connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n")
        yield connection


def until(connection: socket.socket, text: bytes) -> bytes:
    """What is received until the text has come, which it must."""
    received = b""
    while text not in received:
        more = connection.recv(65_536)
        assert more, received
        received += more
    return received


@pytest.mark.parametrize("kept", [(), ("Connection: keep-alive",)], ids=["close", "keep-alive"])
def test_a_client_of_http_1_0_is_sent_no_sizes_of_chunks(
    live: Live, coins: LiveMatch, kept: tuple[str, ...]
) -> None:
    path = f"{coins.anyone.path}/stream?after=0"
    with http_1_0(live, path, "Accept: application/x-ndjson", *kept) as connection:
        received = until(connection, b"}\n")
    head, _, body = received.partition(b"\r\n\r\n")
    assert b"transfer-encoding" not in head
    assert b"connection: close" in head
    assert body.startswith(b"{")


def test_a_client_of_http_1_0_is_told_what_is_broadcast(live: Live) -> None:
    match = live.create("dollar-prize")
    path = f"{match.anyone.path}/stream?after=0"
    with http_1_0(live, path, "Accept: application/x-ndjson") as connection:
        received = until(connection, b"}\n")
        assert match.moderator.start().status_code == 201
        received += until(connection, b"started")
    lines = received.partition(b"\r\n\r\n")[2].split(b"\n")[:-1]
    assert all(line.startswith(b"{") and line.endswith(b"}") for line in lines if line)


@pytest.mark.parametrize("path", ["/healthz", "/v1/games"])
def test_an_endless_body_that_nobody_reads_ends_the_connection(live: Live, path: str) -> None:
    """Nor is the application asked before all of it is there."""
    head = f"GET {path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    chunk = b"4000\r\n" + b" " * 0x4000 + b"\r\n"
    with socket.create_connection(("127.0.0.1", live.port), timeout=10) as connection:
        connection.sendall(head)
        with suppress(ConnectionError):
            for _ in range(1_000):
                connection.sendall(chunk)
            pytest.fail("16 MB were taken")


def test_a_trailer_behind_a_refused_body_is_no_header(live: Live, coins: LiveMatch) -> None:
    """All of it is there before the application sees the request."""
    chunks = b"f000\r\n" + b" " * 0xF000 + b"\r\n" + b"1001\r\n" + b" " * 0x1001 + b"\r\n"
    key = f"Authorization: Bearer {coins.keys[0]}\r\n\r\n".encode()
    head = f"GET {coins.anyone.path}/view?as=seat:0 HTTP/1.1\r\nHost: x\r\n"
    head += "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    [reply] = send(live, head.encode() + chunks + LAST + key)
    assert (reply.status, b'"not_allowed"' in reply.body) == (403, True)
