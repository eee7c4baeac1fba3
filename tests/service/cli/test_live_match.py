"""A match of a running service, followed over busy, older and foreign servers."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import httpx
import pytest
import rich_click as click

from projections.lines import Line
from service.cli.live_match import Cut, Ended, Joined, LiveMatch, News, WentBack
from service.cli.match_text import happening
from service.cli.service_connection import TRIES, ServiceRefused
from tests.support.http.plain_server import PlainServer

MATCH = "0199aa00-0000-7000-8000-00000000ffff"
END = b'{"end":true,"seq":2}\n'
LINE = (
    b'{"seq":%d,"public_seq":null,"at":"2026-11-23T07:00:00Z","type":"match.paused.1",'
    b'"data":{"left":null}}\n'
)
VIEW = (
    b'{"match":"m","game":"g","seats":[],"audience":"seat:0","seq":3,"public_seq":2,"status":"running",'
    b'"awaiting":{},"view":null,"result":null}'
)
NOWHERE = "http://127.0.0.1:1"
BUSY = b'{"title":"Too much.","code":"too_many_requests"}'


class Followed:
    """A match whose pauses are noted, and take no time."""

    def __init__(self, url: str) -> None:
        self.paused: list[float] = []
        self.match = LiveMatch(f"{url}/v1/matches/{MATCH}", "arb_s0_1", pause=self._pause)

    async def _pause(self, seconds: float) -> None:
        self.paused.append(seconds)

    async def news(self) -> list[News]:
        return [news async for news in self.match.follow(0)]


@asynccontextmanager
async def following(
    server: PlainServer | None, answers: Sequence[tuple[int, bytes]] = ()
) -> AsyncIterator[Followed]:
    """A match at a server that gives these answers, or where there is none."""
    if server is not None:
        server.answers = list(answers)
    followed = Followed(NOWHERE if server is None else server.url)
    try:
        yield followed
    finally:
        await followed.match.close()


async def test_a_stream_that_ends_too_early_is_opened_again_behind_its_last_line(
    server: PlainServer,
) -> None:
    answers = [(200, LINE % 1), (200, b"\n" + LINE % 2 + END)]
    async with following(server, answers) as followed:
        news = await followed.news()
    assert [type(one) for one in news] == [Joined, Line, Cut, Joined, Line, Ended]
    assert [one.seq for one in news if isinstance(one, Line)] == [1, 2]


async def test_a_busy_service_is_asked_again_after_as_long_as_it_says(server: PlainServer) -> None:
    server.headers |= {"Retry-After": "7"}
    async with following(server, [(429, BUSY), (503, BUSY), (204, b"")]) as followed:
        assert [type(one) for one in await followed.news()] == [Cut, Cut, Ended]
        assert followed.paused == [7, 7]


async def test_pauses_grow_up_to_a_limit() -> None:
    async with following(None) as followed:
        async for news in followed.match.follow(0):
            if news == Cut(15):
                break
        assert followed.paused == [0.5, 1, 2, 4, 8]


async def test_where_history_went_back_it_begins_again(server: PlainServer) -> None:
    gone = b'{"title":"Gone.","code":"history_went_back"}'
    async with following(server, [(409, gone), (200, LINE % 1 + END)]) as followed:
        assert [type(one) for one in await followed.news()] == [WentBack, Joined, Line, Ended]
        assert followed.paused == []


@pytest.mark.parametrize("text", [b"<html>\n", b'{"seq":"x"}\n', b"[]\n", b"\xff\n"])
async def test_what_is_no_stream_is_an_error(server: PlainServer, text: bytes) -> None:
    async with following(server, [(200, text)]) as followed:
        with pytest.raises(click.ClickException, match="does not answer as a service"):
            await followed.news()


async def test_a_refusal_is_an_error_with_its_sentences(server: PlainServer) -> None:
    refused = (
        b'{"title":"Unknown.","code":"wrong_shape","errors":'
        b'[{"in":"body","code":"x","pointer":"/side","detail":"Heads or tails."}]}'
    )
    async with following(server, [(400, refused)]) as followed:
        with pytest.raises(ServiceRefused) as raised:
            await followed.match.view()
    assert (raised.value.code, raised.value.what) == (
        "wrong_shape", "Unknown. side: Heads or tails.",
    )  # fmt: skip


async def test_a_busy_service_is_asked_again_for_a_view(server: PlainServer) -> None:
    server.headers |= {"Retry-After": "7"}
    async with following(server, [(503, BUSY), (200, VIEW)]) as followed:
        assert (await followed.match.view()).seq == 3
        assert followed.paused == [7]


async def test_a_service_that_stays_away_is_given_up() -> None:
    async with following(None) as followed:
        with pytest.raises(httpx.TransportError):
            await followed.match.view()
        assert len(followed.paused) == TRIES - 1


def test_an_event_that_this_release_does_not_know_is_shown_by_its_fields() -> None:
    line = Line(1, 1, "2026-11-23T07:00:00Z", "match.painted.9", {"seat": 0, "colour": "\x1b[2J"})
    said = happening(line, ("Ann", "Ben"))
    assert said is not None
    assert said.startswith("painted: seat Ann; colour ")
    assert "\x1b" not in said
