"""Pages of other origins in a real browser: those that the operator has named read live streams
through a bad connection, and no other page reads or shows anything."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio

from tests.browser.other_origin import other_origin
from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.http.match_play import all_events, play_out, step
from tests.support.servers.cutting_relay import CuttingRelay, cutting_relay
from tests.support.servers.live_server import Json, Live, LiveMatch, Player, serving

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]

CUTS = 2
"""The first between events, the second within one."""


@pytest.fixture(scope="module")
def named() -> Iterator[str]:
    """An origin that the operator has named."""
    with other_origin() as origin:
        yield origin


@pytest.fixture(scope="module")
def unnamed() -> Iterator[str]:
    """An origin of which the operator knows nothing."""
    with other_origin() as origin:
        yield origin


@pytest.fixture(scope="module")
def server(named: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with serving(tmp_path_factory.mktemp("origins"), origins=[named]) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def proxy(server: Live) -> AsyncIterator[CuttingRelay]:
    async with cutting_relay(server.port) as running:
        yield running


class Followers:
    """The readers in a page, each of which follows a match as one audience."""

    def __init__(self, tab: Tab, readers: dict[str, Player]) -> None:
        self._page = tab.page
        self.readers = readers
        self.first: dict[str, int] = dict.fromkeys(readers, 0)

    async def all(self, condition: str, *more: Any) -> None:
        """Returns when the condition, with a `follower` in it, is true of every reader."""
        every = f"(more) => Object.values(followers).every((follower) => {condition})"
        await self._page.wait_for_function(every, arg=list(more))

    async def opened(self, times: int) -> None:
        """Returns when every reader has got through at least so often."""
        await self.all("follower.opened >= more[0]", times)

    async def times_opened(self) -> int:
        """How often the readers have got through, all together."""
        opened: list[int] = await self._page.evaluate(
            "Object.values(followers).map((follower) => follower.opened)"
        )
        return sum(opened)

    async def received_everything(self) -> None:
        """Returns when every reader has what its audience has so far, each event once."""
        for name, player in self.readers.items():
            last = all_events(player)[-1]["seq"]
            seen = "([name, last]) => (followers[name].lines.at(-1)?.seq ?? 0) === last"
            if last > self.first[name]:
                await self._page.wait_for_function(seen, arg=[name, last])
            assert await self.lines(name) == all_events(player)[self.first[name] :], name

    async def lines(self, name: str) -> list[Json]:
        lines: list[Json] = await self._page.evaluate("(name) => followers[name].lines", name)
        return lines

    async def ended(self, name: str) -> Json:
        said: Json = await self._page.evaluate("(name) => followers[name].ended", name)
        return said


async def following(tab: Tab, proxy: CuttingRelay, match: LiveMatch) -> Followers:
    """The public's stream from now on, one seat's by ticket, the other's by its key: the last two
    from the first event."""
    readers = {"public": match.anyone, "seat 0": match.seats[0], "seat 1": match.seats[1]}
    followers = Followers(tab, readers)
    followers.first["public"] = all_events(match.anyone)[-1]["seq"]
    path = f"{proxy.url}{match.anyone.path}"
    await tab.page.evaluate("(url) => listen('public', url)", f"{path}/stream?as=public")
    await tab.page.evaluate(
        "async ([path, key]) => listen('seat 0', `${path}/stream?after=0&ticket=${"
        "await ticket(`${path}/stream-tickets`, key)}`)",
        [path, match.keys[0]],
    )
    # It returns when the match is over.
    await tab.page.evaluate(
        "([url, key]) => { read('seat 1', url, key); }", [f"{path}/stream", match.keys[1]]
    )
    return followers


def streams(proxy: CuttingRelay) -> list[str]:
    return [one for one in proxy.requests if one.startswith("GET ") and "/stream" in one]


async def test_every_event_arrives_once_through_a_connection_that_is_cut(
    opened: Tab, named: str, server: Live, proxy: CuttingRelay
) -> None:
    match = server.started("liars-dice")
    await opened.page.goto(named)
    followers = await following(opened, proxy, match)
    for cut in range(1, CUTS + 1):
        await followers.opened(cut)
        if cut % 2:
            # The first one comes before the public has received anything.
            proxy.cut()
        else:
            proxy.cut_within_next()
        assert step(match) is not None
        await followers.opened(cut + 1)
        await followers.received_everything()
    play_out(match)
    await followers.all("follower.state() === EventSource.CLOSED")
    await followers.received_everything()
    for name, player in followers.readers.items():
        assert await followers.ended(name) == {"seq": all_events(player)[-1]["seq"]}
    # Each has asked once more, and been answered that there is nothing more.
    assert len(streams(proxy)) == await followers.times_opened() + 3
    await opened.page.evaluate("(url) => fetch(url)", f"{proxy.url}/healthz")
    assert len(streams(proxy)) == await followers.times_opened() + 3
    assert proxy.requests[-1] == "GET /healthz"
    assert not [problem for problem in opened.problems if "CORS" in problem]


async def test_a_page_that_is_not_named_reads_nothing(
    opened: Tab, unnamed: str, server: Live
) -> None:
    match = server.started("liars-dice")
    await opened.page.goto(unnamed)
    stream = f"{server.url}{match.anyone.path}/stream?as=public&after=0"
    await opened.page.evaluate("(url) => listen('public', url)", stream)
    closed = "followers.public.state() === EventSource.CLOSED"
    await opened.page.wait_for_function(closed)
    assert await opened.page.evaluate("followers.public.lines.length") == 0
    reading = "(url) => fetch(url).then((answer) => answer.text(), (error) => error.name)"
    assert await opened.page.evaluate(reading, f"{server.url}/v1/games") == "TypeError"
    assert any("CORS" in problem for problem in opened.problems)


@pytest.mark.parametrize("path", ["/schema", "/verify", "/docs", "/docs/bot.py", "/v1/games"])
async def test_no_page_shows_another_one_in_a_frame(
    opened: Tab, named: str, server: Live, path: str
) -> None:
    await opened.page.goto(named)
    await opened.page.evaluate(
        """(url) => new Promise((resolve) => {
          const frame = document.createElement('iframe');
          frame.onload = resolve;
          frame.src = url;
          document.documentElement.append(frame);
        })""",
        f"{server.url}{path}",
    )
    (frame,) = opened.page.frames[1:]
    assert frame.url.startswith("chrome-error:")
    assert any("frame-ancestors" in problem for problem in opened.problems)
