"""A browser tells its user of their turn if they asked for that. No push service is used here:
the browser's part in it stands in."""

import asyncio

import pytest
from playwright.async_api import expect

from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.browser.playing_tabs import take_seat
from tests.support.http.invitations import invited
from tests.support.servers.live_server import Json, Live
from tests.support.waiting import wait_until

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]

SUBSCRIBED = """
    PushManager.prototype.getSubscription = async () => null;
    PushManager.prototype.subscribe = async ({ applicationServerKey: key }) => {
        if (key.length !== 87) throw new TypeError(key);
        return { endpoint: "https://push.example/send/abc" };
    };
"""


async def test_a_seat_asks_for_its_turns_and_takes_it_back(opened: Tab, live: Live) -> None:
    match = live.started("liars-dice")
    page = opened.page
    await page.add_init_script(SUBSCRIBED)
    await take_seat(opened, invited(match, 1)["link"])
    box = page.get_by_label("Tell me when it is my turn")
    await box.check()
    await asyncio.to_thread(wait_until, lambda: bool(listed(live)))
    kept = "async () => (await (await caches.open('turns')).keys()).length"
    assert await page.evaluate(kept) == 1
    (webhook,) = listed(live)
    assert (webhook["match"], webhook["seat"], webhook["push"]) == (match.id, 1, True)
    await box.uncheck()
    await asyncio.to_thread(wait_until, lambda: not listed(live))
    await expect(box).not_to_be_checked()
    assert await page.evaluate(kept) == 0


def listed(live: Live) -> list[Json]:
    found: list[Json] = live.organiser.get("/v1/webhooks").json()["webhooks"]
    return found


async def test_a_browser_that_does_not_allow_it_says_so(opened: Tab, live: Live) -> None:
    match = live.started("liars-dice")
    await take_seat(opened, invited(match, 1)["link"])
    box = opened.page.get_by_label("Tell me when it is my turn")
    await box.click()
    await expect(opened.page.get_by_text("Your browser does not allow it.")).to_be_visible()
    await expect(box).not_to_be_checked()
