"""The page of a match while it goes on: in a hidden tab, behind a cut, and by which clock."""

import asyncio
import re

import pytest
from playwright.async_api import Page, Route, expect

from tests.browser.page_checks import position
from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.http.match_play import step
from tests.support.http.rewind_client import steps
from tests.support.servers.live_server import Live

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]


async def test_a_hidden_tab_reads_nothing(opened: Tab, live: Live) -> None:
    match, page = live.started("liars-dice"), opened.page
    await page.goto(f"{live.url}/m/{match.id}")
    async with page.expect_request(re.compile("/stream")):
        await page.evaluate("0")
    await hide(page, hidden=True)
    before = len(opened.requests)
    for _ in range(4):
        step(match)
    assert len(opened.requests) == before
    await hide(page, hidden=False)
    last = match.anyone.view().json()["seq"]
    await expect(position(page)).to_have_attribute("aria-valuetext", f"{last} of {last}")
    await expect(page.locator(".match-events [aria-current] .number")).to_have_text(str(last))
    views = [address for address in opened.requests[before:] if "/view" in address]
    assert len(views) < 4, "it takes the newest view"


async def test_a_tab_that_was_hidden_before_it_had_begun_begins_anew(
    opened: Tab, live: Live
) -> None:
    match, page = steps(live.started("liars-dice"), 2), opened.page
    hidden = asyncio.Event()

    async def slow(route: Route) -> None:
        await hidden.wait()
        await route.abort()

    await page.route("**/view?*", slow, times=1)
    async with page.expect_request(re.compile("/view")):
        await page.goto(f"{live.url}/m/{match.id}")
    await hide(page, hidden=True)
    hidden.set()
    await hide(page, hidden=False)
    step(match)
    last = match.anyone.view().json()["seq"]
    await expect(position(page)).to_have_attribute("aria-valuetext", f"{last} of {last}")


async def hide(page: Page, *, hidden: bool) -> None:
    """The tab goes to the background, or comes back."""
    await page.evaluate(
        """hidden => {
          Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
          document.dispatchEvent(new Event("visibilitychange"));
        }""",
        hidden,
    )


async def test_a_history_that_went_back_is_read_again(opened: Tab, live: Live) -> None:
    match, page = steps(live.started("liars-dice"), 2), opened.page

    async def gone_back(route: Route) -> None:
        problem = '{"type":"","title":"","status":409,"code":"history_went_back"}'
        await route.fulfill(status=409, content_type="application/problem+json", body=problem)

    await page.route("**/stream*", gone_back, times=1)
    await page.goto(f"{live.url}/m/{match.id}")
    await expect(page.get_by_text("gone back to a backup")).to_be_visible()
    step(match)
    last = match.anyone.view().json()["seq"]
    await expect(position(page)).to_have_attribute("aria-valuetext", f"{last} of {last}")


async def test_a_lost_connection_is_told_until_it_is_back(opened: Tab, live: Live) -> None:
    match, page = live.started("liars-dice"), opened.page
    await page.route("**/stream*", lambda route: route.abort())
    await page.goto(f"{live.url}/m/{match.id}")
    await expect(page.get_by_text("The connection is lost.")).to_be_visible()
    step(match)
    await page.unroute("**/stream*")
    last = match.anyone.view().json()["seq"]
    await expect(position(page)).to_have_attribute("aria-valuetext", f"{last} of {last}")
    await expect(page.get_by_text("The connection is lost.")).to_be_hidden()


async def test_time_that_is_left_is_counted_by_the_services_clock(opened: Tab, live: Live) -> None:
    options = {"turn_seconds": 3_600}
    match, page = live.started("dollar-prize", clock="rules", options=options), opened.page
    await page.clock.install(time="2020-01-01T00:00:00Z")
    await page.goto(f"{live.url}/m/{match.id}")
    left = page.get_by_role("timer")
    await expect(left).to_have_text(re.compile(r"^(59:\d\d|1:00:00)$"))
    await page.clock.run_for(600_000)
    await expect(left).to_have_text(re.compile(r"^(49:\d\d|50:0\d)$"))


async def test_a_device_whose_clock_is_corrected_meanwhile(opened: Tab, live: Live) -> None:
    options = {"turn_seconds": 3_600}
    match, page = live.started("dollar-prize", clock="rules", options=options), opened.page
    left = page.get_by_role("timer")
    await page.add_init_script(
        "const real = Date.now; let ahead = -300_000; Date.now = () => real() + ahead;"
        " window.correct = () => (ahead = 600_000);"
    )
    await page.goto(f"{live.url}/m/{match.id}")
    await expect(left).to_have_text(re.compile(r"^(59:\d\d|1:00:00)$"))
    await page.evaluate("correct()")
    step(match)
    last = match.anyone.view().json()["seq"]
    await expect(position(page)).to_have_attribute("aria-valuetext", f"{last} of {last}")
    await expect(left).to_have_text(re.compile(r"^(59:\d\d|1:00:00)$"))
