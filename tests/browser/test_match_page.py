"""The page of a match in a real browser: replayed, watched live, read with a key."""

import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, expect

from tests.browser.page_checks import good_at_every_width, position
from tests.support.browser.chromium import Tab, needs_chromium, tab
from tests.support.browser.playing_tabs import forget_key
from tests.support.http.match_play import play_out
from tests.support.http.rewind_client import numbers, resumed, rewound, steal, steps
from tests.support.http.ruling_client import WHY, ruled
from tests.support.servers.live_server import Live, LiveMatch

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]

IMAGE = "<img src=x>"


@pytest.fixture(scope="module")
def over(live: Live) -> LiveMatch:
    """A match that is over, so that everyone may see everything of it."""
    match = live.started("liars-dice", ("Ann", IMAGE), options={"dice": 1})
    play_out(match)
    return match


def happened(page: Page) -> Locator:
    """What is said of the event of this position."""
    return page.locator(".match-step p").first


async def goes(page: Page, key: str, to: int, last: int) -> None:
    """A key leads to a position, and the address to it is kept."""
    await page.keyboard.press(key)
    await expect(position(page)).to_have_attribute("aria-valuetext", f"{to} of {last}")
    await expect(happened(page)).to_contain_text(re.compile(rf"^{to} \w"))
    await expect(page).to_have_url(re.compile(rf"\?at={to}&as=public$"))


async def test_a_match_is_replayed_by_keyboard_alone(
    opened: Tab, live: Live, over: LiveMatch
) -> None:
    page, last = opened.page, over.anyone.view().json()["seq"]
    await page.goto(f"{live.url}/m/{over.id}")
    await expect(position(page)).to_have_attribute("aria-valuetext", f"{last} of {last}")
    await goes(page, "Home", 1, last)
    await expect(happened(page)).to_contain_text("The match is set up for 2 seats")
    await goes(page, "ArrowRight", 2, last)
    await goes(page, "ArrowRight", 3, last)
    await goes(page, "ArrowLeft", 2, last)
    pace = page.get_by_role("combobox", name="Pace")
    await pace.focus()
    await pace.press("End")
    await expect(pace).to_have_value("5")
    await page.keyboard.press("Tab")
    await page.evaluate("document.activeElement.blur()")
    await page.keyboard.press(" ")
    await expect(page.get_by_role("button", name="Pause")).to_be_visible()
    await expect(position(page)).to_have_attribute("aria-valuetext", f"{last} of {last}")
    await expect(page.get_by_role("button", name="Play")).to_be_visible()
    await expect(page.get_by_role("heading", name="wins")).to_be_visible()
    await expect(happened(page)).to_contain_text("wins")
    await page.keyboard.press("End")
    await expect(page).to_have_url(f"{live.url}/m/{over.id}")
    assert opened.problems == []


async def test_what_has_happened_is_told_in_rounds(opened: Tab, live: Live) -> None:
    match, page = live.started("dollar-prize", chance="manual", rulings="single"), opened.page
    steal(match)
    steps(match, 12)
    await page.goto(f"{live.url}/m/{match.id}")
    told = page.get_by_role("region", name="What has happened")
    await told.get_by_text("Round 1", exact=True).click()
    first = told.locator("details").first
    await expect(first.get_by_role("link", name="places a").first).to_be_visible()
    await expect(first.get_by_text(re.compile("heads is the|No heads"))).to_be_visible()
    await expect(first.get_by_text("The match waits for")).to_have_count(0)
    await told.get_by_label("Everything on record").check()
    await expect(first.get_by_text("The match waits for").first).to_be_visible()
    assert await opened.barriers() == []
    result = {"winners": [1], "losers": [0], "shared": False, "scores": [0, 5]}
    ruled(match.moderator, "result", result=result, because="forfeit")
    await expect(told.get_by_role("link").last).to_have_text("Ben wins")


