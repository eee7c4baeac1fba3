"""Limits of a connection, tested with sockets that send too much or too little, or are too many."""

import asyncio
import json
import resource
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from http.client import HTTPResponse
from threading import Event
from typing import Any

import pytest

from service.event_store.store import Store
from service.http.middleware import rate_limiting
from service.observability.arrival import seconds_since_arrival
from service.server import connections
from service.server.descriptors import most_connections, open_files
from service.settings import KEEP_ALIVE
from tests.support.http.match_play import assert_problem
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Live
from tests.support.servers.raw_sockets import PATIENCE, connected, everything, live, peers, request
from tests.support.waiting import wait_until

__all__ = ["live"]

BODY_OF_TWO = (
    "POST /v1/matches HTTP/1.1\r\nHost: x\r\n"
    f"Authorization: Bearer {ORGANISER_KEY}\r\nContent-Length: 2\r\n\r\n"
).encode()


def test_requests_sent_without_waiting_are_all_answered_in_order(live: Live) -> None:
    """A hundred thousand bytes of small requests at once, one of them with a body."""
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


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET /v1/games HTTP/1.1\r\nHost: ",
        b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /healthz HTTP/1.1\r\nHost",
    ],
)
def test_a_head_that_is_late_ends_the_connection(
    live: Live, sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.5)
    began = time.monotonic()
    with connected(live, sent) as connection:
        everything(connection)
        assert 0.4 < time.monotonic() - began < 3.0


def test_a_body_that_is_late_ends_the_connection(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "BODY_SECONDS", 0.5)
    began = time.monotonic()
    with connected(live, BODY_OF_TWO + b"{") as sender:
        assert everything(sender) == b""
        assert 0.4 < time.monotonic() - began < 3.0
    wait_until(lambda: not live.server.connections.bytes_by_connection)


HALF_A_HEAD = b"GET /v1/games HTTP/1.1\r\nHost: x\r\nX: y"


@pytest.mark.parametrize(
    ("begun", "held", "rest", "status"),
    [(BODY_OF_TWO + b"{", 1, b"}", b"400"), (HALF_A_HEAD, len(HALF_A_HEAD), b"\r\n\r\n", b"200")],
    ids=["bodies", "heads"],
)
def test_of_too_much_that_is_not_complete_the_slowest_is_dropped(
    live: Live, monkeypatch: pytest.MonkeyPatch, begun: bytes, held: int, rest: bytes, status: bytes
) -> None:
    wait_until(lambda: not live.server.connections.bytes_by_connection)
    monkeypatch.setattr(connections, "MOST_HELD", 3 * held)
    with ExitStack() as stack:
        slow = []
        for _ in range(4):
            slow.append(stack.enter_context(connected(live, begun)))
            wait_until(
                lambda: len(live.server.connections.bytes_by_connection) == min(len(slow), 3)
            )
        assert everything(slow[0]) == b""
        slow[3].sendall(rest)
        assert slow[3].recv(12) == b"HTTP/1.1 " + status


def test_who_waits_to_be_told_to_send_a_body_is_told(live: Live) -> None:
    expecting = BODY_OF_TWO.replace(b"\r\n\r\n", b"\r\nExpect: 100-continue\r\n\r\n")
    with connected(live, expecting) as connection:
        assert connection.recv(65_536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b"{}")
        assert connection.recv(12) == b"HTTP/1.1 400"


