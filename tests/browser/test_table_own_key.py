"""At the table a moderator makes the key that an organiser gave them their own."""

import re

import pytest
from playwright.async_api import Route, expect

from tests.support.browser.chromium import Tab, lose_answer, needs_chromium
from tests.support.browser.table_tab import open_table, press
from tests.support.http.match_keys import moderating
from tests.support.http.ruling_client import ruled, seconded
from tests.support.servers.live_server import Live, Player

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]


async def test_a_key_is_made_ones_own_in_one_step_and_shown_once(opened: Tab, live: Live) -> None:
    match, page = live.started("twelve-chips"), opened.page
    eve = moderating(live, match, "Eve")
    await open_table(page, live, match.id, eve.client.key or "")
    await press(page, "Make this key mine")
    shown = page.locator("code.secret")
    await expect(shown).to_have_text(re.compile("^arb_mod_"))
    assert eve.view().status_code == 401
    mine = Player(live.bearing(await shown.inner_text()), match.id)
    assert seconded(mine, ruled(match.organiser, "void")["ruling"]).is_success
    await press(page, "I have it: put it away")
    await expect(shown).to_have_count(0)
    await expect(page.get_by_role("button", name="Make this key mine")).to_have_count(0)


async def test_a_renewal_whose_answer_was_lost_goes_on_after_a_reload(
    opened: Tab, live: Live
) -> None:
    match, page = live.started("twelve-chips"), opened.page
    eve = moderating(live, match, "Eve")
    await open_table(page, live, match.id, eve.client.key or "")

    async def lost_before_the_reload(route: Route) -> None:
        await (route.continue_() if reloaded else lose_answer(route))

    reloaded: list[object] = []
    await page.route("**/v1/keys/renew", lost_before_the_reload)
    async with page.expect_event("requestfailed", lambda sent: sent.url.endswith("/renew")):
        await press(page, "Make this key mine")
    async with page.expect_response("**/cases"):
        await press(page, "Look again")  # The old key has ended.
    page.on("framenavigated", lambda frame: reloaded.append(frame))
    await page.reload()
    shown = page.locator("code.secret")
    await expect(shown).to_have_text(re.compile("^arb_mod_"))
    assert eve.view().status_code == 401


async def test_nothing_is_offered_to_whoever_needs_nothing(opened: Tab, live: Live) -> None:
    match, page = live.started("twelve-chips"), opened.page
    await open_table(page, live, match.id, match.moderator_key)
    await expect(page.get_by_role("heading", name="Now")).to_be_visible()
    await expect(page.get_by_role("button", name="Make this key mine")).to_have_count(0)
