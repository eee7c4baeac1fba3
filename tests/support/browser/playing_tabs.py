"""People who play in browsers, by what the page of their seat offers."""

import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from playwright.async_api import Browser, Locator, Page, expect

from tests.support.browser.chromium import Tab, tab
from tests.support.http.invitations import invited
from tests.support.http.match_play import outcome
from tests.support.http.ruling_client import ruled
from tests.support.servers.live_server import LiveMatch, Player

PHONE = {"width": 390, "height": 844}

STEPS = 20
"""How many steps of a match are played; in a longer one moderators rule the result."""

COUNTS = re.compile("It is on record and counts")


@asynccontextmanager
async def phones(browser: Browser, match: LiveMatch, seats: int = 2) -> AsyncIterator[list[Tab]]:
    """A phone for each of the first seats, which has taken its seat by an invitation's link."""
    async with AsyncExitStack() as stack:
        opened = [await stack.enter_async_context(tab(browser)) for _ in range(seats)]
        for seat, phone in enumerate(opened):
            await phone.page.set_viewport_size(PHONE)  # type: ignore[arg-type]
            await take_seat(phone, invited(match, seat)["link"])
        yield opened


async def take_seat(phone: Tab, link: str) -> None:
    """Opens an invitation, and accepts it."""
    await phone.page.goto(link)
    await phone.page.get_by_role("button", name="Take the seat").click()
    await expect(phone.page.get_by_role("heading", name="What you see")).to_be_visible()


async def act(phone: Tab) -> None:
    """Sends the last thing that the page offers, as it is filled in, and sees that it counts, or
    that the match is over by it."""
    await send_last(phone)
    over = phone.page.get_by_role("link", name="Check it", exact=True)
    await expect(told(phone).filter(has_text=COUNTS).or_(over)).to_be_visible()


async def send_last(phone: Tab) -> None:
    """Sends the last thing that the page offers: by one tap, or after a second look."""
    button = phone.page.locator(".entry").last.get_by_role("button").last
    sends = await button.get_attribute("data-sends") == "true"
    await button.click()
    if not sends:
        await phone.page.get_by_role("button", name="Send", exact=True).click()


async def forget_key(page: Page) -> None:
    """Forgets the key of a seat, and means it."""
    page.once("dialog", lambda dialog: dialog.accept())
    await page.get_by_role("button", name="Forget the key").click()


def told(phone: Tab) -> Locator:
    """What became of what was sent."""
    return phone.page.locator(".acting .told")


def turn(phone: Tab) -> Locator:
    return phone.page.locator(".turn").get_by_role("status")


def may_act(player: Player) -> bool:
    """Whether the match waits for something that the seat has not done yet."""
    menu = player.menu().json()
    return menu["awaited"] and not menu["submitted"] and bool(menu["actions"])


async def play_out(match: LiveMatch, tabs: list[Tab]) -> None:
    """Brings the match to its end: the seats with tabs play in them, others by the API. A moderator
    closes the phases that wait for one."""
    for number in range(STEPS + 1):
        seen = match.moderator.view().json()
        if seen["status"] != "running":
            return
        if number == STEPS:
            end(match)
            return
        acting = [seat for seat in seen["awaiting"]["seats"] if may_act(match.seats[seat])]
        for seat in acting:
            await _act(match, tabs, seat)
        if seen["awaiting"]["draw"] is not None:
            draw = seen["awaiting"]["draw"]
            assert match.moderator.draw(draw["id"], outcome(draw["parts"])).status_code == 201
        elif len(acting) != 1:
            closed = match.moderator.close_phase()
            assert closed.status_code in (201, 409), closed.text


def end(match: LiveMatch) -> None:
    """Moderators rule that the first seat wins."""
    seats = range(len(match.seats))
    result = {"winners": [0], "losers": [*seats[1:]], "shared": False, "scores": [0 for _ in seats]}
    ruled(match.moderator, "result", result=result, because="adjudicated")


async def _act(match: LiveMatch, tabs: list[Tab], seat: int) -> None:
    if seat < len(tabs):
        await expect(turn(tabs[seat])).to_have_text("It is your turn.")
        await act(tabs[seat])
    else:
        (*_, entry) = match.seats[seat].menu().json()["actions"]
        assert match.seats[seat].act(entry["examples"][0]).status_code == 201
