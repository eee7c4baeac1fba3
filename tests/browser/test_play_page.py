"""The page of a seat in a real browser: from an invitation's link to the end of a match."""

import asyncio
import json
import re
from pathlib import Path

import pytest
from playwright.async_api import Browser, Route, ViewportSize, expect

from domain.games import GAMES
from tests.browser.page_checks import has_room
from tests.browser.verifier import save_receipts, verdict_with
from tests.support.browser.chromium import Tab, lose_answer, needs_chromium, tab
from tests.support.browser.playing_tabs import (
    COUNTS,
    PHONE,
    act,
    may_act,
    phones,
    play_out,
    send_last,
    take_seat,
    told,
    turn,
)
from tests.support.browser.table_tab import table
from tests.support.games import fewest
from tests.support.http.invitations import invited
from tests.support.http.match_play import all_events
from tests.support.servers.live_server import Live, LiveMatch
from tests.support.waiting import wait_until

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]

SHORT = {
    "twelve-chips": {"tokens_to_win": 1},
    "liars-dice": {"dice": 1},
    "grouping-bw": {"chips": [1, 1]},
}
"""Options with which a match is soon over."""

DECIDED = re.compile("^You (won|lost)|wins?$|^Shared by ")
OUTCOME = re.compile("wins?$|^Shared by ")

STALE = "Something has happened since you looked. Look again, then send it again."


@pytest.mark.parametrize("game", GAMES)
async def test_two_phones_play_a_whole_match_while_a_third_watches(
    browser: Browser, opened: Tab, live: Live, game: str
) -> None:
    match = live.create(game, fewest(game), options=SHORT.get(game, {}), rulings="single")
    async with phones(browser, match) as players:
        assert match.moderator.start().status_code == 201
        await opened.page.goto(f"{live.url}/m/{match.id}")
        await expect(opened.page.get_by_role("main")).to_contain_text("Ann")
        await has_room(players[0].page)
        await play_out(match, players)
        for phone in players:
            await expect(turn(phone)).to_have_text(DECIDED)
            assert phone.problems == []
        await expect(opened.page.get_by_role("heading", name=OUTCOME)).to_be_visible()
        await expect(opened.page.get_by_role("heading", name="How it came about")).to_be_visible()


async def test_on_a_phone_the_move_is_in_sight_and_one_tap_sends_it(
    browser: Browser, live: Live
) -> None:
    for game in ("dollar-prize", "twelve-chips", "liars-dice"):
        match = live.started(game)
        async with phones(browser, match, seats=1) as (phone,):
            await expect(turn(phone)).to_have_text("It is your turn.")
            button = phone.page.locator(".entry").last.get_by_role("button").last
            await expect(button).to_be_in_viewport(ratio=1)
            assert await phone.page.evaluate("scrollY") == 0
            await button.click()
            await expect(told(phone)).to_have_text("It is on record and counts.")
            assert await phone.page.evaluate("scrollY") == 0, "the board stays in sight"
            assert await phone.barriers() == []
            assert phone.problems == []


async def test_who_wants_to_checks_everything_and_a_double_tap_is_checked(
    opened: Tab, live: Live
) -> None:
    match, page = live.started("twelve-chips"), opened.page
    await take_seat(opened, invited(match)["link"])
    chip = page.locator(".entry").last.get_by_role("button").last
    await chip.evaluate(
        "it => it.dispatchEvent(new MouseEvent('click', {bubbles: true, detail: 2}))"
    )
    asked = page.get_by_role("region", name="Send this?")
    await expect(asked).to_be_visible()
    await asked.get_by_role("button", name="Change").click()
    await page.get_by_label("Check everything once more").check()
    await page.reload()
    await chip.click()
    await expect(asked).to_be_visible()
    assert not [one for one in all_events(match.anyone) if "chip-played" in one["type"]]


@pytest.mark.parametrize("typed", ["99", "0", "", "1.5"])
async def test_what_cannot_be_bid_is_marked_and_not_sent(
    opened: Tab, live: Live, typed: str
) -> None:
    match, page = live.started("liars-dice"), opened.page
    await page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    assert match.seats[0].act({"type": "bid", "count": 2, "face": 3}).status_code == 201
    await take_seat(opened, invited(match, 1)["link"])
    dice = page.get_by_role("spinbutton", name="Dice")
    await expect(dice).to_have_value("3")
    await expect(page.get_by_role("radio", name="3")).to_be_checked()
    await dice.fill(typed)
    await page.get_by_role("button", name="Bid", exact=True).click()
    await expect(dice).to_have_attribute("aria-invalid", "true")
    await expect(dice).to_have_value(typed)
    await expect(told(opened)).to_be_empty()
    await page.get_by_role("button", name="Challenge").click()
    await expect(page.get_by_role("region", name="Send this?")).to_contain_text("Ann 2")
    await expect(page.get_by_role("button", name="Bid", exact=True)).to_be_hidden()
    await page.get_by_role("button", name="Change").click()
    await dice.fill("4")
    await page.get_by_role("button", name="Bid", exact=True).click()
    await expect(told(opened)).to_have_text(COUNTS)
    assert match.anyone.view().json()["view"]["bid"] == {"seat": 1, "count": 4, "face": 3}


