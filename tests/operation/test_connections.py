"""What a connection may cost, tried by sockets that send too much or too little, or do not read."""

import json
import resource
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from threading import Event
from typing import Any
from uuid import UUID

import pytest

from service.operation import connections
from service.operation.connections import Connections
from service.storage.store import Store
from tests.contract.playing import all_events, assert_problem
from tests.live import NDJSON, ORGANISER_KEY, LiveMatch
from tests.operation.live import Operated, operated
from tests.service.instance import NOT_NOW, sends

MEGABYTE = 1_000_000
PATIENCE = 10.0
SMALL = 4_096
"""The receive buffer of who does not read, so that the service notices soon."""


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operated]:
    with operated(tmp_path_factory.mktemp("live")) as server:
        yield server


@pytest.fixture(scope="module")
def long(live: Operated) -> LiveMatch:
    """A match of which the moderators have far more to read than waits in the system's memory."""
    match = live.started("dollar-prize")

    async def refused() -> None:
        for _ in range(3_000):
            await live.arbiter.matches.enter(UUID(match.id), sends(0, NOT_NOW), 0)

    live.do(refused())
    return match


def in_memory() -> int:
    """How many bytes of memory this process has, the server in it included."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def connected(live: Operated, sent: bytes = b"", receive: int | None = None) -> socket.socket:
    connection = socket.socket()
    if receive is not None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
    connection.settimeout(PATIENCE)
    connection.connect(("127.0.0.1", live.port))
    connection.sendall(sent)
    return connection


BODY_OF_TWO = (
    "POST /v1/matches HTTP/1.1\r\nHost: x\r\n"
    f"Authorization: Bearer {ORGANISER_KEY}\r\nContent-Length: 2\r\n\r\n"
).encode()


def request(path: str, key: str | None = None, more: str = "") -> bytes:
    bearer = "" if key is None else f"Authorization: Bearer {key}\r\n"
    return f"GET {path} HTTP/1.1\r\nHost: x\r\n{bearer}{more}\r\n".encode()


def everything(connection: socket.socket) -> bytes:
    """All that comes until the connection ends, which it must."""
    received = b""
    try:
        while chunk := connection.recv(65_536):
            received += chunk
    except ConnectionResetError:
        pass
    return received


def eventually(holds: Callable[[], bool]) -> bool:
    until = time.monotonic() + PATIENCE
    while not holds() and time.monotonic() < until:
        time.sleep(0.02)
    return holds()


def answered_soon(live: Operated) -> bool:
    """Whether somebody who behaves is answered within a second."""
    began = time.monotonic()
    answer = live.anyone.get("/v1/games")
    return answer.status_code == 200 and time.monotonic() - began < 1.0


def test_requests_sent_without_waiting_are_all_answered_in_order(live: Operated) -> None:
    """A hundred thousand bytes of small requests at once, with a body among them."""
    body = b'{"game":"no-such-game","seats":["Ann"],"filler":"' + b"x" * 9_000 + b'"}'
    post = b"POST /v1/matches HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%b"
    games = request("/v1/games/dollar-prize") + request("/v1/games/none")
    sent = (games * 500 + post % (len(body), body)) * 2
    with connected(live) as connection, ThreadPoolExecutor(1) as sender:
        sender.submit(connection.sendall, sent + request("/", more="Connection: close\r\n"))
        statuses = [line.split()[1] for line in _status_lines(everything(connection))]
    assert statuses == ([b"200", b"404"] * 500 + [b"401"]) * 2 + [b"200"]


def _status_lines(answers: bytes) -> list[bytes]:
    return [b"HTTP/1.1" + part[:5] for part in answers.split(b"HTTP/1.1")[1:]]


def test_requests_sent_without_reading_the_answers_cost_no_memory(live: Operated) -> None:
    one = request("/v1/games/dollar-prize")
    answered_soon(live)
    before = in_memory()
    with ExitStack() as stack:
        for _ in range(10):
            connection = stack.enter_context(connected(live, receive=SMALL))
            connection.setblocking(False)
            began = time.monotonic()
            while time.monotonic() - began < 0.3:
                try:
                    connection.send(one * 1_000)
                except BlockingIOError:
                    time.sleep(0.01)
        assert answered_soon(live)
        assert in_memory() - before < 60 * MEGABYTE


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET /v1/games HTTP/1.1\r\nHost: ",
        b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /healthz HTTP/1.1\r\nHost",
    ],
)
def test_a_head_that_does_not_come_ends_the_connection(
    live: Operated, sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.5)
    with connected(live, sent) as connection:
        began = time.monotonic()
        everything(connection)
        assert 0.4 < time.monotonic() - began < 3.0


def test_a_body_that_does_not_come_ends_the_connection(
    live: Operated, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "BODY_SECONDS", 0.5)
    with connected(live, BODY_OF_TWO + b"{") as sender:
        began = time.monotonic()
        assert everything(sender) == b""
        assert 0.4 < time.monotonic() - began < 3.0
    assert eventually(lambda: not live.server.connections.bodies)


def test_of_too_many_bodies_the_slowest_gives_way(
    live: Operated, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MOST_BODIES", 3)
    with ExitStack() as stack:
        slow = []
        for _ in range(4):
            slow.append(stack.enter_context(connected(live, BODY_OF_TWO)))
            assert eventually(lambda: len(live.server.connections.bodies) == min(len(slow), 3))
        assert everything(slow[0]) == b""
        slow[3].sendall(b"{}")
        assert slow[3].recv(12) == b"HTTP/1.1 400"


def test_who_keeps_alive_a_connection_is_not_cut_off_for_its_age(
    live: Operated, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.3)
    monkeypatch.setattr(connections, "BODY_SECONDS", 0.3)
    with connected(live) as connection:
        for _ in range(4):
            connection.sendall(request("/v1/games"))
            assert connection.recv(65_536).startswith(b"HTTP/1.1 200")
            time.sleep(0.7)


def test_a_live_reader_who_does_not_read_is_cut_off_and_comes_back_without_loss(
    live: Operated, long: LiveMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "UNREAD_SECONDS", 0.5)
    told, before = all_events(long.moderator), live.server.connections.cut_off
    asks = request(
        f"{long.moderator.path}/stream?after=0", long.moderator_key, f"Accept: {NDJSON}\r\n"
    )
    with connected(live, asks, SMALL) as connection:
        assert eventually(lambda: bool(live.server.connections.unread))
        assert eventually(lambda: not live.server.connections.unread)
        lines = _lines(everything(connection))
    assert 0 < len(lines) < len(told)
    assert live.server.connections.cut_off == before + 1
    with long.moderator.stream({"Accept": NDJSON}, after=lines[-1]["seq"]) as response:
        for text in response.iter_lines():
            lines.append(json.loads(text))
            if len(lines) == len(told):
                break
    assert lines == told


def _lines(received: bytes) -> list[dict[str, object]]:
    """The whole lines of a stream that broke off."""
    body = received.split(b"\r\n\r\n", 1)[1]
    text, rest = b"", body
    while b"\r\n" in rest:
        size, rest = rest.split(b"\r\n", 1)
        text += rest[: int(size, 16)]
        rest = rest[int(size, 16) + 2 :]
    return [json.loads(line) for line in text.split(b"\n")[:-1] if line]


def test_who_leaves_the_last_of_an_answer_is_not_waited_for(
    live: Operated, long: LiveMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The service has closed the connection, and too little waits for it to count as much."""
    monkeypatch.setattr(connections, "UNREAD_SECONDS", 0.5)
    page = request(f"{long.moderator.path}/events?limit=1000", long.moderator_key)
    at_work = live.server.connections.connections
    assert eventually(lambda: len(at_work) <= 1)
    with ExitStack() as stack:
        for limit in range(100, 1_000, 50):
            last = request(
                f"{long.moderator.path}/events?limit={limit}",
                long.moderator_key,
                "Connection: close\r\n",
            )
            stack.enter_context(connected(live, page + last, SMALL))
        assert eventually(lambda: any(_little_waits(each) for each in at_work))
        assert eventually(lambda: len(at_work) <= 1)


