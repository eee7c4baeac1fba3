"""Browsers whose storage is full or blocked: pages work, and say what a reload would lose."""

import pytest
from playwright.async_api import expect

from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.browser.playing_tabs import act, take_seat
from tests.support.http.invitations import invited
from tests.support.http.match_play import all_events
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Live

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]

FULL = """Storage.prototype.setItem = () => {
  throw new DOMException("The quota has been exceeded.", "QuotaExceededError");
};"""

BLOCKED = """for (const name of ["localStorage", "sessionStorage"]) {
  const denied = () => { throw new DOMException("Denied", "SecurityError"); };
  Object.defineProperty(window, name, { get: denied });
}"""

UNKEPT = "This browser keeps nothing more for this site"

in_both = pytest.mark.parametrize("storage", [FULL, BLOCKED], ids=["full", "blocked"])


@in_both
async def test_a_seat_is_taken_and_plays(opened: Tab, live: Live, storage: str) -> None:
    match = live.started("twelve-chips")
    await opened.page.add_init_script(storage)
    await take_seat(opened, invited(match)["link"])
    await expect(opened.page.get_by_text(UNKEPT)).to_be_visible()
    await act(opened)
    await expect(opened.page.get_by_text("1 receipt")).to_have_count(1)
    received = [one for one in all_events(match.seats[0]) if one["type"].startswith("match.action")]
    assert len(received) == 1
    assert opened.problems == []


async def test_a_storage_that_fills_up_while_a_match_goes_on(opened: Tab, live: Live) -> None:
    match = live.started("twelve-chips")
    await take_seat(opened, invited(match)["link"])
    await expect(opened.page.get_by_text(UNKEPT)).to_have_count(0)
    await opened.page.evaluate(f"() => {{ {FULL} }}")
    await act(opened)
    await expect(opened.page.get_by_text(UNKEPT)).to_be_visible()
    assert opened.problems == []


@in_both
async def test_every_page_opens(opened: Tab, live: Live, storage: str) -> None:
    match, page = live.started("twelve-chips"), opened.page
    await page.add_init_script(storage)
    match_pages = (f"/m/{match.id}", f"/m/{match.id}/audit", f"/embed/{match.id}")
    for path in ("/", "/docs", *match_pages, "/verify"):
        await page.goto(live.url + path)
        await expect(page.locator("main, body")).not_to_have_count(0)
    await page.goto(f"{live.url}/m/{match.id}")
    await expect(page.get_by_role("heading", name="What the public sees")).to_be_visible()
    for path in ("/organise", f"/table/{match.id}"):
        await page.goto(live.url + path)
        await page.locator("input[name=key]").fill(ORGANISER_KEY)
    await page.get_by_role("button", name="Open").click()
    await expect(page.get_by_text(UNKEPT)).to_be_visible()
    assert opened.problems == []
