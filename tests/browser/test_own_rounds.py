"""A player's own page of a tournament, opened by their own link."""

import asyncio
import re

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.page_checks import good_at_every_width
from tests.support.browser.chromium import Tab, needs_chromium, tab
from tests.support.http.tournament_client import choosing, cup, publish, shown_round, staged
from tests.support.servers.live_server import Live

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]


async def taken(page: Page, link: str) -> None:
    """Takes the key of an invitation."""
    await page.goto(link)
    await page.get_by_role("button", name="Take the key").click()


async def test_a_link_leads_to_the_table_and_a_match_starts_when_both_are_ready(
    opened: Tab, browser: Browser, live: Live
) -> None:
    made = cup(live, players=["Ann", "Ben"], moderators=[], keys="invitations")
    number = staged(made, published=False, seeding="entry", round={"start": "ready", "ends": 2})
    links = [made.post(f"players/{player}/invitation", {}).json()["link"] for player in (0, 1)]
    page = opened.page
    await taken(page, links[0])
    await expect(page.get_by_text("You are Ann")).to_be_visible()
    await expect(page.get_by_text("the next round is not published yet")).to_be_visible()
    await asyncio.to_thread(publish, made, number)
    await expect(page.get_by_role("heading", name="Table 1 against Ben")).to_be_visible()
    # The card with the link is scanned again before each round.
    await page.goto(links[0])
    await expect(page.get_by_role("heading", name="Table 1 against Ben")).to_be_visible()
    await expect(page).to_have_url(f"{live.url}/t/{made.id}/me")
    await expect(page.get_by_role("timer")).to_have_text(re.compile("1:59:"))
    await good_at_every_width(opened, live.url)
    await page.get_by_role("button", name="I am ready").click()
    await expect(page.get_by_text("as soon as the others are ready")).to_be_visible()
    async with tab(browser) as other:
        await taken(other.page, links[1])
        await other.page.get_by_role("button", name="I am ready").click()
        await expect(other.page.get_by_text("running", exact=True)).to_be_visible()
    await expect(page.get_by_text("running", exact=True)).to_be_visible()
    await page.get_by_role("button", name="Play", exact=True).click()
    await expect(page).to_have_url(re.compile(r"/play/[0-9a-f-]+$"))
    await expect(page.get_by_text("You are Ann.")).to_be_visible()


async def test_a_player_checks_in_leaves_and_comes_back(opened: Tab, live: Live) -> None:
    made, page = cup(live), opened.page
    staged(made, published=False)
    await page.goto(f"{live.url}/t/{made.id}/me")
    await page.get_by_label("Key of the tournament").fill(made.players[0])
    await page.get_by_role("button", name="Use the key").click()
    await expect(page.get_by_text("You are Ann")).to_be_visible()
    # By the stream.
    assert made.post("check-in", {"closes": "2126-11-21T12:00:00Z"}).status_code == 201
    await page.get_by_role("button", name="I am here").click()
    await expect(page.get_by_text("You have checked in.")).to_be_visible()
    await page.locator("summary", has_text="Leave the tournament").click()
    await page.get_by_label("Reason").fill("Ann is ill.")
    await page.get_by_role("button", name="Leave the tournament").click()
    await expect(page.get_by_role("heading", name="You have withdrawn")).to_be_visible()
    await expect(page.get_by_text("Ann is ill.")).to_be_visible()
    assert made.shown()["players"][0]["status"] == "withdrawn"
    await page.get_by_role("button", name="Come back").click()
    await expect(page.get_by_text("You have checked in.")).to_be_visible()
    assert opened.problems == []


async def test_a_candidate_chooses_an_opponent(opened: Tab, live: Live) -> None:
    made, page = cup(live), opened.page
    stage = await asyncio.to_thread(choosing, made)
    await page.goto(f"{live.url}/t/{made.id}/me")
    await page.get_by_label("Key of the tournament").fill(made.players[0])
    await page.get_by_role("button", name="Use the key").click()
    # Cy has won, and is immune.
    await expect(page.get_by_role("radio")).to_have_count(1)
    await page.get_by_role("radio", name="Ben").check()
    assert await opened.barriers() == []
    await page.get_by_role("button", name="Choose for good").click()
    await expect(page.get_by_role("heading", name="Death match against Ben")).to_be_visible()
    shown = await asyncio.to_thread(shown_round, made, stage)
    assert shown["show"]["opponent"] == 1
    assert opened.problems == []
