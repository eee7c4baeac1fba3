"""Two friends open a table in their browsers, and play without an organiser."""

import re

import pytest
from playwright.async_api import Browser, Page, expect

from tests.support.browser.chromium import Tab, needs_chromium, tab
from tests.support.browser.table_tab import give, press
from tests.support.servers.live_server import Live

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]


async def test_two_friends_play_without_an_organiser(
    opened: Tab, browser: Browser, live: Live
) -> None:
    ann = opened.page
    await ann.goto(f"{live.url}/")
    await ann.get_by_role("link", name="Play a friend (12 Chips)").click()
    game = ann.get_by_label("Game", exact=True)
    await expect(game).to_have_value("twelve-chips")
    await game.select_option("together")
    await expect(ann.get_by_label("How many play")).to_have_value("4")
    await game.select_option("dollar-prize")
    await expect(ann.get_by_label("How many play")).to_have_value("2")
    await give(ann, "Your name", "Ann")
    await press(ann, "Open the table")
    link = await ann.get_by_label("Send this link to your friends").input_value()
    code = await ann.get_by_label("Write this down").input_value()
    assert re.fullmatch("([A-Z2-7]{4}-){5}[A-Z2-7]{4}", code)
    await expect(ann.get_by_text("waits for a friend")).to_be_visible()
    await ann.context.grant_permissions(["clipboard-write"])
    await ann.get_by_role("button", name="Copy", exact=True).first.click()
    await expect(ann.get_by_role("button", name="Copied")).to_be_visible()
    async with tab(browser) as other:
        ben = other.page
        await ben.goto(link)
        await ben.get_by_text("How to play").click()
        await expect(ben.get_by_text("Five pennies are tossed")).to_be_visible()
        await give(ben, "Your name", "Ben")
        await press(ben, "Take the seat")
        await press(ben, "I am ready")
        await expect(ben.get_by_text("The match starts when all are.")).to_be_focused()
        await expect(ann.locator("[data-ready=true]")).to_contain_text("Ben is ready")
        await ben.reload()
        await expect(ben.get_by_text("The match starts when all are.")).to_be_visible()
        await comes_back(ben, link, f"{live.url}/")
        await press(ann, "I am ready")
        await expect(ben.get_by_role("heading", name="What you do")).to_be_visible()
        await expect(ben.get_by_text("Ann", exact=True).first).to_be_visible()
        await expect(ben.get_by_role("heading", name="Before the match")).to_have_count(0)
        assert other.problems == []
        async with tab(browser) as elsewhere:
            # Ann's device is lost: her code gives her the seat again, and ends the old key.
            await elsewhere.page.goto(link)
            await expect(elsewhere.page.get_by_text("This table is full")).to_be_visible()
            assert await elsewhere.barriers() == []
            await give(elsewhere.page, "Recovery code or key", code)
            await press(elsewhere.page, "Play with this key")
            await expect(elsewhere.page.get_by_text("You are Ann.")).to_be_visible()
            await expect(ann.get_by_text("You play on another device now.")).to_be_visible()
            await ann.goto(ann.url.replace("/play/", "/m/"))
            await expect(ann.get_by_role("heading", name="What the public sees")).to_be_visible()
            await ann.goto(f"{ann.url}/audit")
            await expect(ann.get_by_role("heading", name="Record")).to_be_visible()
            # Both agree that it ends, and the one who had the second seat opens the next table.
            await elsewhere.page.get_by_text("Ask the others", exact=True).click()
            await elsewhere.page.get_by_label("For what?").select_option("give_up")
            await give(elsewhere.page, "Why?", "It is late")
            await press(elsewhere.page, "Ask")
            await expect(ben.get_by_text("Ben wins")).to_be_visible()
            await press(ben, "I consent")
            await expect(ben.get_by_role("link", name="Check it")).to_be_visible()
            await expect(
                elsewhere.page.get_by_role("button", name="Play again", exact=True)
            ).to_be_visible()
            await press(ben, "Play again")
            await expect(ben.get_by_label("Send this link to your friends")).to_be_visible()
            await expect(ben.get_by_text("You are Ben.")).to_be_visible()
            await expect(
                elsewhere.page.get_by_text("Ben has opened the next table.")
            ).to_be_visible()
            assert await elsewhere.barriers() == []
            await press(elsewhere.page, "Take your seat")
            await expect(elsewhere.page.get_by_text("You are Ann.")).to_be_visible()
            await expect(elsewhere.page).to_have_url(ben.url)
            for page in (ben, elsewhere.page):
                await press(page, "I am ready")
            await expect(ben.get_by_role("heading", name="What you do")).to_be_visible()


async def test_who_waits_alone_closes_the_table(opened: Tab, browser: Browser, live: Live) -> None:
    page = opened.page
    await page.goto(f"{live.url}/play?game=dollar-prize")
    await give(page, "Your name", "Ann")
    await press(page, "Open the table")
    link = await page.get_by_label("Send this link to your friends").input_value()
    await page.get_by_text("Close the table").first.click()
    await press(page, "Close the table")
    await expect(page.locator(".turn")).to_contain_text("void")
    assert opened.problems == []
    async with tab(browser) as other:
        await other.page.goto(link)
        await expect(other.page.get_by_role("heading", level=1)).to_have_text(
            "This match will not be played"
        )
        assert await other.barriers() == []


async def comes_back(page: Page, link: str, first: str) -> None:
    """A player comes back to their seat by the link of the table and by the first page."""
    await page.goto(first)
    await page.get_by_role("region", name="Your matches").get_by_role("link").click()
    await expect(page.get_by_text("You are Ben.")).to_be_visible()
    await page.goto(page.url.replace("/play/", "/m/"))
    await page.get_by_role("link", name="Play on").click()
    await expect(page.get_by_text("You are Ben.")).to_be_visible()
    await page.goto(first)
    await page.goto(link)
    await expect(page.get_by_text("You are Ben.")).to_be_visible()
