"""A body that is announced to be too large is refused before it is sent."""

from tests.support.http.raw_http import send
from tests.support.servers.live_server import Live, LiveMatch


def test_a_size_that_is_announced_too_large_is_refused_at_once(
    live: Live, coins: LiveMatch
) -> None:
    head = [
        f"POST {coins.anyone.path}/actions HTTP/1.1",
        "Host: x",
        f"Authorization: Bearer {coins.keys[0]}",
        "Content-Length: 10000000000",
        "Connection: close",
    ]
    [reply] = send(live, "\r\n".join(head).encode() + b"\r\n\r\n", patience=2.0)
    assert reply.status == 413
    assert reply.is_problem
