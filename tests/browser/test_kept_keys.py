"""Keys that a browser keeps: which page uses which, and that a forgotten one is used by none."""

import asyncio
import re

import pytest
from playwright.async_api import Dialog, Page, Route, expect

from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.browser.playing_tabs import forget_key
from tests.support.http.evidence_client import reads
from tests.support.http.match_play import step
from tests.support.http.tournament_client import cup
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Live, LiveMatch

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]

KEEP = "([purpose, key]) => localStorage.setItem(`arbiter key: ${purpose}`, key)"
STORED = "Object.keys({...sessionStorage, ...localStorage})"


async def kept(page: Page, live: Live, purpose: str, key: str) -> None:
    """The browser keeps a key until it is forgotten."""
    await page.goto(f"{live.url}/docs")
    await page.evaluate(KEEP, [purpose, key])


def looks(match: LiveMatch) -> int:
    """How often an organiser has looked at what is hidden."""
    return sum(one["role"] == "organiser" and one["hidden"] for one in reads(match.moderator))


async def test_what_was_asked_for_with_a_forgotten_key_is_not_shown(
    opened: Tab, live: Live
) -> None:
    match, page = live.started("twelve-chips"), opened.page
    await kept(page, live, f"match {match.id}", match.moderator_key)
    await page.goto(f"{live.url}/m/{match.id}")
    may_come, asked = asyncio.Event(), asyncio.Event()

    async def slow(route: Route) -> None:
        asked.set()
        await may_come.wait()
        await route.continue_()

    await page.route(re.compile("/view.as=moderator"), slow)
    await page.locator(".match-audience select").select_option("moderator")
    await asked.wait()
    await page.get_by_role("button", name="Forget the key").click()
    may_come.set()
    before = len(opened.requests)
    step(match)
    last = match.anyone.view().json()["seq"]
    await expect(page.locator(".match-events [aria-current] .number")).to_have_text(str(last))
    await expect(page.get_by_role("heading", name="What the public sees")).to_be_visible()
    assert not [address for address in opened.requests[before:] if "moderator" in address]


async def test_a_key_that_another_tab_forgets_is_forgotten_here(opened: Tab, live: Live) -> None:
    match, page = live.started("twelve-chips"), opened.page
    await kept(page, live, f"match {match.id}", match.keys[0])
    other = await page.context.new_page()
    for one in (page, other):
        await one.goto(f"{live.url}/play/{match.id}")
        await expect(one.get_by_text("You are Ann.")).to_be_visible()
    await forget_key(page)
    await expect(other.get_by_label("Your key")).to_be_visible()
    await expect(other.get_by_text("You are Ann.")).to_be_hidden()
    assert await other.evaluate(STORED) == []


async def test_other_tabs_stay_where_another_match_is_left(opened: Tab, live: Live) -> None:
    matches, page = [live.started("twelve-chips") for _ in range(2)], opened.page
    other = await page.context.new_page()
    for one, match in zip((page, other), matches, strict=True):
        await kept(one, live, f"match {match.id}", match.keys[0])
        await one.goto(f"{live.url}/play/{match.id}")
        await expect(one.get_by_text("You are Ann.")).to_be_visible()
    await other.evaluate("window.stillThere = true")
    await forget_key(page)
    await expect(page.get_by_label("Your key")).to_be_visible()
    assert await other.evaluate("window.stillThere")


async def test_a_key_that_is_none_here_is_not_taken_from_its_organiser(
    opened: Tab, live: Live
) -> None:
    """Anyone can send a link to a match between bots, which knows no organiser of the service."""
    match, page = live.started("twelve-chips"), opened.page
    await kept(page, live, "organiser", "arb_org_" + "0" * 64)
    await page.goto(f"{live.url}/table/{match.id}")
    await expect(page.get_by_label("Key", exact=True)).to_be_visible()
    assert await page.evaluate(STORED) == ["arbiter key: organiser"]
    await page.goto(f"{live.url}/m/{match.id}/audit")
    await expect(page.get_by_role("grid")).to_be_visible()


async def test_an_organiser_looks_at_what_is_hidden_by_choice_alone(
    opened: Tab, live: Live
) -> None:
    made, page = cup(live), opened.page
    match = made.match()
    assert match.moderator.start().status_code == 201
    await kept(page, live, "organiser", ORGANISER_KEY)
    for path in (f"/m/{match.id}", f"/t/{made.id}", f"/table/{match.id}"):
        async with page.expect_response(re.compile(r"/(stream|matches)\b")):
            await page.goto(f"{live.url}{path}")
    await page.goto(f"{live.url}/m/{match.id}/audit")
    await expect(page.get_by_role("grid")).to_be_visible()
    assert looks(match) == 0
    keys = page.get_by_role("region", name="Keys")
    await expect(keys).to_contain_text("Keys are listed for organisers")
    await page.get_by_role("button", name="Read with your organiser's key").click()
    await expect(page.get_by_text("A key is in use")).to_be_visible()
    await expect(keys.get_by_role("row").first).to_be_visible()
    assert await opened.barriers() == []
    assert opened.problems == []


async def test_sheets_with_keys_go_away_with_the_key(opened: Tab, live: Live) -> None:
    made, page = cup(live), opened.page
    match = made.match()
    await kept(page, live, "organiser", ORGANISER_KEY)
    await page.goto(f"{live.url}/t/{made.id}")
    await page.locator(f"#run-{match.id} summary, li.run summary").first.click()
    await page.get_by_role("button", name="Invitations for every seat").click()
    await expect(page.locator(".sheet")).to_have_count(2)
    asked: list[str] = []

    async def answer(dialog: Dialog) -> None:
        asked.append(dialog.message)
        await (dialog.accept() if len(asked) > 1 else dialog.dismiss())

    page.on("dialog", answer)
    forget = page.get_by_role("button", name="Forget the key")
    await forget.click()
    await expect(page.locator(".sheet")).to_have_count(2)
    await forget.click()
    await expect(page.locator(".sheet")).to_have_count(0)
    assert asked == ["The sheets go away with the key. Have you printed or saved them?"] * 2
    assert await page.evaluate(STORED) == []
