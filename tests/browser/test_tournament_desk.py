"""The desk of a tournament: its tasks while something happens elsewhere."""

import asyncio

import pytest
from playwright.async_api import Locator, expect

from tests.browser.desk_tab import at_desk, task, unfolded
from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.browser.playing_tabs import act, turn
from tests.support.http.match_play import play_out
from tests.support.http.ruling_client import ruled
from tests.support.http.tournament_client import cup
from tests.support.servers.live_server import Live, LiveMatch

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]

PERIOD_MS = 15_000
"""Milliseconds after which the page looks again."""


def started(match: LiveMatch) -> LiveMatch:
    assert match.moderator.start().status_code == 201
    return match


def reason(form: Locator) -> Locator:
    return form.get_by_label("Reason", exact=True)


async def test_receipts_stay_when_the_match_is_opened_again(opened: Tab, live: Live) -> None:
    made = cup(live)
    started(made.match())
    page = await at_desk(opened, made, made.players[0])
    play = page.get_by_role("button", name="Play", exact=True)
    await play.click()
    await expect(turn(opened)).to_have_text("It is your turn.")
    await act(opened)
    await page.get_by_text("Your key", exact=True).click()
    await page.get_by_label("Keep the key on this device").check()
    await page.goto(f"{live.url}/t/{made.id}")
    await play.click()
    await page.get_by_text("Receipts", exact=True).click()
    await expect(page.get_by_text("1 receipt is kept here")).to_be_visible()
    await page.get_by_text("Your key", exact=True).click()
    await expect(page.get_by_label("Keep the key on this device")).to_be_checked()


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
    await expect(page.get_by_text("You are Cy.")).to_be_visible()


async def test_players_are_led_to_a_match_whose_result_is_provisional(
    opened: Tab, live: Live
) -> None:
    made = cup(live)
    match = started(made.match(protest_hours=2))
    await asyncio.to_thread(play_out, match)
    page = await at_desk(opened, made, made.players[0])
    await task(page, "Your matches").get_by_role("button", name="Play").click()
    await page.wait_for_url(f"**/play/{match.id}")


async def test_a_correction_is_filled_in_while_another_match_ends(opened: Tab, live: Live) -> None:
    made = cup(live)
    first, last = started(made.match()), made.played(("Ann", "Cy"))
    await opened.page.clock.install()
    form = await unfolded(await at_desk(opened, made), "Correct a result")
    await reason(form).fill("Two boards")
    await asyncio.to_thread(play_out, first)
    made.counted(first)
    await opened.page.clock.fast_forward(PERIOD_MS)
    await expect(form.get_by_label("Match", exact=True).locator("option")).to_have_count(2)
    await expect(form.get_by_label("Match", exact=True)).to_have_value(last.id)
    await expect(reason(form)).to_have_value("Two boards")


async def test_a_ruling_that_is_written_otherwise_is_previewed_anew(
    opened: Tab, live: Live
) -> None:
    made = cup(live)
    made.played()
    form = await unfolded(await at_desk(opened, made), "Correct a result")
    await reason(form).fill("First")
    for change in ("reason", "out"):
        await form.get_by_role("button", name="Preview").click()
        await expect(form.get_by_text("As it would be")).to_be_visible()
        if change == "reason":
            await reason(form).fill("Second")
        else:
            await form.get_by_label("The match does not count at all").check()
        await expect(form.get_by_text("As it would be")).to_be_hidden()
        await expect(form.get_by_role("button", name="Correct a result")).to_have_count(0)


async def test_garnets_that_are_posted_elsewhere_appear(opened: Tab, live: Live) -> None:
    made = cup(live, garnets={"Ann": 3})
    await opened.page.clock.install()
    ledger = await unfolded(await at_desk(opened, made, made.players[0]), "Ledger of garnets")
    rows = ledger.locator("tbody").last.locator("tr")
    await expect(rows).to_have_count(1)
    answer = made.post("garnets", {"player": 0, "amount": 50, "reason": "a prize"}, "prize")
    assert answer.status_code == 201
    await opened.page.clock.fast_forward(PERIOD_MS)
    await expect(rows).to_have_count(2)
    await expect(ledger.locator("tbody").first).to_contain_text("53")


async def test_an_announcement_that_cannot_be_fetched_says_so(opened: Tab, live: Live) -> None:
    made = cup(live)
    made.match()
    form = await unfolded(await at_desk(opened, made), "Announce a round")
    await opened.page.context.set_offline(True)
    await form.get_by_role("button", name="Show the text").click()
    await expect(form.locator(".notice")).to_contain_text("The service did not answer.")
