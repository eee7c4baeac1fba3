"""A moderator's table in a browser, as its moderator uses it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import Browser, Page, expect

from tests.support.browser.chromium import Tab, tab
from tests.support.servers.live_server import Live


async def open_table(page: Page, live: Live, match: str, key: str) -> None:
    """Opens the table of a match with a key that is typed in."""
    await page.goto(f"{live.url}/table/{match}")
    await page.get_by_label("Key", exact=True).fill(key)
    await page.get_by_role("button", name="Open", exact=True).click()
    await expect(page.get_by_role("heading", name="Now")).to_be_visible()


@asynccontextmanager
async def table(browser: Browser, live: Live, match: str, key: str) -> AsyncIterator[Tab]:
    """The table in a tab that shares nothing with others; nothing may go wrong in it."""
    async with tab(browser) as opened:
        await open_table(opened.page, live, match, key)
        yield opened
        assert opened.problems == []


async def tap(page: Page, *names: str | int) -> None:
    for name in names:
        await page.get_by_role("button", name=str(name), exact=True).click()


async def give(page: Page, label: str, text: str) -> None:
    """Fills the field with this label."""
    await page.get_by_label(label, exact=True).fill(text)


async def press(page: Page, name: str) -> None:
    await page.get_by_role("button", name=name, exact=True).click()