def test_after_a_failure_the_connection_ends_whatever_is_behind_the_request(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def failing(*_: object) -> None:
        raise RuntimeError("planted")

    monkeypatch.setattr(live.server.connections, "app", failing)
    monkeypatch.setattr(connections, "DISCARD_SECONDS", 0.5)
    with connected(live, request("/") * 2 + b"GET / HT") as connection:
        own = connection.getsockname()
        assert everything(connection).count(b"HTTP/1.1 500") == 1
        wait_until(lambda: own not in peers(live.server.connections.open))


def test_how_long_a_request_has_waited_is_known_while_it_is_answered(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    known: list[float] = []

    async def slow(*_: object) -> None:
        await asyncio.sleep(0.1)
        known.append(seconds_since_arrival())

    monkeypatch.setattr(live.server.connections, "app", slow)
    with connected(live, request("/")) as connection:
        everything(connection)
    assert known[0] > 0.09  # a loop may wake a little early


def test_a_kept_alive_connection_is_not_cut_off_for_its_age(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.3)
    monkeypatch.setattr(connections, "BODY_SECONDS", 0.3)
    with connected(live) as connection:
        for _ in range(4):
            connection.sendall(request("/v1/games"))
            response = HTTPResponse(connection)
            response.begin()
            assert response.status == 200
            assert json.loads(response.read())
            time.sleep(0.7)


def test_a_connection_that_waits_for_its_next_request_ends_after_the_time_that_is_set(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live.server.connections, "keep_alive", 1.5)
    before = live.server.connections.cut_off
    with connected(live, request("/v1/games/none") * 2) as connection:
        began = time.monotonic()
        answers = everything(connection)
        assert answers.count(b"HTTP/1.1 404") == 2
        assert 1.4 < time.monotonic() - began < 5.0
    assert live.server.connections.cut_off == before, "it was not slow"


def test_connections_are_kept_longer_than_balancers_keep_them() -> None:
    assert KEEP_ALIVE > 60


def test_requests_waiting_for_an_answer_are_limited(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next request is answered 503 at once, and those that wait get their responses."""
    wait_until(lambda: live.guard.requests == 0)
    monkeypatch.setattr(rate_limiting, "MOST_REQUESTS", 5)
    go_on, append = Event(), Store.append

    def blocked(*appended: Any) -> None:
        assert go_on.wait(PATIENCE)
        append(*appended)

    match, before = live.create("dollar-prize"), live.guard.turned_away
    monkeypatch.setattr(Store, "append", blocked)
    with ThreadPoolExecutor(5) as pool:
        waiting = [pool.submit(match.moderator.start) for _ in range(5)]
        wait_until(lambda: live.guard.requests == 5)
        answer = match.anyone.view()
        assert_problem(answer, 503, "try_again")
        assert live.guard.turned_away == before + 1
        assert int(answer.headers["retry-after"]) >= 1
        assert live.anyone.get("/healthz").status_code == 200
        assert live.anyone.get("/readyz").status_code == 200
        go_on.set()
        assert sorted(each.result().status_code for each in waiting) == [201, 409, 409, 409, 409]
    # A client has its response a moment before the server has finished with the request.
    wait_until(lambda: live.guard.requests == 0)
    assert match.anyone.view().status_code == 200


@pytest.mark.parametrize(
    ("late", "answered"),
    [
        (0.0, "action start own_view public_view feed probe"),
        (0.3, "action start own_view probe"),
        (0.6, "action start probe"),
        (2.0, "action probe"),
    ],
)
def test_what_cannot_be_answered_in_time_is_refused_at_once_and_actions_last(
    live: Live, late: float, answered: str
) -> None:
    match, other = live.started("dollar-prize"), live.create("dollar-prize")
    live.guard.delay.seconds = late
    try:
        answers = {
            "action": match.seats[0].act({"type": "end_turn"}),
            "start": other.moderator.start(),
            "own_view": match.seats[0].view(),
            "public_view": match.anyone.view(),
            "feed": live.anyone.get(f"{match.anyone.path}/events?as=public"),
            "probe": live.anyone.get("/healthz"),
        }
    finally:
        live.guard.delay.seconds = 0.0
    refused = {name for name, answer in answers.items() if answer.status_code == 503}
    assert refused == answers.keys() - set(answered.split())
    for name in refused:
        assert_problem(answers[name], 503, "try_again")
        assert int(answers[name].headers["retry-after"]) >= 1


def test_live_readers_are_no_waiting_requests(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limiting, "MOST_REQUESTS", 2)
    match = live.started("dollar-prize")
    with ExitStack() as stack:
        for _ in range(8):
            response = stack.enter_context(match.anyone.stream())
            assert response.status_code == 200
        assert len(live.guard.open_streams) == 8
        assert match.anyone.view().status_code == 200
    wait_until(lambda: len(live.guard.open_streams) == 0)


@pytest.mark.parametrize("spelt", ["{}/stream/", "{}/stream//", "/{}//stream", "{}/%73tream%2F"])
def test_a_live_reader_is_one_however_its_path_is_spelt(
    live: Live, monkeypatch: pytest.MonkeyPatch, spelt: str
) -> None:
    monkeypatch.setattr(rate_limiting, "MOST_REQUESTS", 2)
    match = live.started("dollar-prize")
    path = spelt.format(f"/v1/matches/{match.id}") + "?after=0"
    with ExitStack() as stack:
        for _ in range(3):
            reader = stack.enter_context(connected(live, request(path)))
            assert reader.recv(12) == b"HTTP/1.1 200"
        assert len(live.guard.open_streams) == 3
        assert match.anyone.view().status_code == 200
    wait_until(lambda: len(live.guard.open_streams) == 0)


@pytest.mark.parametrize("path", ["/healthz/", "//readyz"])
def test_a_probe_is_answered_however_its_path_is_spelt(
    live: Live, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(rate_limiting, "MOST_REQUESTS", 0)
    with connected(live, request(path, more="Connection: close\r\n")) as probe:
        assert everything(probe).startswith(b"HTTP/1.1 200")


def test_a_connection_beyond_the_limit_is_answered_503(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Connections are refused before the files run out, which the store needs, too."""
    before = live.server.connections.turned_away
    now = len(live.server.connections.open)
    monkeypatch.setattr(live.server.connections, "most", now + 1)
    with connected(live) as first:
        wait_until(lambda: len(live.server.connections.open) == now + 1)
        with connected(live, request("/v1/games")) as second:
            head, document = everything(second).split(b"\r\n\r\n", 1)
            assert head.startswith(b"HTTP/1.1 503 ")
            assert b"\r\nretry-after: 1\r\n" in head + b"\r\n"
            assert json.loads(document)["code"] == "try_again"
        first.sendall(request("/v1/games"))
        assert first.recv(12) == b"HTTP/1.1 200"
    assert live.server.connections.turned_away == before + 1


def test_file_descriptors_are_reserved_for_the_store() -> None:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert 0 < most_connections(open_files()) < soft
