"""HTTP that is cut off, contradicts itself or was never HTTP: no 5xx, and the service continues."""

from collections.abc import Iterator

import pytest
from structlog.testing import capture_logs

from tests.contract.requests.raw_http import Reply, request, send
from tests.support.http.match_play import all_events
from tests.support.servers.live_server import Live, LiveMatch

ACTION = b'{"type":"choose_side","side":"heads"}'

SHORT = 0.3
"""Seconds of silence after which a server counts as waiting for more of a broken request."""


@pytest.fixture(autouse=True)
def nothing_breaks(live: Live, coins: LiveMatch) -> Iterator[None]:
    """Afterwards the match is unchanged, the service answers, and has logged no failure."""
    before = coins.anyone.view().content
    with capture_logs() as logged:
        yield
    assert live.anyone.get("/healthz").status_code == 200
    assert coins.anyone.view().content == before
    assert [line for line in logged if line["log_level"] in ("error", "critical")] == []


def acting(match: LiveMatch, *headers: str) -> bytes:
    """The head of a request to act, without the size of its body."""
    own = (f"Authorization: Bearer {match.keys[1]}", "Connection: close", *headers)
    lines = [f"POST {match.anyone.path}/actions HTTP/1.1", "Host: x", *own]
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def assert_no_server_error(replies: list[Reply]) -> None:
    assert all(reply.status < 500 for reply in replies), replies


@pytest.mark.parametrize("sent", [0, len(ACTION) - 1])
def test_a_truncated_body_is_no_action(live: Live, coins: LiveMatch, sent: int) -> None:
    before = all_events(coins.moderator)
    head = acting(coins, f"Content-Length: {len(ACTION)}")
    assert_no_server_error(send(live, head + ACTION[:sent], cut=True))
    assert all_events(coins.moderator) == before


@pytest.mark.parametrize(
    "body",
    [
        b"zz\r\n{}\r\n0\r\n\r\n",
        b"-5\r\n{}\r\n0\r\n\r\n",
        b"2\r\n{}",
        b"2\r\n{}\r\n",
        b"ffffffffffffffffff\r\n{}\r\n0\r\n\r\n",
        b"2\n{}\n0\n\n",
        b"5\r\n{}\r\n0\r\n\r\n",
        b"0\r\n\r\n",
        b"",
    ],
    ids=str,
)
def test_bad_chunking_is_no_action(live: Live, coins: LiveMatch, body: bytes) -> None:
    before = all_events(coins.moderator)
    head = acting(coins, "Transfer-Encoding: chunked")
    assert_no_server_error(send(live, head + body, patience=SHORT))
    assert_no_server_error(send(live, head + body, cut=True))
    assert all_events(coins.moderator) == before


def test_a_chunked_action_is_an_action(live: Live, coins: LiveMatch) -> None:
    body = b"%x\r\n%s\r\n1\r\n}\r\n0\r\n\r\n" % (len(ACTION) - 1, ACTION[:-1])
    [reply] = send(live, acting(coins, "Transfer-Encoding: chunked") + body)
    assert (reply.status, b"not_your_turn" in reply.body) == (422, True)


def test_a_body_without_a_declared_size_is_limited_too(live: Live, coins: LiveMatch) -> None:
    chunk = b"4000\r\n" + b" " * 0x4000 + b"\r\n"
    replies = send(live, acting(coins, "Transfer-Encoding: chunked"), *[chunk] * 40, b"0\r\n\r\n")
    assert [reply.status for reply in replies] == [413]
    assert replies[0].is_problem


@pytest.mark.parametrize(
    "headers",
    [
        ("Content-Length: 37", "Transfer-Encoding: chunked"),
        ("Content-Length: 37", "Content-Length: 5"),
        ("Content-Length: -1",),
        ("Content-Length: 0x25",),
        ("Content-Length: 37, 37",),
        ("Transfer-Encoding: chunked, identity",),
        ("Transfer-Encoding: gzip",),
        ("Content Length: 37",),
        (" folded: x",),
        ("Content-Length: 99999999999999999999999999",),
    ],
    ids=str,
)
def test_a_request_that_contradicts_itself_is_no_action(
    live: Live, coins: LiveMatch, headers: tuple[str, ...]
) -> None:
    before = all_events(coins.moderator)
    replies = send(live, acting(coins, *headers) + ACTION, patience=SHORT)
    assert_no_server_error(replies)
    assert all(reply.status >= 400 for reply in replies)
    assert all_events(coins.moderator) == before


def test_a_body_is_not_read_as_the_next_request(live: Live, coins: LiveMatch) -> None:
    smuggled = request("GET", "/v1/games")
    replies = send(live, acting(coins, f"Content-Length: {len(smuggled)}") + smuggled)
    assert [reply.status for reply in replies] == [400]


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x00" * 100,
        b"\r\n\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /v1/games\r\n\r\n",
        b"get /v1/games HTTP/1.1\r\nHost: x\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 200,
        b"GET /v1/games HTTP/1.1\r\nHost: x\r\nA\x00B: c\r\n\r\n",
        b"GET /v1/games HTTP/1.1\r\nHost: x\r\nX: \x00\r\n\r\n",
        b"GET /v1/ga mes HTTP/1.1\r\nHost: x\r\n\r\n",
        b"CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        b"GET http://elsewhere.example/v1/games HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        b"GET /v1/games HTTP/1.1\r\nConnection: close\r\n\r\n",
        b"GET /v1/games HTTP/1.0\r\n\r\n",
        b"GET /v1/games HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
        b"GET /v1/games HTTP/1.1\r\nHost: x\r\nExpect: the-worst\r\nConnection: close\r\n\r\n",
        b"GET /\xff\xfe HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    ],
    ids=lambda sent: repr(sent[:40]),
)
def test_foreign_protocols_do_not_break_the_service(live: Live, garbage: bytes) -> None:
    assert_no_server_error(send(live, garbage, patience=SHORT))


def test_a_client_that_goes_away_in_the_middle_is_forgotten(live: Live, coins: LiveMatch) -> None:
    for _ in range(20):
        send(live, acting(coins, "Content-Length: 5000") + b'{"type":', cut=True)
        send(live, b"POST /v1/matches HTTP/1.1\r\nHos", cut=True)


@pytest.mark.parametrize(
    "hosts", [(), ("Host: x", "Host: x"), ("Host: x", "Host: y"), ("host: x", "HOST: x")], ids=str
)
@pytest.mark.parametrize(
    ("version", "path"), [("1.0", "/v1/games"), ("1.1", "/healthz"), ("1.1", "/verify")]
)
def test_a_request_has_exactly_one_host(
    live: Live, hosts: tuple[str, ...], path: str, version: str
) -> None:
    """RFC 9112, 3.2: two proxies might each believe another of several."""
    lines = [f"GET {path} HTTP/{version}", *hosts]
    [reply] = send(live, "\r\n".join(lines).encode() + b"\r\n\r\n")
    assert (reply.status, reply.is_problem) == (400, True)
    assert b'"code":"bad_request"' in reply.body


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_a_probe_has_at_most_one_host(live: Live, path: str) -> None:
    [reply] = send(live, f"GET {path} HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n".encode())
    assert reply.status == 400


def test_no_second_request_hides_behind_one_without_a_host(live: Live) -> None:
    sent = b"GET /v1/games HTTP/1.1\r\n\r\n" + request("GET", "/v1/games")
    assert [reply.status for reply in send(live, sent)] == [400]
