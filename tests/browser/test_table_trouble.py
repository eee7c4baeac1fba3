"""The moderator's table when something goes wrong: what it then says, and what it does not lose."""

import asyncio
import json
import re
from collections import Counter

import pytest
from playwright.async_api import Page, Request, Route, expect

from tests.support.browser.chromium import Tab, lose_answer, needs_chromium
from tests.support.browser.table_tab import give, open_table, press
from tests.support.http.case_client import appeal, close
from tests.support.http.case_client import opened as case_opened
from tests.support.http.rewind_client import moderators
from tests.support.http.ruling_client import listed, ruled, seconded
from tests.support.servers.live_server import Live

TWO_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
UNKNOWN = json.dumps({"title": "There is no such key.", "status": 401, "code": "key_unknown"})

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]


async def test_the_table_opens_when_the_service_is_back(opened: Tab, live: Live) -> None:
    match = live.started("dollar-prize")
    await open_table(opened.page, live, match.id, match.moderator_key)
    await opened.page.clock.install()
    await opened.page.route("**/v1/**", lambda route: route.fulfill(status=503))
    await opened.page.reload()
    await expect(opened.page.get_by_text("The service does not answer.")).to_be_visible()
    # For longer than a request is repeated.
    for _ in range(8):
        async with opened.page.expect_response("**/v1/**"):
            await opened.page.clock.fast_forward(10_000)
    await opened.page.unroute("**/v1/**")
    await opened.page.clock.fast_forward(10_000)
    await expect(opened.page.get_by_role("heading", name="Now")).to_be_visible()


async def test_a_key_that_has_ended_is_said_to_have(opened: Tab, live: Live) -> None:
    match = live.started("dollar-prize")
    _, other = moderators(match, live)
    await open_table(opened.page, live, match.id, other.client.key or "")
    keys = f"{match.organiser.path}/keys"
    listed = match.organiser.client.get(keys).json()["keys"]
    ended = next(one["id"] for one in listed if one["name"] == "Second judge")
    assert match.organiser.client.send("DELETE", f"{keys}/{ended}").status_code == 204
    await expect(opened.page.get_by_text("There is no such key, or it has ended.")).to_be_visible()
    await expect(opened.page.get_by_label("Key", exact=True)).to_be_visible()


async def test_a_key_that_ends_while_the_table_opens_is_said_to_have(
    opened: Tab, live: Live
) -> None:
    match = live.started("dollar-prize")
    page, finished, all_else = opened.page, Counter[str](), asyncio.Event()

    def note(request: Request) -> None:
        finished[request.url.rpartition("/")[2]] += 1
        if finished["view"] == 2 and finished[match.id] > 1:
            all_else.set()

    async def at_last(route: Route) -> None:
        await all_else.wait()
        await page.evaluate(TWO_FRAMES)
        await route.fulfill(status=401, content_type="application/problem+json", body=UNKNOWN)

    page.on("requestfinished", note)
    await page.route("**/rulings*", at_last)
    await page.goto(f"{live.url}/table/{match.id}")
    await give(page, "Key", match.moderator_key)
    await press(page, "Open")
    await expect(page.get_by_text("There is no such key, or it has ended.")).to_be_visible()


async def test_what_could_not_be_read_is_read_again(opened: Tab, live: Live) -> None:
    match = live.started("dollar-prize")
    await opened.page.clock.install()
    await open_table(opened.page, live, match.id, match.moderator_key)
    await opened.page.route("**/cases", lambda route: route.fulfill(status=500), times=1)
    case_opened(match.seats[0], says="The lamp fell on the table.")
    lost = opened.page.get_by_text("The connection is lost")
    await expect(lost).to_be_visible()
    await opened.page.clock.fast_forward(15_000)
    await expect(opened.page.get_by_text("The lamp fell on the table.")).to_be_visible()
    await expect(lost).to_have_count(0)


async def replaces_ben(page: Page) -> None:
    """Looks at what it means that Zoe takes Ben's seat over."""
    await page.get_by_role("radio", name="New player").check()
    await page.get_by_role("combobox", name="Seat", exact=True).select_option("Ben")
    await give(page, "Who takes it over", "Zoe")
    await give(page, "Reason", "Ben left.")
    await press(page, "Preview")
    await expect(page.get_by_role("region", name="Preview")).to_be_visible()


async def test_a_new_key_is_shown_until_it_is_put_away(opened: Tab, live: Live) -> None:
    match = live.started("dollar-prize", rulings="single")
    page = opened.page
    await open_table(page, live, match.id, match.moderator_key)
    await replaces_ben(page)
    await press(page, "Rule so: New player")
    key = page.get_by_text(re.compile("^arb_s1_"))
    await expect(key).to_be_visible()
    await expect(page.get_by_role("heading", name="New keys to pass on")).to_be_focused()
    await page.get_by_role("radio", name="Pause").check()
    await expect(key).to_be_visible()
    assert await opened.barriers_within("#table") == []
    zoe = live.bearing(await key.inner_text())
    assert zoe.get(f"{match.anyone.path}/view").json()["audience"] == "seat:1"
    page.on("dialog", lambda dialog: dialog.dismiss())
    await press(page, "Forget the key")
    await expect(key).to_be_visible()
    await press(page, "I have it: put it away")
    await expect(key).to_have_count(0)
    await expect(page.get_by_role("heading", name="Make a ruling")).to_be_focused()
    await press(page, "Forget the key")
    await expect(page.get_by_label("Key", exact=True)).to_be_visible()