async def test_a_match_is_passed_on_and_its_keys_are_explained(
    opened: Tab, live: Live, over: LiveMatch
) -> None:
    page = opened.page
    await page.goto(f"{live.url}/m/{over.id}?at=3")
    await page.get_by_text("Share", exact=True).click()
    shared = {
        name: await page.get_by_label(name).input_value()
        for name in ("Link to this match", "Link to this position", "The board for your own")
    }
    assert list(shared.values()) == [
        f"{live.url}/m/{over.id}",
        f"{live.url}/m/{over.id}?at=3&as=public",
        f'<iframe src="{live.url}/embed/{over.id}" width="600" height="600" title="Arbiter">'
        "</iframe>",
    ]
    await expect(page.get_by_text("Home", exact=True)).to_be_hidden()
    await page.keyboard.press("?")
    await expect(page.get_by_text("Home", exact=True)).to_be_visible()
    assert await opened.barriers() == []
    await page.keyboard.press("?")
    await expect(page.get_by_text("Home", exact=True)).to_be_hidden()


async def test_arrow_keys_scroll_the_numbers_that_have_the_focus(opened: Tab, live: Live) -> None:
    seats = [f"Longname number {seat}" for seat in range(6)]
    match, page = live.started("liars-dice", seats, options={"dice": 1}), opened.page
    play_out(match)
    last = match.anyone.view().json()["seq"]
    await page.set_viewport_size({"width": 360, "height": 800})
    await page.goto(f"{live.url}/m/{match.id}")
    await page.get_by_text("As a table").click()
    numbers_shown = page.locator(".match-numbers .scrolled")
    await numbers_shown.focus()
    assert await scrolled_by(page, numbers_shown, "ArrowRight") > 0
    await expect(position(page)).to_have_attribute("aria-valuetext", f"{last} of {last}")
    assert await scrolled_by(page, numbers_shown, "ArrowLeft") == 0
    await expect(position(page)).to_have_attribute("aria-valuetext", f"{last} of {last}")


async def scrolled_by(page: Page, part: Locator, key: str) -> int:
    """How far a part of the page has been moved sideways after a key."""
    ending = "part => { part.ended = new Promise(done => part.onscrollend = () => done()); }"
    await part.evaluate(ending)
    await page.keyboard.press(key)
    left: int = await part.evaluate("async part => { await part.ended; return part.scrollLeft; }")
    return left


async def test_everybody_reads_an_open_record_as_any_audience(
    opened: Tab, live: Live, over: LiveMatch
) -> None:
    page, rolled = opened.page, numbers(over, "liars-dice.dice-rolled.1")[0]
    await page.goto(f"{live.url}/m/{over.id}?at={rolled}&as=moderator")
    await expect(happened(page)).to_contain_text("Ann has rolled")
    await expect(page.get_by_role("heading", name="What the moderators see")).to_be_visible()
    await page.get_by_role("combobox", name="Seen by").select_option("seat:1")
    await expect(page.get_by_role("heading", name="What this seat sees")).to_be_visible()
    await expect(page).to_have_url(re.compile(r"\?at=\d+&as=seat:1$"))
    await page.get_by_role("link", name="The match begins").click()
    await expect(happened(page)).to_contain_text("The match begins")
    await good_at_every_width(opened, live.url)


class Watching:
    """A tab on the page of a match, as an audience."""

    def __init__(self, made: Tab, audience: str) -> None:
        self.tab, self.page, self.audience = made, made.page, audience

    async def sees(self, seq: int, text: str) -> None:
        """Shows the position with this number, and says what happened."""
        where = position(self.page)
        await expect(where).to_have_attribute("aria-valuetext", f"{seq} of {seq}")
        own = str(seq) if self.audience == "public" else re.compile(rf"^(p\d+ \({seq}\)|{seq})$")
        await expect(self.page.locator(".match-events [aria-current] .number")).to_have_text(own)
        await expect(self.page.locator(".match-events")).to_contain_text(text)


@pytest_asyncio.fixture(loop_scope="session")
async def watching(browser: Browser, live: Live) -> AsyncIterator[Any]:
    """Opens the page of a match as an audience, with a key that the tab keeps."""
    async with AsyncExitStack() as stack:

        async def watch(match: LiveMatch, audience: str, key: str | None = None) -> Watching:
            made = await stack.enter_async_context(tab(browser))
            if key is not None:
                kept = f"sessionStorage.setItem('arbiter key: match {match.id}', '{key}')"
                await made.page.add_init_script(kept)
            await made.page.goto(f"{live.url}/m/{match.id}?as={audience}")
            return Watching(made, audience)

        yield watch


