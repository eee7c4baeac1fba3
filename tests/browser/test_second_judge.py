"""Two people moderate a match: named when it is made, or invited at its table."""

import pytest
from playwright.async_api import Browser, expect

from tests.browser.desk_tab import organising
from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.browser.table_tab import open_table, press, table
from tests.support.http.ruling_client import ruled, seconded
from tests.support.servers.live_server import Live, Player

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]


async def test_moderators_are_named_with_their_match(opened: Tab, live: Live) -> None:
    page = await organising(opened, live)
    await page.get_by_label("Game", exact=True).select_option("Dollar Prize")
    for label, name in {"Seat 1": "Ann", "Seat 2": "Ben", "Moderator 1": "ann"}.items():
        await page.get_by_label(label, exact=True).fill(name)
    await press(page, "Create the match")
    await expect(page.get_by_text("ann is in this match already")).to_be_visible()
    await page.get_by_label("Moderator 1", exact=True).fill("Jo")
    await page.get_by_label("Moderator 2", exact=True).fill("Dora")
    await press(page, "Create the match")
    sheets = page.locator(".sheet").filter(has_text="Runs the match")
    await expect(sheets.get_by_role("heading")).to_have_text(["Jo", "Dora"])
    jo, dora = await sheets.locator("dd.code").filter(has_text="arb_mod_").all_inner_texts()
    link = await page.locator("#made + ul li a").first.get_attribute("href")
    match = (link or "").rsplit("/", 1)[-1]
    first, other = (Player(live.bearing(key), match) for key in (jo, dora))
    assert first.client.post(f"{first.path}/start").is_success
    assert seconded(other, ruled(first, "void")["ruling"]).is_success
    keys = live.organiser.get(f"/v1/matches/{match}/keys").json()["keys"]
    assert [one["name"] for one in keys if one["role"] == "moderator"] == ["Jo", "Dora"]


async def test_a_second_judge_is_invited_where_nobody_could_agree(
    browser: Browser, opened: Tab, live: Live
) -> None:
    match, page = live.started("dollar-prize"), opened.page
    await open_table(page, live, match.id, match.moderator_key)
    judges = page.get_by_role("region", name="Moderators")
    await expect(judges).to_contain_text("Nobody else here can agree")
    async with table(browser, live, match.id, live.organiser.key or "") as theirs:
        await theirs.page.get_by_text("Invite a judge").click()
        await theirs.page.get_by_label("Name of the person").fill("Dora")
        await press(theirs.page, "Make a key")
        key = await theirs.page.get_by_label("The key of Dora").input_value()
        assert await theirs.barriers() == []
    await expect(judges).to_contain_text("Dora")
    await expect(judges.get_by_text("Nobody else here can agree")).to_have_count(0)
    ruled(match.moderator, "void")
    await expect(page.get_by_text("Your key has no name")).to_be_visible()
    await expect(page.get_by_role("button", name="Look at it to second it")).to_have_count(0)
    async with table(browser, live, match.id, key) as doras:
        await press(doras.page, "Look at it to second it")
        await press(doras.page, "Second it")
        await expect(doras.page.locator(".awaited")).to_have_text("The match is void")
    assert match.anyone.view().json()["status"] == "void"
