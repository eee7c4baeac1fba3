"""A device that is offline says so, keeps nothing hidden, and has what was chosen again."""

import pytest
from playwright.async_api import expect

from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.browser.playing_tabs import take_seat, told
from tests.support.http.invitations import invited
from tests.support.servers.live_server import Live

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]

KEPT = """async () => {
    await navigator.serviceWorker.ready;
    const opened = (await caches.keys()).map((name) => caches.open(name));
    const kept = await Promise.all(opened.map(async (cache) => (await cache).keys()));
    return kept.flat().map(({ url }) => new URL(url).pathname.split("/").at(-1)).sort();
}"""


async def test_a_seat_goes_on_after_its_device_was_offline(opened: Tab, live: Live) -> None:
    match = live.started("together", ("Ann", "Ben", "Cy", "Dee"))
    page = opened.page
    await take_seat(opened, invited(match)["link"])
    assert await page.evaluate(KEPT) == ["mark.svg", "offline", "offline.js", "style.css"]
    await page.get_by_role("button", name="Vote", exact=True).click()
    await expect(page.get_by_role("region", name="Send this?")).to_be_visible()
    await page.context.set_offline(True)
    await expect(page.get_by_text("cannot be reached")).to_be_visible()
    await page.reload()
    await expect(page.get_by_role("heading", level=1)).to_have_text("You are offline")
    await page.context.set_offline(False)
    await page.get_by_role("button", name="Send", exact=True).click()
    await expect(told(opened)).to_contain_text("It is on record and counts")
    assert await page.evaluate(KEPT) == ["mark.svg", "offline", "offline.js", "style.css"]