RINGS = """window.rung = 0;
const Real = AudioContext;
window.AudioContext = class extends Real { constructor() { super(); window.rung += 1; } };"""
"""Counts how often the page makes a sound."""


async def test_a_turn_rings_for_who_has_asked_for_it(opened: Tab, live: Live) -> None:
    match, page = live.started("liars-dice"), opened.page
    await page.add_init_script(RINGS)
    await take_seat(opened, invited(match)["link"])
    for count, rung in ((1, 0), (3, 2)):
        await expect(turn(opened)).to_have_text("It is your turn.")
        assert match.seats[0].act({"type": "bid", "count": count, "face": 2}).status_code == 201
        await expect(turn(opened)).to_have_text("Waits for Ben")
        assert match.seats[1].act({"type": "bid", "count": count + 1, "face": 2}).status_code == 201
        await expect(turn(opened)).to_have_text("It is your turn.")
        await page.wait_for_function("expected => rung === expected", arg=rung)
        await page.get_by_label("A sound when it is my turn").check()
        assert await page.evaluate("rung") == max(rung, 1), "it rings once to be heard"
    assert opened.problems == []


async def test_what_was_sent_counts_once_though_its_answer_was_lost(
    opened: Tab, live: Live, tmp_path: Path
) -> None:
    match = live.started("liars-dice", options={"dice": 1})
    page = opened.page
    await take_seat(opened, invited(match)["link"])

    await page.route("**/actions", lose_answer, times=1)
    await page.route(
        "**/actions", lambda route: route.abort() if _posts(route) else route.continue_()
    )
    await send_last(opened)
    await expect(told(opened)).to_have_text("Sending …")
    await page.reload()
    await expect(told(opened)).to_have_text("Sending …")
    await page.unroute_all()
    await expect(told(opened)).to_have_text("It is on record and counts.")
    received = [one for one in all_events(match.seats[0]) if one["type"].startswith("match.action")]
    assert len(received) == 1
    assert match.seats[1].act({"type": "challenge"}).status_code == 201
    await expect(turn(opened)).to_have_text(DECIDED)
    await the_receipts_verify(opened, live, match, tmp_path)


async def test_a_seat_in_two_tabs_that_send_at_once_acts_once(
    browser: Browser, opened: Tab, live: Live
) -> None:
    match = live.started("twelve-chips")
    may_go = asyncio.Event()

    async def held(route: Route) -> None:
        if _posts(route):
            await may_go.wait()
        await route.continue_()

    async with tab(browser) as other:
        tabs = (opened, other)
        for one in tabs:
            await one.page.goto(f"{live.url}/play/{match.id}")
            await one.page.get_by_label("Your key").fill(match.keys[0])
            await one.page.get_by_role("button", name="Play with").click()
            await expect(turn(one)).to_have_text("It is your turn.")
            await one.page.route("**/actions", held)
            await send_last(one)
            await expect(told(one)).to_have_text("Sending …")
        may_go.set()
        for one in tabs:
            await expect(turn(one)).to_have_text("Waits for Ben")
            await expect(told(one)).not_to_have_text("Sending …")
        said = {await told(one).inner_text() for one in tabs}
    assert said == {"It is on record and counts.", STALE}
    played = [one for one in all_events(match.anyone) if "chip-played" in one["type"]]
    assert len(played) == 1


def _posts(route: Route) -> bool:
    return route.request.method == "POST"


async def the_receipts_verify(phone: Tab, live: Live, match: LiveMatch, folder: Path) -> None:
    """What the page saves is what `arbiter verify` takes, and the record bears it out."""
    await phone.page.get_by_text("Receipts", exact=True).click()
    receipts = await save_receipts(phone.page, folder)
    assert len(json.loads(receipts.read_text())["receipts"]) == 1
    assert verdict_with(live, match, receipts) == "PASS"


async def test_a_sealed_submission_says_what_counts_and_what_does_not(
    opened: Tab, live: Live
) -> None:
    match = live.started("together", ("Ann", "<img src=x>", "Cy", "Dee"))
    page = opened.page
    await take_seat(opened, invited(match)["link"])
    await expect(page.get_by_text("votes: 0 of")).to_have_count(2)
    await page.get_by_role("button", name="Ann: one more").click()
    await act(opened)
    standing = page.get_by_role("region", name="This is what counts now")
    await expect(standing).to_contain_text("Ann")
    await page.get_by_text("Submit something else").click()
    await page.get_by_role("button", name="Cy: one more").click()
    await page.get_by_role("button", name="Vote", exact=True).click()
    await page.get_by_role("button", name="Send", exact=True).click()
    await expect(told(opened)).to_contain_text("does not count")
    await expect(told(opened)).to_contain_text("three")
    await expect(standing).to_contain_text("Ann")
    sent = page.get_by_role("region", name="What you have sent").get_by_role("listitem")
    await expect(sent).to_have_count(2)
    await expect(sent.first).to_contain_text("Does not count")
    assert await opened.barriers() == []
    assert opened.problems == []


