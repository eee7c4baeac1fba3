"""A seat's WebSocket through nginx."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.deploy.nginx_proxy import WORKERS, Proxy, needs_nginx, proxy
from tests.support.http.match_play import all_events
from tests.support.http.play_socket import playing
from tests.support.http.stream_tickets import play_ticket
from tests.support.servers.live_server import Client, Player
from tests.support.servers.operated_server import Operated
from tests.support.servers.raw_sockets import live
from tests.support.servers.server_thread import client_of
from tests.support.waiting import wait_until

__all__ = ["live"]

pytestmark = needs_nginx


@pytest.fixture(scope="module")
def nginx(tmp_path_factory: pytest.TempPathFactory, live: Operated) -> Iterator[Proxy]:
    """nginx, whose three workers are the same service."""
    folder: Path = tmp_path_factory.mktemp("nginx") / "nginx"
    with proxy(folder, [f"127.0.0.1:{live.port}"] * len(WORKERS)) as running:
        yield running


def test_a_seat_plays_through_it_and_no_log_has_its_ticket(nginx: Proxy, live: Operated) -> None:
    match = live.started("dollar-prize")
    with client_of(nginx.url) as http:
        seat = Player(Client(http, match.keys[0]), match.id)
        ticket = play_ticket(seat)
        with playing(seat, key=False, ticket=ticket, after=0) as socket:
            assert socket.act({"type": "choose_side", "side": "heads"})["status"] == 201
            socket.follow_to(len(all_events(seat)))
            assert socket.lines == all_events(seat)
    wait_until(lambda: any(line["status"] == 101 for line in nginx.access_log()))
    assert ticket not in nginx.said()
