"""A seat is played to the end of its match by keyboard alone, and the focus is never lost."""

import re

import pytest
from playwright.async_api import expect

from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.browser.playing_tabs import COUNTS, may_act, told, turn
from tests.support.http.invitations import invited
from tests.support.servers.live_server import Json, Live, LiveMatch

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]

MOVES = 40
TABS = 12
"""More presses of the Tab key than lie between the title and the last move."""

ON_LAST_MOVE = """() => [...document.querySelectorAll(".offers .entry:last-child button")].at(-1)
    === document.activeElement"""
ON_DRAFT = "() => document.activeElement.closest('.draft') !== null"
LOST = "() => document.activeElement === document.body"


@pytest.mark.parametrize(
    ("game", "options"), [("liars-dice", {"dice": 1}), ("twelve-chips", {"tokens_to_win": 1})]
)
async def test_a_match_is_played_by_keyboard(
    opened: Tab, live: Live, game: str, options: Json
) -> None:
    match, page = live.started(game, options=options), opened.page
    await page.goto(invited(match)["link"])
    await page.get_by_role("button", name="Take the seat").press("Enter")
    for _ in range(MOVES):
        if match.anyone.view().json()["status"] != "running":
            break
        if may_act(match.seats[0]):
            await expect(turn(opened)).to_have_text("It is your turn.")
            await press_last_move(opened)
        elif may_act(match.seats[1]):
            act(match)
    await expect(turn(opened)).to_have_text(re.compile("^(You |Shared by)"))
    await expect(turn(opened)).to_be_focused()
    assert opened.problems == []


async def press_last_move(tab: Tab) -> None:
    """Goes on from where the focus is to the last move, and sends it."""
    page = tab.page
    assert not await page.evaluate(LOST)
    for _ in range(TABS):
        await page.keyboard.press("Tab")
        if await page.evaluate(ON_LAST_MOVE):
            break
    await page.keyboard.press("Enter")
    if await page.evaluate(ON_DRAFT):
        await page.keyboard.press("Enter")
    # The page has read what follows before it says so.
    over = page.get_by_role("link", name="Check it", exact=True)
    await expect(told(tab).filter(has_text=COUNTS).or_(over)).to_be_visible()


def act(match: LiveMatch) -> None:
    """The other seat does the last thing that it may."""
    (*_, entry) = match.seats[1].menu().json()["actions"]
    assert match.seats[1].act(entry["examples"][0]).status_code == 201
