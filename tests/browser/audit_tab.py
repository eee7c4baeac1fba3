"""An audit in a browser, as its reader opens it."""

from playwright.async_api import Page, expect

from tests.support.browser.chromium import Tab
from tests.support.servers.live_server import Live, LiveMatch


async def audit(tab: Tab, live: Live, match: LiveMatch, key: str | None = None) -> Page:
    """Opens the audit of a match; with a key that is typed in, if there is one."""
    await tab.page.goto(f"{live.url}/m/{match.id}/audit")
    if key is not None:
        await tab.page.get_by_text("Read with a key").press("Enter")
        await tab.page.get_by_label("Key", exact=True).fill(key)
        await tab.page.get_by_label("Key", exact=True).press("Enter")
        await expect(tab.page.get_by_text("A key is in use")).to_be_visible()
    await expect(tab.page.get_by_role("grid")).to_be_visible()
    return tab.page
