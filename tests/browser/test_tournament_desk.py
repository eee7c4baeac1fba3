"""The desk of a tournament: its tasks while something happens elsewhere."""

import asyncio

import pytest
from playwright.async_api import expect

from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.browser.desk_tab import at_desk, task
from tests.support.browser.playing_tabs import act, turn
from tests.support.http.match_play import play_out
from tests.support.http.ruling_client import ruled
from tests.support.http.tournament_client import cup
from tests.support.servers.live_server import Live, LiveMatch

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]


def started(match: LiveMatch) -> LiveMatch:
    assert match.moderator.start().status_code == 201
    return match


async def test_receipts_stay_when_the_match_is_opened_again(opened: Tab, live: Live) -> None:
    made = cup(live)
    started(made.match())
    page = await at_desk(opened, made, made.players[0])
    play = page.get_by_role("button", name="Play", exact=True)
    await play.click()
    await expect(turn(opened)).to_have_text("It is your turn.")
    await act(opened)
    await page.get_by_text("Your key", exact=True).click()
    await page.get_by_label("Keep it on this device").check()
    await page.goto(f"{live.url}/t/{made.id}")
    await play.click()
    await page.get_by_text("Receipts", exact=True).click()
    await expect(page.get_by_text("1 receipt is kept here")).to_be_visible()
    await page.get_by_text("Your key", exact=True).click()
    await expect(page.get_by_label("Keep it on this device")).to_be_checked()


async def test_who_was_replaced_is_not_led_to_the_match(opened: Tab, live: Live) -> None:
    made = cup(live)
    match = started(made.match(rulings="single"))
    ruled(match.moderator, "replace_seat", seat=1, name="Cy")
    page = await at_desk(opened, made, made.players[1])
    own = task(page, "Your matches")
    await expect(own.locator("li")).to_have_count(1)
    await expect(own.get_by_role("button", name="Play")).to_have_count(0)
    await page.get_by_role("button", name="Forget the key").click()
    await at_desk(opened, made, made.players[2])
    await own.get_by_role("button", name="Play").click()
    await expect(page.get_by_text("You are Cy, at seat 1.")).to_be_visible()


async def test_players_are_led_to_a_match_whose_result_is_provisional(
    opened: Tab, live: Live
) -> None:
    made = cup(live)
    match = started(made.match(protest_hours=2))
    await asyncio.to_thread(play_out, match)
    page = await at_desk(opened, made, made.players[0])
    await task(page, "Your matches").get_by_role("button", name="Play").click()
    await page.wait_for_url(f"**/play/{match.id}")
