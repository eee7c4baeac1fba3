"""Limits of a WebSocket: slow readers, silent clients, floods, and the end of the service."""

import os
import socket
from base64 import b64encode

import pytest
from websockets.exceptions import InvalidStatus
from websockets.frames import Frame, Opcode
from websockets.protocol import CLIENT, Protocol

from service.server import connections, web_socket
from tests.support.http.match_play import all_events
from tests.support.http.play_socket import playing
from tests.support.servers.live_server import LiveMatch
from tests.support.servers.operated_server import Operated, operated
from tests.support.servers.raw_sockets import (
    RECEIVE_BUFFER,
    answered_soon,
    connected,
    everything,
    live,
    request,
)
from tests.support.waiting import wait_until

__all__ = ["live"]

REFUSED = b'{"id":"%d","action":{"type":"end_turn"}}'


@pytest.fixture
def coins(live: Operated) -> LiveMatch:
    return live.started("dollar-prize")


def handshake(match: LiveMatch) -> bytes:
    key = b64encode(os.urandom(16)).decode()
    more = (
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        f"Sec-WebSocket-Key: {key}\r\n"
    )
    return request(f"/v1/matches/{match.id}/play?after=0", match.keys[0], more)


def switched(live: Operated, match: LiveMatch, receive: int | None = None) -> socket.socket:
    """A connection that has become a WebSocket; nothing of it is read but the head."""
    connection = connected(live, handshake(match), receive)
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += connection.recv(1)
    assert head.startswith(b"HTTP/1.1 101 ")
    return connection


def text(payload: bytes) -> bytes:
    return Frame(Opcode.TEXT, payload).serialize(mask=True)


def frames(received: bytes) -> list[Frame]:
    """Whole frames; the last one may be cut off."""
    client = Protocol(CLIENT, max_size=None)
    client.receive_data(received)
    return [event for event in client.events_received() if isinstance(event, Frame)]


def test_a_slow_reader_is_told_so_and_loses_nothing(
    live: Operated, coins: LiveMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "UNREAD_SECONDS", 0.5)
    monkeypatch.setattr(web_socket, "CLOSE_SECONDS", 0.2)
    before = live.server.connections.cut_off
    with switched(live, coins, RECEIVE_BUFFER) as slow:
        sent = b"".join(text(REFUSED % n) for n in range(400))
        slow.sendall(sent)
        wait_until(lambda: live.server.connections.cut_off > before)
        received = frames(everything(slow))
    assert received[-1].opcode is Opcode.CLOSE
    assert int.from_bytes(received[-1].data[:2], "big") == 1013
    lines = [frame for frame in received if bytes(frame.data).startswith(b'{"line"')]
    events = all_events(coins.seats[0])
    assert 0 < len(lines) <= len(events)
    with playing(coins.seats[0], after=len(lines)) as again:
        if len(lines) < len(events):
            again.follow_to(len(events))
            assert again.lines == events[len(lines) :]


def test_who_never_reads_is_cut_off(
    live: Operated, coins: LiveMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "UNREAD_SECONDS", 0.3)
    with switched(live, coins, RECEIVE_BUFFER) as slow:
        slow.sendall(b"".join(text(REFUSED % n) for n in range(400)))
        wait_until(lambda: bool(live.server.connections.unread))
        wait_until(lambda: not live.server.connections.unread)
        wait_until(lambda: len(live.server.connections.tasks) == 0)


def test_a_silent_client_is_cut_off(
    live: Operated, coins: LiveMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "SILENT_SECONDS", 0.2)
    with switched(live, coins) as silent:
        everything(silent)


def test_a_flood_of_pings_is_answered_and_hurts_nobody(live: Operated, coins: LiveMatch) -> None:
    ping = Frame(Opcode.PING, b"x" * 125).serialize(mask=True)
    with switched(live, coins, RECEIVE_BUFFER) as flood:
        flood.setblocking(False)
        for _ in range(200):
            try:
                flood.send(ping * 1_000)
            except BlockingIOError:
                break
        assert answered_soon(live)


def test_frames_without_a_mask_close_it(live: Operated, coins: LiveMatch) -> None:
    with switched(live, coins) as wrong:
        wrong.sendall(Frame(Opcode.TEXT, b"{}").serialize(mask=False))
        received = frames(everything(wrong))
    assert int.from_bytes(received[-1].data[:2], "big") == 1002


def test_pages_of_a_named_origin_may_play(tmp_path_factory: pytest.TempPathFactory) -> None:
    origins = "*", "https://play.example"
    with operated(tmp_path_factory.mktemp("origins"), origins=origins) as live:
        seat = live.started("twelve-chips").seats[0]
        with playing(seat, origin="https://play.example") as page:
            assert page.act({"type": "fly"})["status"] == 400
        with pytest.raises(InvalidStatus), playing(seat, origin="https://other.example"):
            pass


def test_the_service_stops_and_says_so(tmp_path_factory: pytest.TempPathFactory) -> None:
    with operated(tmp_path_factory.mktemp("stopping")) as live:
        seat = live.started("twelve-chips").seats[0]
        with playing(seat, after=0) as ends:
            ends.take()
            live.run(live.instance.stop_streams)
            assert ends.closed() == 1012
