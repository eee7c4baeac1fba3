"""The pages of organisers and of tournaments, as those who have a key use them."""

import re

from playwright.async_api import Locator, Page, expect

from tests.support.browser.chromium import Tab
from tests.support.http.tournament_client import LiveCup
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Live


async def give_key(page: Page, key: str) -> None:
    """Types a key in, and uses it."""
    await page.get_by_label(re.compile("key of the tournament|organiser.s key", re.I)).fill(key)
    await page.get_by_role("button", name="Use the key").click()
    await expect(page.get_by_role("button", name="Forget the key")).to_be_focused()


async def organising(opened: Tab, live: Live) -> Page:
    """The page where matches are created, with an organiser's key."""
    await opened.page.goto(f"{live.url}/organise")
    await give_key(opened.page, ORGANISER_KEY)
    await expect(opened.page.get_by_label("Game", exact=True)).to_be_visible()
    return opened.page


async def at_desk(opened: Tab, made: LiveCup, key: str = ORGANISER_KEY) -> Page:
    """The page of a tournament, with a key."""
    await opened.page.goto(f"{made.live.url}/t/{made.id}")
    await give_key(opened.page, key)
    return opened.page


async def by_hand(page: Page) -> Locator:
    """The form of a new tournament, for one whose matches are seated by hand and whose players'
    keys are shown."""
    form = page.get_by_role("region", name="New tournament")
    await form.get_by_role("radio", name="By hand").check()
    await form.get_by_text("More", exact=True).click()
    await form.get_by_label("How players get their keys").select_option("By keys, shown to you")
    return form


def task(page: Page, name: str) -> Locator:
    """What belongs to one task at the desk of a tournament."""
    return page.locator(".task").filter(has=page.locator("summary", has_text=name)).first


async def unfolded(page: Page, name: str) -> Locator:
    """The same, when it has been unfolded."""
    found = task(page, name)
    await found.locator("> summary").click()
    return found