async def test_a_new_key_in_an_answer_that_was_lost(opened: Tab, live: Live) -> None:
    match = live.started("dollar-prize", rulings="single")
    page = opened.page
    await open_table(page, live, match.id, match.moderator_key)

    await replaces_ben(page)
    await page.route("**/rulings", lose_answer, times=1)
    await press(page, "Rule so: New player")
    await expect(page.get_by_text(re.compile("^Carried out"))).to_be_visible()
    lost = page.get_by_text("Zoe has the seat, but the key to it was in an answer that was lost")
    await expect(lost).to_be_visible()
    await press(page, "I have read it: put it away")
    await expect(lost).to_have_count(0)


async def test_a_preview_of_what_is_written_no_more_is_not_shown(opened: Tab, live: Live) -> None:
    match = live.started("dollar-prize", rulings="single")
    page = opened.page
    await open_table(page, live, match.id, match.moderator_key)
    asked, answer = asyncio.Event(), asyncio.Event()

    async def wait(route: Route) -> None:
        asked.set()
        await answer.wait()
        await route.continue_()

    await page.route("**/rulings", wait, times=1)
    await page.get_by_role("radio", name="Note").check()
    await page.get_by_label("For whom").select_option("Ben")
    await give(page, "Text", "Sit down.")
    await page.get_by_label("How serious").select_option("warning")
    await give(page, "Reason", "He stood.")
    await press(page, "Preview")
    await asked.wait()
    await page.get_by_label("For whom").select_option("everyone")
    answer.set()
    await expect(page.get_by_role("button", name="Preview", exact=True)).to_be_enabled()
    await expect(page.get_by_role("region", name="Preview")).to_have_count(0)


async def test_an_appeal_stands_behind_the_decision(opened: Tab, live: Live) -> None:
    match = live.started("dollar-prize")
    case = case_opened(match.seats[0], says="The lamp fell on the table.")
    assert close(match.moderator, case, "It was no die.").is_success
    assert appeal(match.seats[0], case, "Nobody asked me.").is_success
    await open_table(opened.page, live, match.id, match.moderator_key)
    said = opened.page.get_by_role("article").locator(".said > li")
    await expect(said).to_have_text(
        [re.compile("The lamp fell"), re.compile("It was no die"), re.compile("Nobody asked me")]
    )


async def test_the_focus_is_given_back_by_a_dialog(opened: Tab, live: Live) -> None:
    match = live.started("dollar-prize")
    page = opened.page
    await open_table(page, live, match.id, match.moderator_key)
    pause = page.get_by_role("button", name="Pause", exact=True)
    await pause.press("Enter")
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(pause).to_be_focused()
    await pause.press("Enter")
    await give(page, "Reason", "The lamp fell.")
    await dialog.get_by_role("button", name="Pause").press("Enter")
    await expect(dialog).to_have_count(0)
    await expect(page.get_by_role("heading", name="Now")).to_be_focused()
    again = page.get_by_role("button", name="Look again")
    async with page.expect_response("**/cases"):
        await again.press("Enter")
    await expect(again).to_be_focused()
    await page.get_by_role("radio", name="Go on").check()
    await page.get_by_label("Reason", exact=True).fill("The lamp stands.")
    await page.get_by_role("button", name="Preview", exact=True).press("Enter")
    await page.get_by_role("button", name="Rule so: Go on").press("Enter")
    await expect(page.get_by_text("Carried out as ruling")).to_be_visible()
    await expect(page.get_by_role("heading", name="Make a ruling")).to_be_focused()


async def test_a_pause_says_what_is_left_of_the_time(opened: Tab, live: Live) -> None:
    match = live.started("grouping-bw", clock="rules")
    await open_table(opened.page, live, match.id, match.moderator_key)
    await expect(opened.page.get_by_role("timer")).to_be_visible()
    ruled(match.moderator, "pause")
    stands = re.compile(r"^The clock stands still at [12]:\d\d\.$")
    await expect(opened.page.get_by_text(stands)).to_be_visible()


async def test_an_organiser_is_told_when_a_ruling_waits_no_more(opened: Tab, live: Live) -> None:
    match = live.started("dollar-prize")
    page = opened.page
    await open_table(page, live, match.id, live.organiser.key or "")
    await page.get_by_role("radio", name="Void").check()
    await give(page, "Reason", "The coins were marked.")
    await press(page, "Preview")
    preview = page.get_by_role("region", name="Preview")
    await expect(preview.get_by_text("The match is void")).to_be_visible()
    await press(page, "Rule so: Void")
    waits = page.get_by_text("It waits for a second person")
    await expect(waits).to_be_visible()
    pending = next(one for one in listed(match.moderator) if one["status"] == "pending")
    assert seconded(match.judge, pending["ruling"]).is_success
    await expect(page.locator(".awaited")).to_have_text("The match is void")
    await expect(waits).to_have_count(0)
