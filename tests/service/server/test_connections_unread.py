"""Limits of a connection whose client reads slowly or not at all: it is cut off, and reconnects."""

import asyncio
import json
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any
from uuid import UUID

import pytest

from service.server import connections
from service.streams.live_stream import BYTES_A_CHUNK
from tests.support.http.match_play import all_events
from tests.support.instance.service_instance import NOT_NOW, sends
from tests.support.servers.live_server import NDJSON, Live, LiveMatch
from tests.support.servers.raw_sockets import (
    MEGABYTE,
    RECEIVE_BUFFER,
    answered_soon,
    connected,
    everything,
    in_memory,
    live,
    peers,
    request,
)
from tests.support.waiting import wait_until

__all__ = ["live"]


@pytest.fixture(scope="module")
def long(live: Live) -> LiveMatch:
    """A match whose moderators have far more to read than fits into the system's buffers."""
    match = live.started("dollar-prize")

    async def refused() -> None:
        execute, match_id = live.instance.matches.execute, UUID(match.id)
        for _ in range(30):
            await asyncio.gather(*(execute(match_id, sends(0, NOT_NOW), 0) for _ in range(100)))

    live.do(refused())
    return match


def test_requests_sent_without_reading_the_answers_cost_no_memory(live: Live) -> None:
    one = request("/v1/games/dollar-prize")
    answered_soon(live)
    before = in_memory()
    with ExitStack() as stack:
        for _ in range(10):
            connection = stack.enter_context(connected(live, receive=RECEIVE_BUFFER))
            connection.setblocking(False)
            began = time.monotonic()
            while time.monotonic() - began < 0.3:
                try:
                    connection.send(one * 1_000)
                except BlockingIOError:
                    time.sleep(0.01)
        assert answered_soon(live)
        assert in_memory() - before < 60 * MEGABYTE


def test_a_live_reader_that_does_not_read_is_cut_off_and_reconnects_without_loss(
    live: Live, long: LiveMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "UNREAD_SECONDS", 0.5)
    events, before = all_events(long.moderator), live.server.connections.cut_off
    asks = request(
        f"{long.moderator.path}/stream?after=0", long.moderator_key, f"Accept: {NDJSON}\r\n"
    )
    with connected(live, asks, RECEIVE_BUFFER) as connection:
        wait_until(lambda: bool(live.server.connections.bytes_by_connection))
        wait_until(lambda: not live.server.connections.bytes_by_connection)
        lines = _lines(everything(connection))
    assert 0 < len(lines) < len(events)
    assert live.server.connections.cut_off == before + 1
    with long.moderator.stream({"Accept": NDJSON}, after=lines[-1]["seq"]) as response:
        for text in response.iter_lines():
            lines.append(json.loads(text))
            if len(lines) == len(events):
                break
    assert lines == events


def _lines(received: bytes) -> list[dict[str, object]]:
    """The whole lines of an interrupted stream."""
    body = received.split(b"\r\n\r\n", 1)[1]
    text, rest = b"", body
    while b"\r\n" in rest:
        size, rest = rest.split(b"\r\n", 1)
        text += rest[: int(size, 16)]
        rest = rest[int(size, 16) + 2 :]
    return [json.loads(line) for line in text.split(b"\n")[:-1] if line]


