"""The page of a seat while something happens that its player has not done."""

import pytest
from playwright.async_api import Locator, Page, expect

from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.browser.playing_tabs import act, take_seat, turn
from tests.support.http.invitations import invited
from tests.support.http.match_play import all_events
from tests.support.http.ruling_client import ruled
from tests.support.servers.live_server import Live

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]


def draft(page: Page) -> Locator:
    """What has been chosen, and waits to be sent."""
    return page.get_by_role("region", name="Send this?")


async def chosen(opened: Tab) -> None:
    """Chooses the last thing that the page offers."""
    await opened.page.get_by_label("Check everything once more").check()
    await opened.page.locator(".entry").last.get_by_role("button").last.click()
    await expect(draft(opened.page).get_by_role("button", name="Send")).to_be_focused()


async def test_what_was_chosen_before_a_pause_is_not_sent_by_typing(
    opened: Tab, live: Live
) -> None:
    match, page = live.started("liars-dice"), opened.page
    await take_seat(opened, invited(match)["link"])
    await chosen(opened)
    ruled(match.moderator, "pause")
    await expect(turn(opened)).to_have_text("The match is paused.")
    await page.get_by_text("Protest", exact=True).click()
    protest = page.get_by_label("What went wrong?")
    await protest.press_sequentially("The die fell")
    ruled(match.moderator, "resume")
    await expect(turn(opened)).to_have_text("It is your turn.")
    await expect(page.locator(".entry").last).to_be_visible()
    await expect(draft(page)).to_be_hidden()
    await page.keyboard.type(" off the table")
    await expect(protest).to_have_value("The die fell off the table")
    assert not [one for one in all_events(match.seats[0]) if "action-received" in one["type"]]


async def test_what_was_chosen_for_an_earlier_turn_is_gone(opened: Tab, live: Live) -> None:
    match, page = live.started("liars-dice"), opened.page
    await take_seat(opened, invited(match)["link"])
    await chosen(opened)
    await page.get_by_text("Protest", exact=True).click()
    protest = page.get_by_label("What went wrong?")
    await protest.focus()
    bids = [{"type": "bid", "count": count, "face": 2} for count in (1, 2)]
    for seat, bid in zip(match.seats, bids, strict=True):
        assert seat.act(bid).status_code == 201
    await expect(page.locator(".board")).to_contain_text("you bid, or challenge")
    await expect(page.locator(".acting").get_by_text("Challenge").first).to_be_visible()
    await expect(draft(page)).to_be_hidden()
    await expect(protest).to_be_focused()


async def test_changing_ones_mind_leads_back_to_what_is_offered(opened: Tab, live: Live) -> None:
    match, page = live.started("liars-dice"), opened.page
    await take_seat(opened, invited(match)["link"])
    await chosen(opened)
    await page.get_by_role("button", name="Change").click()
    await expect(page.locator(".acting :focus").locator(".entry").last).to_be_visible()


async def test_open_receipts_are_counted_as_they_come(opened: Tab, live: Live) -> None:
    match, page = live.started("twelve-chips"), opened.page
    await take_seat(opened, invited(match)["link"])
    await page.get_by_text("Receipts", exact=True).click()
    await expect(page.get_by_text("0 receipts are kept here.")).to_be_visible()
    await act(opened)
    await expect(page.get_by_text("1 receipt is kept here.")).to_be_visible()
    await expect(page.get_by_role("button", name="Save the receipts")).to_be_enabled()
