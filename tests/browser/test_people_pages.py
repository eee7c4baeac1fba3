"""The pages for people in a real browser, on every size of screen."""

import pytest
from playwright.async_api import expect

from domain.games import GAMES
from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.browser.page_checks import good_at_every_width
from tests.support.games import fewest
from tests.support.http.match_play import step
from tests.support.http.tournament_client import cup
from tests.support.servers.live_server import Live, LiveMatch

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]


@pytest.fixture(scope="module")
def played(live: Live) -> dict[str, LiveMatch]:
    """A match of every game, a few steps in."""
    cup(live)
    matches = {game: live.started(game, fewest(game)) for game in GAMES}
    for match in matches.values():
        for _ in range(6):
            step(match)
    return matches


async def test_everybody_can_use_the_lobby(
    opened: Tab, live: Live, played: dict[str, LiveMatch]
) -> None:
    await opened.page.goto(live.url)
    await expect(opened.page.get_by_role("heading", name="On now")).to_be_visible()
    await good_at_every_width(opened, live.url)


@pytest.mark.parametrize("game", GAMES)
async def test_everybody_can_look_at_a_match(
    opened: Tab, live: Live, played: dict[str, LiveMatch], game: str
) -> None:
    await opened.page.goto(f"{live.url}/m/{played[game].id}")
    await expect(opened.page.get_by_role("heading", level=1)).to_have_text(GAMES[game].title)
    await good_at_every_width(opened, live.url)


async def test_instants_are_shown_in_the_readers_own_time(opened: Tab, live: Live) -> None:
    await opened.page.clock.install()
    await opened.page.goto(live.url)
    shown = opened.page.locator("time").first
    assert "UTC" not in (await shown.text_content() or "")
    assert "UTC" in (await shown.get_attribute("title") or "")
