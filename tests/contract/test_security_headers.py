"""No response is taken by a browser for another type than it says."""

import pytest

from service.server import connections
from tests.support.servers.operated_server import Operated
from tests.support.servers.raw_sockets import connected, everything, live, request

__all__ = ["live"]

CLOSE = "Connection: close\r\n"
REQUESTS = {
    "200": request("/v1/games", more=CLOSE),
    "200 page": request("/verify", more=CLOSE),
    "200 manual": request("/docs", more=CLOSE),
    "404": request("/nowhere", more=CLOSE),
    "405": request("/v1/games", more=CLOSE).replace(b"GET", b"PUT"),
    "400": b"NONSENSE\r\n\r\n",
    "431": b"GET / HTTP/1.1\r\nA: " + b"a" * 100_000,
}


def heads(received: bytes) -> list[bytes]:
    head, _, _ = received.partition(b"\r\n\r\n")
    return head.lower().split(b"\r\n")


@pytest.mark.parametrize("status", REQUESTS)
def test_every_response_forbids_guessing_its_type(live: Operated, status: str) -> None:
    with connected(live, REQUESTS[status]) as connection:
        head = heads(everything(connection))
    assert head[0].split()[1] == status[:3].encode()
    assert head.count(b"x-content-type-options: nosniff") == 1


def test_a_request_that_is_turned_away_gets_it_too(
    live: Operated, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MOST_REQUESTS", 0)
    with connected(live, request("/v1/games", more=CLOSE)) as connection:
        head = heads(everything(connection))
    assert head[0].split()[1] == b"503"
    assert head.count(b"x-content-type-options: nosniff") == 1
