"""The receipts for what is ordered at the table: kept next to the key, checked, and saved."""

import json
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, Route, expect

from tests.browser.verifier import save_receipts, verdict_with
from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.browser.table_tab import give, open_table, press, table
from tests.support.http.evidence_client import receipts
from tests.support.http.match_keys import moderating
from tests.support.http.match_play import play_out
from tests.support.http.ruling_client import rule
from tests.support.servers.live_server import Json, Live

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]

UNSIGNED = "What this service has given is not signed by it"
ORGANISED: Json = {"to": "public", "text": "Welcome.", "severity": "clarification"}


async def paused(page: Page) -> None:
    """Pauses the match at the table."""
    await press(page, "Pause")
    await give(page, "Reason", "Tea.")
    await page.get_by_role("dialog").get_by_role("button", name="Pause").click()
    await expect(page.locator(".awaited")).to_have_text("The match is paused")


async def are_kept(page: Page, count: int) -> None:
    await page.get_by_text("Receipts", exact=True).click()
    said = "1 receipt is kept here." if count == 1 else f"{count} receipts are kept here."
    await expect(page.get_by_text(said)).to_be_visible()


async def test_they_are_kept_and_saved_for_a_verifier(
    browser: Browser, live: Live, tmp_path: Path
) -> None:
    match = live.create("twelve-chips")
    async with table(browser, live, match.id, match.moderator_key) as opened:
        page = opened.page
        await press(page, "Start")
        await page.get_by_role("dialog").get_by_role("button", name="Start").click()
        await expect(page.get_by_role("button", name="Pause")).to_be_visible()
        await paused(page)
        assert rule(match.moderator, "resume").is_success, "from elsewhere"
        await are_kept(page, 3)
        await page.reload()
        await expect(page.get_by_role("heading", name="Now")).to_be_visible()
        await expect(page.get_by_text("3 receipts are kept here.")).to_be_hidden()
        await are_kept(page, 3)
        file = await save_receipts(page, tmp_path)
    notes = {one["note"] for one in json.loads(file.read_text())["receipts"]}
    assert notes == {one["note"] for one in receipts(match.moderator)["receipts"]}
    play_out(match)
    assert verdict_with(live, match, file) == "PASS"


async def test_they_stay_when_the_key_is_made_ones_own(opened: Tab, live: Live) -> None:
    match, page = live.started("twelve-chips"), opened.page
    eve = moderating(live, match, "Eve")
    await open_table(page, live, match.id, eve.client.key or "")
    await paused(page)
    await page.route(
        "**/receipts", lambda route: route.fulfill(json={"receipts": [], "next": None})
    )
    await press(page, "Make this key mine")
    await press(page, "I have it: put it away")
    await are_kept(page, 1)


async def test_an_organiser_has_those_of_this_match(opened: Tab, live: Live) -> None:
    match, page = live.started("twelve-chips"), opened.page
    await open_table(page, live, match.id, match.organiser.client.key or "")
    assert rule(match.organiser, "note", **ORGANISED).is_success
    await are_kept(page, 1)
    other = live.create("twelve-chips")
    await page.goto(f"{live.url}/table/{other.id}")
    await expect(page.get_by_role("heading", name="Now")).to_be_visible()
    await are_kept(page, 0)


async def test_one_with_an_altered_byte_is_an_alarm(opened: Tab, live: Live) -> None:
    match, page = live.started("twelve-chips"), opened.page
    await open_table(page, live, match.id, match.moderator_key)
    alarm = page.get_by_role("alert").filter(has_text=UNSIGNED)

    async def alter(route: Route) -> None:
        if route.request.method != "POST":
            await route.fallback()
            return
        answer = await route.fetch()
        ruled = await answer.json()
        ruled["note"] = ruled["note"].replace("\nstatus accepted\n", "\nstatus acceptee\n")
        await route.fulfill(response=answer, json=ruled)

    await page.route("**/rulings", alter)
    await expect(alarm).to_have_count(0)
    await paused(page)
    await expect(alarm).to_be_visible()
    await page.unroute_all()
    await page.reload()
    await expect(alarm).to_be_visible()
