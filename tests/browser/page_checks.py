"""What every page for people has to be, on every size of screen."""

from pathlib import Path
from urllib.parse import urlsplit

from playwright.async_api import Locator, Page

from tests.support.browser.chromium import Tab
from tests.support.waiting import until

WIDTHS = (360, 768, 1280, 1920)
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
DRAWN = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Resolves once scripts have drawn what they draw for the width of the window."""

BROKEN_WORDS = Path(__file__).with_name("broken_words.js").read_text()


async def hangs_over(page: Page) -> int:
    """Pixels by which the page is wider than its window."""
    over: int = await page.evaluate(OVERFLOW)
    return over


async def has_room(page: Page) -> None:
    """Nothing has to be moved sideways, and no word of a control or heading is broken."""
    assert await hangs_over(page) == 0, page.viewport_size
    assert await page.evaluate(BROKEN_WORDS) == [], page.viewport_size


async def fits_every_width(page: Page) -> None:
    """It has room on every size of screen."""
    for width in WIDTHS:
        await page.set_viewport_size({"width": width, "height": 900})
        await page.evaluate(DRAWN)
        await has_room(page)


async def good_at_every_width(tab: Tab, url: str) -> None:
    """It has room, nothing is in anyone's way, and nothing comes from elsewhere."""
    await fits_every_width(tab.page)
    for width in WIDTHS[::2]:
        await tab.page.set_viewport_size({"width": width, "height": 900})
        assert await tab.barriers() == [], width
    assert tab.problems == []
    assert {urlsplit(address).netloc for address in tab.requests} == {urlsplit(url).netloc}


async def is_seen_whole(page: Page) -> None:
    """Returns once the page is seen without scrolling, as on a wall."""
    whole = "document.documentElement.scrollHeight <= innerHeight"
    await until(lambda: page.evaluate(whole))


def position(page: Page) -> Locator:
    """Where the page of a match is."""
    return page.get_by_role("slider", name="Position")
