"""The pages for people in a real browser, on every size of screen."""

from urllib.parse import urlsplit

import pytest
from playwright.async_api import expect

from domain.games import GAMES
from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.games import fewest
from tests.support.http.match_play import step
from tests.support.http.tournament_client import cup
from tests.support.servers.live_server import Live, LiveMatch

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]

WIDTHS = (360, 768, 1280, 1920)
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def played(live: Live) -> dict[str, LiveMatch]:
    """A match of every game, a few steps in."""
    cup(live)
    matches = {game: live.started(game, fewest(game)) for game in GAMES}
    for match in matches.values():
        for _ in range(6):
            step(match)
    return matches


async def good_at_every_width(tab: Tab, live: Live) -> None:
    """Nothing is in anybody's way, and nothing has to be moved sideways."""
    for width in WIDTHS:
        await tab.page.set_viewport_size({"width": width, "height": 900})
        assert await tab.page.evaluate(OVERFLOW) == 0, width
    for width in WIDTHS[::2]:
        await tab.page.set_viewport_size({"width": width, "height": 900})
        assert await tab.barriers() == [], width
    assert tab.problems == []
    assert {urlsplit(address).netloc for address in tab.requests} == {urlsplit(live.url).netloc}


async def test_everybody_can_use_the_lobby(
    opened: Tab, live: Live, played: dict[str, LiveMatch]
) -> None:
    await opened.page.goto(live.url)
    await expect(opened.page.get_by_role("heading", name="On now")).to_be_visible()
    await good_at_every_width(opened, live)


@pytest.mark.parametrize("game", GAMES)
async def test_everybody_can_look_at_a_match(
    opened: Tab, live: Live, played: dict[str, LiveMatch], game: str
) -> None:
    await opened.page.goto(f"{live.url}/m/{played[game].id}")
    await expect(opened.page.get_by_role("heading", level=1)).to_have_text(GAMES[game].title)
    await good_at_every_width(opened, live)


async def test_a_reader_goes_back_by_keyboard(
    opened: Tab, live: Live, played: dict[str, LiveMatch]
) -> None:
    match = played["dollar-prize"]
    last = match.anyone.view().json()["seq"]
    await opened.page.goto(f"{live.url}/m/{match.id}")
    await opened.page.get_by_role("link", name="Back").press("Enter")
    await expect(opened.page.get_by_text(f"{last - 1} of {last}")).to_be_visible()
    await opened.page.get_by_role("link", name="Latest").press("Enter")
    await expect(opened.page.get_by_text(f"{last} of {last}")).to_be_visible()


async def test_instants_are_shown_in_the_readers_own_time(opened: Tab, live: Live) -> None:
    await opened.page.clock.install()
    await opened.page.goto(live.url)
    shown = opened.page.locator("time").first
    assert "UTC" not in (await shown.text_content() or "")
    assert "UTC" in (await shown.get_attribute("title") or "")