async def test_three_audiences_watch_a_rewind(live: Live, watching: Any) -> None:
    match = live.started("dollar-prize", ("Ann", "Ben"), chance="manual")
    audiences = match.audiences()
    tabs = [
        await watching(match, "public"),
        await watching(match, "seat:1", match.keys[1]),
        await watching(match, "moderator", match.moderator_key),
    ]
    _, point = steal(match)
    steps(match, 2)
    for one in tabs:
        await one.sees(audiences[one.audience].view().json()["seq"], "The pennies have fallen")
    rewound(match, live, before=point)
    for one in tabs:
        await one.sees(audiences[one.audience].view().json()["seq"], "The match goes back")
        await expect(one.page.get_by_text("The match is paused. Its clocks")).to_be_visible()
        await expect(one.page.locator(".board")).not_to_contain_text("heads heads")
        left = one.page.locator(
            ".match-events [data-left=true]", has_text="The pennies have fallen"
        )
        await left.get_by_role("link").click()
        await expect(one.page.get_by_text("Later the match went back")).to_be_visible()
        await one.page.get_by_role("button", name="Latest").click()
    resumed(match)
    for one in tabs:
        await one.sees(audiences[one.audience].view().json()["seq"], "The match goes on")
        assert one.tab.problems == []
        keys = (match.moderator_key, *match.keys)
        assert not [address for address in one.tab.requests for key in keys if key in address]


async def test_a_result_says_how_it_came_about(opened: Tab, live: Live) -> None:
    match, page = steps(live.started("dollar-prize", rulings="single"), 2), opened.page
    await page.goto(f"{live.url}/m/{match.id}")
    result = {"winners": [1], "losers": [0], "shared": False, "scores": [0, 5]}
    ruled(match.moderator, "result", result=result, because="forfeit")
    ended = page.get_by_role("region", name="Ben wins")
    await expect(ended.get_by_role("listitem").filter(has_text="forfeit")).to_be_visible()
    await ended.get_by_role("link", name=WHY).click()
    await expect(happened(page)).to_contain_text(f"Ruling 1: {WHY}")
    await expect(ended).to_be_hidden()


async def test_a_void_match_says_why(opened: Tab, live: Live) -> None:
    match, page = live.started("dollar-prize", rulings="single"), opened.page
    ruled(match.moderator, "void")
    await page.goto(f"{live.url}/m/{match.id}")
    await expect(page.get_by_role("region", name="This match is void.")).to_contain_text(WHY)
    assert await opened.barriers() == []


async def test_a_key_is_given_kept_in_the_browser_and_forgotten(opened: Tab, live: Live) -> None:
    match, page = steps(live.started("liars-dice"), 2), opened.page
    await page.goto(f"{live.url}/m/{match.id}")
    await page.get_by_text("See more with a key").click()
    key = page.get_by_label("Key", exact=True)
    await expect(key).to_have_attribute("autocomplete", "off")
    await key.fill(match.keys[0])
    await page.get_by_role("button", name="Use the key").click()
    await expect(page.get_by_role("heading", name="What this seat sees")).to_be_visible()
    await expect(page).to_have_url(re.compile(r"\?as=seat:0$"))
    await expect(page.locator(".match-events")).to_contain_text("Ann has rolled")
    await forget_key(page)
    await expect(page.get_by_role("heading", name="What the public sees")).to_be_visible()
    await expect(page.locator(".match-events")).not_to_contain_text("Ann has rolled")
    assert await page.evaluate("sessionStorage.length + localStorage.length") == 0
    assert not [address for address in opened.requests if match.keys[0] in address]
    assert opened.problems == []


async def test_without_a_key_another_audience_is_told_calmly(opened: Tab, live: Live) -> None:
    match = live.started("liars-dice")
    await opened.page.goto(f"{live.url}/m/{match.id}?as=seat:1")
    await expect(opened.page.get_by_text("Only those whose key allows it")).to_be_visible()
    await opened.page.get_by_role("link", name="See what the public sees").click()
    await expect(opened.page.get_by_role("heading", name="What the public sees")).to_be_visible()
