"""The pages for people in a real browser, on every size of screen."""

import asyncio
import re

import pytest
from playwright.async_api import expect

from domain.games import GAMES
from tests.browser.page_checks import good_at_every_width
from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.games import fewest
from tests.support.http.match_play import play_out, step
from tests.support.http.tournament_client import cup
from tests.support.servers.live_server import Live, LiveMatch

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]


@pytest.fixture(scope="module")
def played(live: Live) -> LiveMatch:
    """A match with a table of numbers, a few steps in, and a tournament."""
    cup(live)
    match = live.started("together", fewest("together"))
    for _ in range(6):
        step(match)
    return match


async def test_everybody_can_use_the_lobby(opened: Tab, live: Live, played: LiveMatch) -> None:
    """It opens with a match that goes on under the reader's eyes."""
    newest = live.started("dollar-prize")
    await opened.page.goto(live.url)
    await expect(opened.page.get_by_role("heading", name="On now")).to_be_visible()
    alive = opened.page.locator("#alive")
    before = newest.anyone.view().json()["seq"]
    picture = f"/m/{newest.id}/board.svg?at="
    await expect(alive).to_have_attribute("src", f"{picture}{before}")
    step(newest)
    after = newest.anyone.view().json()["seq"]
    await expect(alive).to_have_attribute("src", re.compile(re.escape(f"{picture}{after}") + "$"))
    await expect(opened.page.locator("#alive-about")).to_have_text("On now")
    await good_at_every_width(opened, live.url)
    await asyncio.to_thread(play_out, newest)
    await expect(opened.page.locator("#alive-about")).to_have_text("Just decided")
    await expect(opened.page.locator(".alive [data-status]")).to_have_text("over")


async def test_everybody_can_look_at_a_match(opened: Tab, live: Live, played: LiveMatch) -> None:
    """All boards have room by `test_drawn_boards` and `test_boards_of_hidden_hands`."""
    await opened.page.goto(f"{live.url}/m/{played.id}")
    await expect(opened.page.get_by_role("heading", level=1)).to_have_text(GAMES["together"].title)
    await good_at_every_width(opened, live.url)


async def test_instants_are_shown_in_the_readers_own_time(opened: Tab, live: Live) -> None:
    await opened.page.clock.install()
    await opened.page.goto(live.url)
    shown = opened.page.locator("time").first
    assert "UTC" not in (await shown.text_content() or "")
    assert "UTC" in (await shown.get_attribute("title") or "")
