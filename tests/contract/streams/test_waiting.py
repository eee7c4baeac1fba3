"""`GET …/events?as=public&after=N&wait=S`: an answer as soon as there is one, the same for all."""

import socket
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from service.auth.rate_limiter import Rates
from tests.support.http.match_play import assert_problem
from tests.support.http.rate_limited_server import at, new_address, rate_limited
from tests.support.servers.live_server import Answer, Live, LiveMatch, Player, serving
from tests.support.servers.raw_sockets import connected, request
from tests.support.waiting import wait_until

RATES = Rates(streams_by_address=2, streams=3)
LONG = 30


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with rate_limited(tmp_path_factory.mktemp("limited"), RATES) as server:
        yield server


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as made:
        yield made


def waits(player: Player, after: int, seconds: int = LONG) -> Answer:
    query = f"as=public&after={after}&wait={seconds}"
    return player.client.get(f"{player.path}/events?{query}")


def last(match: LiveMatch) -> int:
    seq: int = match.anyone.view().json()["seq"]
    return seq


def waiting(live: Live, count: int = 1) -> bool:
    """Whether so many readers wait now."""
    return sum(live.instance.broadcast._followed.copy().values()) == count


def act(match: LiveMatch) -> None:
    answer = match.seats[0].act({"type": "choose_side", "side": "heads"})
    assert answer.status_code == 201


def test_all_who_wait_get_the_next_event_in_the_same_bytes(
    live: Live, coins: LiveMatch, pool: ThreadPoolExecutor
) -> None:
    wait_until(lambda: waiting(live, 0))
    after = last(coins)
    players = [*coins.audiences().values(), Player(live.bearing("arb_s0_x"), coins.id)]
    asked: list[Future[Answer]] = [pool.submit(waits, player, after) for player in players]
    wait_until(lambda: waiting(live, len(players)))
    act(coins)
    answers = [each.result(LONG) for each in asked]
    assert {answer.status_code for answer in answers} == {200}
    assert {answer.headers["cache-control"] for answer in answers} == {"public, max-age=1"}
    (body,) = {answer.content for answer in answers}
    assert body == coins.anyone.events("public", after).content
    assert answers[0].json()["events"][0]["seq"] == after + 1


def test_what_is_there_is_answered_at_once(coins: LiveMatch) -> None:
    began = time.monotonic()
    answer = waits(coins.anyone, 0)
    assert answer.content == coins.anyone.events("public", 0).content
    assert answer.headers["cache-control"] == "public, max-age=1"
    assert time.monotonic() - began < 5


def test_without_an_event_the_page_is_empty_in_time_and_at_once_when_the_match_is_over(
    coins: LiveMatch, played: LiveMatch
) -> None:
    for match, seconds, soonest, latest in ((coins, 5, 4.9, 9), (played, LONG, 0, 5)):
        began = time.monotonic()
        answer = waits(match.anyone, last(match), seconds)
        assert answer.json() == {"events": [], "next": None}
        assert answer.headers["cache-control"] == "public, max-age=1"
        assert soonest < time.monotonic() - began < latest


@pytest.mark.parametrize("seconds", ["0", "1", "4", "6", "31", "-5", "5.0", "x", "", "5&wait=5"])
def test_other_waits_are_400(coins: LiveMatch, seconds: str) -> None:
    path = f"{coins.anyone.path}/events?as=public&after=0&wait={seconds}"
    assert_problem(coins.anyone.client.get(path), 400, "bad_request")


@pytest.mark.parametrize("query", ["", "as=seat:0&", "as=moderator&"])
def test_only_the_public_waits(coins: LiveMatch, query: str) -> None:
    answer = coins.moderator.client.get(f"{coins.anyone.path}/events?{query}after=0&wait=5")
    problem = assert_problem(answer, 422, "wait_not_public")
    assert problem["errors"][0]["allowed"] == ["public"]


def test_nobody_waits_for_a_number_not_reached(coins: LiveMatch) -> None:
    assert_problem(waits(coins.anyone, last(coins) + 1), 409, "history_went_back")


# What a waiting reader costs.


def test_each_waiting_reader_counts_as_a_stream(limited: Live, pool: ThreadPoolExecutor) -> None:
    match, address = limited.started("dollar-prize"), new_address()
    reader, after = at(address, limited, match), last(match)
    asked = [pool.submit(waits, reader, after) for _ in range(RATES.streams_by_address)]
    wait_until(lambda: waiting(limited, RATES.streams_by_address))
    refused = waits(reader, after)
    assert_problem(refused, 429, "too_many_requests")
    assert refused.headers["cache-control"] == "private, no-cache"
    assert_problem(reader.try_stream(), 429, "too_many_requests")
    keyed = at(address, limited, match, match.keys[0])
    assert waits(keyed, after).status_code == 429, "the key is not read"
    assert reader.events("public").status_code == 200, "who does not wait is no stream"
    assert waits(reader, 0).status_code == 200
    other = pool.submit(waits, at(new_address(), limited, match), after)
    wait_until(lambda: waiting(limited, RATES.streams))
    assert_problem(waits(at(new_address(), limited, match), after), 503, "try_again")
    act(match)
    assert [each.result(LONG).status_code for each in (*asked, other)] == [200] * RATES.streams


def test_who_goes_away_makes_room_at_once(limited: Live, pool: ThreadPoolExecutor) -> None:
    match, address = limited.started("dollar-prize"), new_address()
    after = last(match)
    wait_until(lambda: waiting(limited, 0))
    path = f"/v1/matches/{match.id}/events?as=public&after={after}&wait={LONG}"
    for _ in range(3):
        gone = [reader_at(limited, address, path) for _ in range(RATES.streams_by_address)]
        wait_until(lambda: waiting(limited, RATES.streams_by_address))
        for connection in gone:
            connection.close()
        wait_until(lambda: waiting(limited, 0))
    asked = pool.submit(waits, at(address, limited, match), after)
    wait_until(lambda: waiting(limited))
    act(match)
    assert asked.result(LONG).status_code == 200


def reader_at(live: Live, address: str, path: str) -> socket.socket:
    """A reader at an address, whose request has been sent."""
    connection = socket.create_connection(("127.0.0.1", live.port), timeout=10)
    connection.sendall(request(path, more=f"X-Forwarded-For: {address}\r\n"))
    return connection


def test_readers_that_wait_are_no_requests_under_way(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(tmp_path_factory.mktemp("operated")) as server:
        monkeypatch.setattr("service.http.middleware.rate_limiting.MOST_REQUESTS", 2)
        match = server.started("dollar-prize")
        path = f"/v1/matches/{match.id}/events?as=public&after={last(match)}&wait={LONG}"
        readers = [connected(server, request(path)) for _ in range(8)]
        wait_until(lambda: waiting(server, 8))
        assert len(server.guard.open_streams) == 8
        assert match.anyone.view().status_code == 200
        act(match)
        for reader in readers:
            assert reader.recv(12) == b"HTTP/1.1 200"
            reader.close()


def test_a_service_that_stops_answers_those_who_wait(
    tmp_path_factory: pytest.TempPathFactory, pool: ThreadPoolExecutor
) -> None:
    with serving(tmp_path_factory.mktemp("stopping")) as server:
        match = server.started("dollar-prize")
        asked = pool.submit(waits, match.anyone, last(match))
        wait_until(lambda: waiting(server))
        began = time.monotonic()
        server.run(server.instance.stop_streams)
        answer = asked.result(LONG)
        assert time.monotonic() - began < 5
        assert answer.json() == {"events": [], "next": None}
        assert answer.headers["x-accel-expires"] == "0", "a proxy gives it to nobody else"