def _little_waits(connection: Any) -> bool:
    transport = connection.transport
    return bool(transport.is_closing()) and 0 < transport.get_write_buffer_size() < 65_536


def test_a_slow_reader_who_reads_on_is_not_cut_off(
    live: Operated, long: LiveMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "UNREAD_SECONDS", 1.0)
    asks = request(f"{long.moderator.path}/bundle?as=moderator", long.moderator_key)
    with connected(live, asks, SMALL) as connection:
        assert eventually(lambda: bool(live.server.connections.unread))
        began = time.monotonic()
        while live.server.connections.unread and time.monotonic() - began < 3.0:
            assert connection.recv(8 * SMALL, socket.MSG_WAITALL), "cut off"
            time.sleep(0.1)
        assert time.monotonic() - began > 2.5, "nothing had to be waited for"


def test_what_nobody_reads_is_bounded_and_who_reads_is_served(
    live: Operated, long: LiveMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two hundred readers of large answers who read nothing: the slowest give way to the rest."""
    monkeypatch.setattr(connections, "MOST_UNREAD", 4 * MEGABYTE)
    page = request(f"{long.moderator.path}/events?limit=1000", long.moderator_key)
    answered_soon(live)
    before, most, slowest = in_memory(), 0, 0.0
    with ExitStack() as stack:
        for _ in range(200):
            stack.enter_context(connected(live, page * 3, SMALL))
            began = time.monotonic()
            assert live.anyone.get("/healthz").status_code == 200
            slowest = max(slowest, time.monotonic() - began)
            most = max(most, live.server.connections.bytes_unread)
        assert 2 * MEGABYTE < most <= 4 * MEGABYTE
        assert in_memory() - before < 40 * MEGABYTE
        assert slowest < 1.0
    assert eventually(lambda: live.server.connections.bytes_unread == 0)


def test_what_waits_for_its_answer_is_bounded(
    live: Operated, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next is told to come again at once, and those that wait get their answers."""
    assert eventually(lambda: live.server.connections.requests == 0)
    monkeypatch.setattr(connections, "MOST_REQUESTS", 5)
    go_on, append = Event(), Store.append

    def held(*appended: Any) -> None:
        assert go_on.wait(PATIENCE)
        append(*appended)

    match, before = live.create("dollar-prize"), live.server.connections.turned_away
    monkeypatch.setattr(Store, "append", held)
    with ThreadPoolExecutor(5) as pool:
        waiting = [pool.submit(match.moderator.start) for _ in range(5)]
        assert eventually(lambda: live.server.connections.requests == 5)
        answer = match.anyone.view()
        assert_problem(answer, 503, "try_again")
        assert live.server.connections.turned_away == before + 1
        assert int(answer.headers["retry-after"]) >= 1
        assert live.anyone.get("/healthz").status_code == 200
        assert live.anyone.get("/readyz").status_code == 200
        go_on.set()
        assert sorted(each.result().status_code for each in waiting) == [201, 409, 409, 409, 409]
    assert match.anyone.view().status_code == 200


def test_live_readers_are_not_requests_that_wait(
    live: Operated, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MOST_REQUESTS", 2)
    match = live.started("dollar-prize")
    with ExitStack() as stack:
        for _ in range(8):
            response = stack.enter_context(match.anyone.stream())
            assert response.status_code == 200
        assert live.server.connections.streams == 8
        assert match.anyone.view().status_code == 200
    assert eventually(lambda: live.server.connections.streams == 0)


def test_who_comes_when_no_more_can_is_told_so(
    live: Operated, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the files run out that the store, too, has to open."""
    before = live.server.connections.turned_away
    now = len(live.server.connections.connections)
    monkeypatch.setattr(live.server.connections, "most", now + 1)
    with connected(live) as first:
        assert eventually(lambda: len(live.server.connections.connections) == now + 1)
        with connected(live, request("/v1/games")) as second:
            head, document = everything(second).split(b"\r\n\r\n", 1)
            assert head.startswith(b"HTTP/1.1 503 ")
            assert b"\r\nretry-after: 1\r\n" in head + b"\r\n"
            assert json.loads(document)["code"] == "try_again"
        first.sendall(request("/v1/games"))
        assert first.recv(12) == b"HTTP/1.1 200"
    assert live.server.connections.turned_away == before + 1


def test_files_are_kept_for_the_store() -> None:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert 0 < Connections().most < soft
