"""HEAD is answered wherever GET is: the same status and headers, no body, and nothing happens."""

import asyncio
import time
from collections.abc import Iterator
from uuid import UUID

import pytest

from tests.contract.requests.raw_http import request, send
from tests.support.http.routes import routes
from tests.support.http.tournament_client import LiveCup, closed_cup
from tests.support.servers.live_server import Answer, Client, Live, LiveMatch
from tests.support.waiting import wait_until

QUERIES = (
    "", "as=public", "as=seat:0", "as=moderator", "as=x", "limit=x", "after=0", "as=public&at=1",
    "as=public&at=9999", "as=public&after=0&limit=1", "as=public&after=0&wait=30", "ticket=x",
    "nonsense=1",
)  # fmt: skip

OF_A_CONNECTION = ("date", "connection", "transfer-encoding")
"""Headers that are no part of what is answered."""

Account = tuple[str, str | None, bool, int]
"""Who has read what, and how far."""


def paths(method: str) -> list[str]:
    """The paths with a route for the method."""
    return sorted(route.path_format for route in routes() if method in route.methods)


@pytest.fixture(scope="module")
def tournament(live: Live) -> LiveCup:
    return closed_cup(live)


def filled(path: str, match: LiveMatch, tournament: LiveCup) -> str:
    values = {
        "{match_id}": match.id,
        "{tournament_id}": tournament.id,
        "{game}": "dollar-prize",
        "{stage}": "1",
        "{name}": "api" if path.startswith("/docs") else "start.js",
    }
    for name, value in values.items():
        path = path.replace(name, value)
    return path


def seen(answer: Answer) -> tuple[int, list[tuple[str, str]]]:
    headers = [
        (name.lower(), value)
        for name, value in answer.headers.multi_items()
        if name.lower() not in OF_A_CONNECTION
    ]
    return answer.status_code, headers


def readers(live: Live, match: LiveMatch) -> Iterator[Client]:
    yield from (player.client for player in match.audiences().values())
    yield live.organiser
    yield live.bearing("arb_s0_x")


@pytest.mark.parametrize("path", paths("GET"))
def test_head_has_the_status_and_the_headers_of_get(
    live: Live, played: LiveMatch, tournament: LiveCup, path: str
) -> None:
    everyone = list(readers(live, played))
    # Each query by one reader, by another at the next path: HEAD has no other way to its answer.
    first = paths("GET").index(path)
    for number, query in enumerate(QUERIES, first):
        client = everyone[number % len(everyone)]
        address = f"{filled(path, played, tournament)}?{query}"
        got, head = client.send("GET", address), client.send("HEAD", address)
        assert seen(head) == seen(got), address
        assert head.content == b""


ACCOUNTED = (
    "as=public", "at=1", "after=1&limit=1", "", "as=seat:1", "as=moderator",
)  # fmt: skip
"""Queries, each of which reads further than those before, or as another audience."""


@pytest.mark.parametrize("path", [path for path in paths("GET") if "{match_id}" in path])
def test_head_is_accounted_for_as_get_is(live: Live, path: str) -> None:
    """Streams send nothing here: they begin after the last event."""
    accounts = {method: list(accounts_after(live, method, path)) for method in ("GET", "HEAD")}
    assert accounts["GET"] == accounts["HEAD"]


def accounts_after(live: Live, method: str, path: str) -> Iterator[list[Account]]:
    """What is accounted for in a match of its own after each query."""
    match = live.started("dollar-prize", chance="manual")
    for query in ACCOUNTED:
        address = f"{path.replace('{match_id}', match.id)}?{query}"
        for sender in (match.organiser, match.seats[1], match.moderator):
            with live.http.stream(method, address, headers=sender.client.headers()) as answer:
                if not path.endswith("/stream"):
                    answer.read()
        yield accounted(live, match)


def accounted(live: Live, match: LiveMatch) -> list[Account]:
    reads = asyncio.run_coroutine_threadsafe(
        live.instance.reads.of_match(UUID(match.id)), live.loop
    )
    return [(one.role, one.audience, one.hidden, one.seq) for one in reads.result(10)]


def test_there_are_routes_to_try() -> None:
    assert len(paths("GET")) > 20


@pytest.mark.parametrize("path", sorted(set(paths("POST")) - set(paths("GET"))))
def test_head_is_refused_where_get_is(
    live: Live, played: LiveMatch, tournament: LiveCup, path: str
) -> None:
    address = filled(path, played, tournament)
    head = live.anyone.send("HEAD", address)
    assert seen(head) == seen(live.anyone.get(address))
    assert head.status_code == 405


def test_where_get_is_allowed_head_is_listed(live: Live) -> None:
    assert "HEAD" in live.anyone.send("PUT", "/v1/games").headers["allow"].split(", ")


def test_no_byte_follows_the_head(live: Live, played: LiveMatch) -> None:
    for path in ("/v1/games", f"/v1/matches/{played.id}/stream?after=0", "/verify", "/nothing"):
        [reply] = send(live, request("HEAD", path))
        assert reply.body == b"", path


def test_the_head_of_a_stream_is_answered_at_once(live: Live, coins: LiveMatch) -> None:
    for player in coins.audiences().values():
        with player.stream() as opened:
            got = seen(opened)
            wait_until(lambda: bool(live.instance.broadcast.followed))
        wait_until(lambda: not live.instance.broadcast.followed)
        began = time.monotonic()
        assert seen(player.client.send("HEAD", f"{player.path}/stream")) == got
        assert time.monotonic() - began < 5
        assert not live.instance.broadcast.followed


def test_the_head_of_a_page_does_not_wait(live: Live, coins: LiveMatch) -> None:
    last = coins.anyone.view().json()["seq"]
    address = f"{coins.anyone.path}/events?as=public&after={last}&wait=30"
    began = time.monotonic()
    answer = live.anyone.send("HEAD", address)
    assert time.monotonic() - began < 5
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "public, max-age=1")


def test_head_uses_no_ticket(live: Live, coins: LiveMatch) -> None:
    given = coins.seats[0].client.post(f"{coins.anyone.path}/stream-tickets")
    address = f"{coins.anyone.path}/stream?ticket={given.json()['ticket']}"
    assert [live.anyone.send("HEAD", address).status_code for _ in range(3)] == [200] * 3
    with coins.anyone.stream(ticket=given.json()["ticket"]) as opened:
        assert opened.status_code == 200


def test_head_records_nothing(live: Live, coins: LiveMatch, tournament: LiveCup) -> None:
    before = live.instance.store.end()
    for path in paths("GET"):
        live.bearing(coins.keys[0]).send("HEAD", filled(path, coins, tournament))
    assert live.instance.store.end() == before
