"""The page of a seat in another language than that of the service."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from tests.support.browser.chromium import PATIENCE_MS, Tab, needs_chromium
from tests.support.browser.playing_tabs import told
from tests.support.http.invitations import accept, invited, token_of
from tests.support.servers.live_server import Live

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]


@pytest_asyncio.fixture(loop_scope="session")
async def german(browser: Browser) -> AsyncIterator[Tab]:
    """An empty tab of someone who reads German."""
    context = await browser.new_context(locale="de-DE")
    context.set_default_timeout(PATIENCE_MS)
    yield Tab(await context.new_page())
    await context.close()


async def test_an_invitation_that_is_used_up_says_so(german: Tab, live: Live) -> None:
    match = live.create("dollar-prize")
    made = invited(match)
    assert accept(live.anyone, match.id, token_of(made)).status_code == 201
    await german.page.goto(made["link"])
    await german.page.get_by_role("button", name="Den Platz einnehmen").click()
    await expect(german.page.get_by_role("status").first).to_contain_text("schon angenommen")


async def test_the_sentence_of_a_rule_is_marked_as_english(german: Tab, live: Live) -> None:
    match, page = live.started("together", ("Ann", "Ben", "Cy", "Dee")), german.page
    await page.goto(invited(match)["link"])
    await page.get_by_role("button", name="Den Platz einnehmen").click()
    await page.get_by_role("button", name="Cy: eins mehr").click()
    await page.get_by_role("button", name="Abstimmen", exact=True).click()
    await page.get_by_role("button", name="Senden", exact=True).click()
    await expect(told(german)).to_contain_text("zählt nicht")
    await expect(told(german).locator("[lang=en]")).to_contain_text("three")
    sent = page.get_by_role("region", name="Was Sie gesendet haben")
    await expect(sent.locator("[lang=en]")).to_contain_text("three")
    assert german.problems == []
