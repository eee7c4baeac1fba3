"""The search of the documentation, in a real browser."""

import pytest
from playwright.async_api import Browser, expect

from service.web.documentation import SOURCES
from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.servers.live_server import Live

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]


async def test_a_reader_finds_a_section_by_keyboard_alone(opened: Tab, live: Live) -> None:
    await opened.page.goto(f"{live.url}/docs")
    await opened.page.keyboard.press("/")
    field = opened.page.get_by_role("searchbox")
    await expect(field).to_be_focused()
    await opened.page.keyboard.type("matches bots memory")
    first = opened.page.locator(".search a").first
    await expect(first).to_contain_text("Matches between bots")
    assert await opened.barriers() == []
    await opened.page.keyboard.press("ArrowDown")
    await expect(first).to_be_focused()
    await opened.page.keyboard.press("Escape")
    await expect(field).to_be_focused()
    await expect(field).to_have_value("")
    await opened.page.keyboard.type("matches bots memory")
    await opened.page.keyboard.press("ArrowDown")
    await opened.page.keyboard.press("Enter")
    await expect(opened.page).to_have_url(f"{live.url}/docs/operate#matches-between-bots")
    assert opened.problems == []


async def test_what_is_not_there_is_said(opened: Tab, live: Live) -> None:
    await opened.page.goto(f"{live.url}/docs/api")
    await opened.page.get_by_role("searchbox").fill("<img src=x onerror=alert(1)>")
    await expect(opened.page.get_by_role("status")).to_have_text("Nothing found.")
    assert opened.problems == []


async def test_without_scripts_the_pages_are_a_list(browser: Browser, live: Live) -> None:
    context = await browser.new_context(java_script_enabled=False)
    page = await context.new_page()
    await page.goto(f"{live.url}/docs")
    await expect(page.get_by_role("navigation", name="Pages").get_by_role("link")).to_have_count(
        len(SOURCES)
    )
    await context.close()