def test_a_client_that_leaves_the_end_of_an_answer_unread_is_not_waited_for(
    live: Live, long: LiveMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The service has closed the connection, and too few bytes are buffered to count as unread."""
    monkeypatch.setattr(connections, "UNREAD_SECONDS", 0.5)
    page = request(f"{long.moderator.path}/events?limit=1000", long.moderator_key)
    at_work = live.server.connections.open
    wait_until(lambda: len(at_work) <= 1)
    with ExitStack() as stack:
        for limit in range(100, 1_000, 50):
            last = request(
                f"{long.moderator.path}/events?limit={limit}",
                long.moderator_key,
                "Connection: close\r\n",
            )
            stack.enter_context(connected(live, page + last, RECEIVE_BUFFER))
        wait_until(lambda: any(_little_waits(each) for each in at_work))
        wait_until(lambda: len(at_work) <= 1)


def _little_waits(connection: Any) -> bool:
    transport = connection.transport
    return bool(transport.is_closing()) and 0 < transport.get_write_buffer_size() < 65_536


def test_a_slow_reader_that_reads_on_is_not_cut_off(
    live: Live, long: LiveMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time limit, however short, starts again whenever the client reads some. Slow clients are
    cut off by hand here, so that the duration of the test does not matter."""
    server, look = live.server.connections, live.server.connections.cut_off_the_slow
    monkeypatch.setattr(server, "cut_off_the_slow", lambda: None)
    monkeypatch.setattr(connections, "UNREAD_SECONDS", 0.0)
    asks = request(f"{long.moderator.path}/bundle?as=moderator", long.moderator_key)
    with connected(live, asks, RECEIVE_BUFFER) as connection:
        own, before = connection.getsockname(), server.cut_off
        # A connection of an earlier test may be about to close.
        wait_until(lambda: peers(server.bytes_by_connection) == [own])
        (reader,) = server.bytes_by_connection
        for _ in range(8):
            _read_until_looked(live, connection, reader, look)
            assert server.cut_off == before
            # The service may be about to write on, in the other thread.
            wait_until(
                lambda: bool(server.bytes_by_connection),
                failure=lambda: "nothing had to be waited for",
            )

        def cut_off() -> bool:
            live.run(look)
            return server.cut_off == before + 1

        wait_until(cut_off, failure=lambda: "who reads no more is cut off")


def _read_until_looked(
    live: Live, connection: socket.socket, reader: Any, look: Callable[[], None]
) -> None:
    """Reads until less is buffered in the service than when it last paused or looked, and lets it
    look then: both on its own loop, because it may write on and pause again at any time."""
    looked: list[bool] = []

    def look_if_read() -> None:
        unread = reader._unread
        looked.append(unread == 0 or reader.transport.get_write_buffer_size() < unread)
        if looked[-1]:
            look()

    while not (looked and looked[-1]):
        assert connection.recv(RECEIVE_BUFFER, socket.MSG_WAITALL), "cut off"
        live.run(look_if_read)


def test_unread_bytes_are_limited_and_readers_are_served(
    live: Live, long: LiveMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sixty clients that read nothing of large responses: the slowest are cut off."""
    monkeypatch.setattr(connections, "MOST_HELD", MEGABYTE)
    page = request(f"{long.moderator.path}/events?limit=1000", long.moderator_key)
    answered_soon(live)
    server = live.server.connections
    cut_off, memory, slowest = server.cut_off, in_memory(), 0.0
    most = [0]

    def someone_is_cut_off() -> bool:
        most.append(_unread(live))
        return server.cut_off > cut_off

    with ExitStack() as stack:
        for _ in range(60):
            stack.enter_context(connected(live, page * 3, RECEIVE_BUFFER))
            began = time.monotonic()
            assert live.anyone.get("/healthz").status_code == 200
            slowest = max(slowest, time.monotonic() - began)
            most.append(_unread(live))
        # The last responses may still be made.
        wait_until(someone_is_cut_off)
        assert MEGABYTE / 2 < max(most) <= MEGABYTE
        assert in_memory() - memory < 40 * MEGABYTE
        assert slowest < 1.0
    wait_until(lambda: live.server.connections.bytes_held == 0)


def _unread(live: Live) -> int:
    """The bytes unread between two turns of the service's loop, where it keeps its limit."""
    seen: list[int] = []
    live.run(lambda: seen.append(live.server.connections.bytes_held))
    return seen[0]


def test_little_waits_for_a_reader_that_reads_nothing(live: Live, long: LiveMatch) -> None:
    """Nothing more is written for it until it has taken what is there."""
    asks = request(f"{long.moderator.path}/stream?after=0", long.moderator_key)
    wait_until(lambda: not live.server.connections.bytes_by_connection)
    with connected(live, asks, RECEIVE_BUFFER):
        wait_until(lambda: bool(live.server.connections.bytes_by_connection))
        (reader,) = live.server.connections.bytes_by_connection
        for _ in range(20):
            assert live.anyone.get("/healthz").status_code == 200
        assert reader.transport.get_write_buffer_size() < 65_536 + 3 * BYTES_A_CHUNK
