"""A page that is open while the service gets a new release, and one that the browser translates."""

import pytest
from playwright.async_api import Locator, Page, Route, expect

from service.web.assets import ADDRESS, RELEASE
from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.browser.playing_tabs import act, take_seat, turn
from tests.support.http.invitations import invited
from tests.support.http.match_play import step
from tests.support.servers.live_server import Live

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]


async def deploy(page: Page) -> None:
    """From now on the service has another release, whose pages come at the next loading."""
    old = True

    def loaded_anew(_: object) -> None:
        nonlocal old
        old = False

    async def answer(route: Route) -> None:
        await (route.fulfill(status=404) if old else route.continue_())

    await page.route(f"**{ADDRESS}/**", answer)
    page.on("framenavigated", loaded_anew)


async def test_a_key_that_is_entered_after_a_new_release_came(opened: Tab, live: Live) -> None:
    match, page = live.started("dollar-prize"), opened.page
    await page.goto(f"{live.url}/play/{match.id}")
    await expect(page.get_by_label("Your key")).to_be_visible()
    await deploy(page)
    await page.get_by_label("Your key").fill(match.keys[0])
    await page.get_by_role("button", name="Play with this key").click()
    await expect(page.get_by_text("You are Ann.")).to_be_visible()
    await expect(page.locator(".entry").last).to_be_visible()


async def test_a_release_that_is_away_for_good_is_said(opened: Tab, live: Live) -> None:
    match, page = live.started("dollar-prize"), opened.page
    await page.goto(f"{live.url}/play/{match.id}")
    await page.route("**/forms/*", lambda route: route.fulfill(status=404))
    await page.route("**/chunks/*", lambda route: _not_for_head(route))
    await page.get_by_label("Your key").fill(match.keys[0])
    await page.get_by_role("button", name="Play with this key").click()
    await expect(page.get_by_text("The service has a new release")).to_be_visible()


async def _not_for_head(route: Route) -> None:
    await (route.fulfill(status=404) if route.request.method == "HEAD" else route.continue_())


@pytest.mark.parametrize("path", ["/", "/m/{id}", "/m/{id}/audit", "/play/{id}", "/table/{id}"])
async def test_whatever_a_page_loads_is_of_its_release(opened: Tab, live: Live, path: str) -> None:
    match = live.started("dollar-prize")
    await opened.page.goto(live.url + path.format(id=match.id))
    loaded = [address for address in opened.requests if "/assets/" in address]
    assert loaded
    assert not [address for address in loaded if RELEASE not in address]


TRANSLATOR = """() => {
  const walk = (node) => {
    if (node.nodeType === Node.ELEMENT_NODE && node.translate === false) return;
    if (node.nodeType === Node.TEXT_NODE && node.data.trim() !== "") {
      const outer = document.createElement("font");
      outer.append(Object.assign(document.createElement("font"), {textContent: node.data}));
      node.replaceWith(outer);
    } else if (!["SCRIPT", "FONT"].includes(node.nodeName)) [...node.childNodes].forEach(walk);
  };
  walk(document.body);
  new MutationObserver((records) => {
    for (const {addedNodes} of records)
      addedNodes.forEach((node) => node.parentElement?.translate && walk(node));
  }).observe(document.body, {childList: true, subtree: true});
}"""
"""Replaces each text by a `font` with it, as the translators of browsers do."""


def position(page: Page) -> Locator:
    return page.get_by_role("slider", name="Position")


async def test_a_translated_page_shows_one_position(opened: Tab, live: Live) -> None:
    match, page = live.started("twelve-chips"), opened.page
    other = await page.context.new_page()
    for one in (page, other):
        await one.goto(f"{live.url}/m/{match.id}")
        await expect(position(one)).to_be_visible()
    await page.evaluate(TRANSLATOR)
    for _ in range(6):
        step(match)
        last = match.anyone.view().json()["seq"]
        for one in (page, other):
            await expect(position(one)).to_have_attribute("aria-valuetext", f"{last} of {last}")
    # What has changed since the position before is marked: both come from the first.
    for one in (page, other):
        await one.get_by_role("button", name="First").click()
        await one.get_by_role("button", name="Latest").click()
        await expect(position(one)).to_have_attribute("aria-valuetext", f"{last} of {last}")
    for place in (".seats", ".board", ".match-events"):
        texts = await other.locator(place).all_text_contents()
        await expect(page.locator(place)).to_have_text(texts)
    assert await page.locator("#match font").count() == 0


async def test_a_seat_plays_on_a_translated_page(opened: Tab, live: Live) -> None:
    match = live.started("twelve-chips")
    await take_seat(opened, invited(match)["link"])
    await opened.page.evaluate(TRANSLATOR)
    await act(opened)
    await expect(turn(opened)).to_have_count(1)
    assert await opened.page.locator("#play font").count() == 0
    assert await opened.page.locator("font").count() > 0
    assert opened.problems == []
