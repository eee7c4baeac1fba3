"""Requests in a row on one connection give the loop up between them."""

import asyncio
from collections.abc import Iterator

import pytest

from service.application.matches.match_sessions import MatchSessions
from tests.contract.requests.raw_http import send
from tests.support.loop_turns import Turns
from tests.support.servers.live_server import Live, LiveMatch

REQUESTS = 30

LOOKS = 4
"""How often one request looks at its match, at most."""

ASKED = {
    "a bundle": "bundle?as=public",
    "a checkpoint": "checkpoint",
    "a view": "view?as=public",
    "a page for which nobody waits": "events?as=public&after=0&wait=30",
    "the last page of a match that is over": "events?as=public&after=%d&wait=30",
    "a time line": "timeline?as=public",
}


@pytest.fixture
def turns(live: Live) -> Iterator[Turns]:
    """Those of the loop of the service."""
    counted = Turns()
    ticking = asyncio.run_coroutine_threadsafe(counted.tick(), live.loop)
    yield counted
    ticking.cancel()


@pytest.mark.parametrize("asked", ASKED)
def test_others_have_their_turn_between_two_requests(
    live: Live, played: LiveMatch, monkeypatch: pytest.MonkeyPatch, turns: Turns, asked: str
) -> None:
    rest = ASKED[asked]
    if "%d" in rest:
        rest %= played.anyone.view().json()["seq"]
    line = f"GET {played.anyone.path}/{rest} HTTP/1.1\r\nHost: x\r\n"
    many = f"{line}\r\n" * (REQUESTS - 1) + f"{line}Connection: close\r\n\r\n"
    looks = "current" if asked in ("a bundle", "a checkpoint") else "projection"
    turns.count(monkeypatch, MatchSessions, looks)
    answers = send(live, many.encode())
    assert [answer.status for answer in answers] == [200] * REQUESTS
    assert turns.calls >= REQUESTS
    assert turns.most <= LOOKS
