"""An event on a wall and on paper."""

import asyncio

import pytest
from playwright.async_api import Page, expect

from tests.browser.desk_tab import give_key
from tests.browser.page_checks import good_at_every_width, is_seen_whole
from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.http.tournament_client import LiveCup, cup, publish, staged
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Live

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]

PEOPLE = ("Zoe", "Ann", "Ben")
"""One of them sits out."""

TURN_MS = 10_000


def event(live: Live) -> LiveCup:
    made = cup(live, players=list(PEOPLE), moderators=[])
    stage = staged(made, published=False, name="Swiss", seeding="entry", round={"ends": 2})
    publish(made, stage)
    return made


async def names(page: Page) -> list[str]:
    return await page.locator(".wall-rows .who").all_inner_texts()


async def test_on_a_wall_everyone_is_found_by_name_in_parts_that_take_turns(
    opened: Tab, live: Live
) -> None:
    made, page = await asyncio.to_thread(event, live), opened.page
    await page.clock.install()
    await page.goto(f"{live.url}/t/{made.id}?wall")
    await expect(page.locator(".wall-rows li")).to_have_count(3)
    assert await names(page) == sorted(PEOPLE)
    await expect(page.get_by_role("timer")).to_be_visible()
    await good_at_every_width(opened, live.url)
    # Room for two.
    await page.set_viewport_size({"width": 900, "height": 350 + 2 * 64})
    await expect(page.locator(".wall-rows li")).to_have_count(2)
    await is_seen_whole(page)
    await page.clock.fast_forward(TURN_MS)
    await expect(page.locator(".wall-rows li")).to_have_count(1)
    assert await names(page) == ["Zoe"]
    await page.get_by_role("button", name="Stop turning").click()
    await page.clock.fast_forward(TURN_MS)
    assert await names(page) == ["Zoe"]


async def test_lists_are_printed_without_the_rest_and_slips_with_a_link_each(
    opened: Tab, live: Live
) -> None:
    made, page = await asyncio.to_thread(event, live), opened.page
    await page.goto(f"{live.url}/t/{made.id}")
    await give_key(page, ORGANISER_KEY)
    await page.get_by_role("link", name="To print").click()
    rows = page.locator(".printed tbody tr")
    await expect(rows).to_have_count(2)
    await good_at_every_width(opened, live.url)
    await page.get_by_role("radio", name="Pairings by name").check()
    await expect(rows.locator("td:first-child")).to_have_text(sorted(PEOPLE))
    await page.get_by_role("radio", name="Standings").check()
    await expect(rows.first).to_contain_text("1")
    await page.emulate_media(media="print")
    await expect(page.get_by_role("radio").first).to_be_hidden()
    await expect(rows.first).to_be_visible()
    await page.emulate_media(media="screen")
    await page.get_by_text("Slips with a link for each player").click()
    await page.get_by_role("button", name="Links for all 3 players").click()
    await expect(page.locator(".sheet h3")).to_have_text(list(PEOPLE))
    links = await page.locator(".sheet .code").all_inner_texts()
    assert all(f"/t/{made.id}/me?player=" in link and "arb_" not in link for link in links)
    assert opened.problems == []