async def test_a_seat_enters_its_hand_and_the_moderator_sees_that_it_is_in(
    browser: Browser, opened: Tab, live: Live
) -> None:
    match = live.started("twelve-chips", chance="manual", options={"hands": "entered"})
    page = opened.page
    await take_seat(opened, invited(match)["link"])
    chips = page.get_by_role("group", name="Chips: add")
    for chip in ("4", "9", "12", "1"):
        await chips.get_by_role("button", name=chip, exact=True).click()
    await page.get_by_role("button", name="Enter your hand").click()
    await page.get_by_role("button", name="Send", exact=True).click()
    await expect(told(opened)).to_have_text(COUNTS)
    standing = page.get_by_role("region", name="This is what counts now")
    await expect(standing).to_contain_text("12")
    async with table(browser, live, match.id, match.moderator_key) as moderator:
        await expect(moderator.page.get_by_text("Hands are in of Ann.")).to_be_visible()
        assert moderator.problems == []
    hand = {"type": "enter", "chips": [5, 6, 2, 3]}
    assert match.seats[1].act(hand).status_code == 201
    await expect(turn(opened)).to_have_text("It is your turn.")
    assert await opened.barriers() == []
    assert opened.problems == []


async def test_one_form_makes_every_bid_and_no_other(opened: Tab, live: Live) -> None:
    """As many dice of a higher face, or more dice: which is one form for a player."""
    match = live.started("liars-dice")
    assert match.seats[0].act({"type": "bid", "count": 2, "face": 4}).status_code == 201
    await opened.page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    await take_seat(opened, invited(match, 1)["link"])
    page = opened.page
    await expect(page.get_by_role("button", name="Bid")).to_have_count(1)
    await page.get_by_role("button", name="Dice: one less").click()
    await page.get_by_role("radio", name="5").check()
    await expect(page.get_by_role("radio", name="4")).to_be_disabled()
    assert await hidden_part_of_dock(opened) == 0
    await page.get_by_role("button", name="Bid").click()
    await expect(told(opened)).to_contain_text("It is on record and counts")
    assert match.anyone.view().json()["view"]["bid"] == {"seat": 1, "count": 2, "face": 5}
    assert match.seats[0].act({"type": "bid", "count": 3, "face": 5}).status_code == 201
    await expect(turn(opened)).to_have_text("It is your turn.")
    await expect(told(opened)).to_be_empty()


SHADOW = 6
"""Pixels around the button of a form in the dock that cover what is behind it."""


async def test_sixteen_players_are_voted_for_without_scrolling(opened: Tab, live: Live) -> None:
    match = live.started("together", tuple(f"Player {number}" for number in range(16)))
    await opened.page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    await take_seat(opened, invited(match)["link"])
    assert await hidden_part_of_dock(opened) == 0
    votes = await opened.page.locator(".counts").last.bounding_box()
    button = await opened.page.get_by_role("button", name="Vote", exact=True).bounding_box()
    assert votes is not None and button is not None
    assert votes["y"] + votes["height"] < button["y"] - SHADOW
    assert await opened.barriers() == []


@pytest.mark.parametrize("size", [PHONE, {"width": 768, "height": 1024}])
async def test_own_tiles_are_in_sight_while_chips_are_bet(
    opened: Tab, live: Live, size: ViewportSize
) -> None:
    match = live.started("grouping-bw")
    wait_until(lambda: is_bet(match))
    await opened.page.set_viewport_size(size)
    await take_seat(opened, invited(match, match.anyone.view().json()["view"]["to_act"])["link"])
    await expect(turn(opened)).to_have_text("It is your turn.")
    lowest = await opened.page.locator(".bw-known").bounding_box()
    dock = await opened.page.locator(".acting[data-docked=true]").bounding_box()
    assert lowest is not None and dock is not None
    assert lowest["y"] + lowest["height"] <= dock["y"]


def is_bet(match: LiveMatch) -> bool:
    """Does what comes before the bets, and says whether they have begun."""
    view = match.anyone.view().json()["view"]
    if view is not None and view["to_act"] is not None:
        return True
    for seat in filter(may_act, match.seats):
        (*_, entry) = seat.menu().json()["actions"]
        assert seat.act(entry["examples"][0]).status_code == 201
    return False


async def hidden_part_of_dock(tab: Tab) -> int:
    """How many pixels of the move are not in sight, at the lower edge of a phone."""
    dock = tab.page.locator(".acting[data-docked=true]")
    hidden: int = await dock.evaluate("dock => dock.scrollHeight - dock.clientHeight")
    return hidden
