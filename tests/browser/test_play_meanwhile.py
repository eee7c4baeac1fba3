"""The page of a seat while something happens that its player has not done."""

import pytest
from playwright.async_api import Locator, Page, expect

from tests.browser.page_checks import fits_every_width
from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.browser.playing_tabs import act, take_seat, told, turn
from tests.support.http.invitations import invited
from tests.support.http.match_play import all_events, step
from tests.support.http.rewind_client import numbers, resumed
from tests.support.http.ruling_client import LOST, WHY, consent, listed, ruled, seconded
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


async def test_a_seat_adds_to_chance_protests_and_sees_the_time(opened: Tab, live: Live) -> None:
    match = live.create("dollar-prize", options={"turn_seconds": 90_000}, clock="rules")
    page = opened.page
    await take_seat(opened, invited(match)["link"])
    await page.get_by_text("Help to shuffle").click()
    await page.get_by_label("Any word").fill("dice at home")
    await page.get_by_role("button", name="Add it").click()
    await expect(page.get_by_text("part of the chance of this match")).to_be_visible()
    assert match.moderator.start().status_code == 201
    await expect(page.get_by_role("timer")).to_contain_text("1 day 0:59:")
    await page.get_by_text("Protest", exact=True).click()
    await page.get_by_label("What went wrong?").fill("The <b>coin</b> left the table.")
    await page.get_by_label("What is it about?").select_option(index=1)
    await page.get_by_role("button", name="Send the protest").click()
    await expect(page.get_by_text("The moderators have it.")).to_be_visible()
    (opened_case,) = match.moderator.client.get(f"{match.moderator.path}/cases").json()["cases"]
    assert opened_case["parties"] == [0]
    await fits_every_width(page)
    assert await opened.barriers() == []
    assert opened.problems == []


async def test_a_seat_is_asked_for_its_consent_and_hears_the_moderators(
    opened: Tab, live: Live
) -> None:
    match = live.started("dollar-prize")
    await take_seat(opened, invited(match, 1)["link"])
    ruled(match.moderator, "note", to="seat:1", text="Please be quicker.", severity="warning")
    await expect(opened.page.get_by_text("Please be quicker.")).to_be_visible()
    await opened.page.evaluate(
        "for (const one of document.querySelectorAll('[aria-live]')) one.dataset.early = ''"
    )
    pending = ruled(match.organiser, "void", ask_seats=True, reason="The <i>coins</i> were false.")
    # A screen reader hears only what comes into a part of the page that was there before.
    early = opened.page.locator("[data-early]")
    asked = early.get_by_role("region", name="Your consent is asked")
    await expect(asked).to_contain_text("The <i>coins</i> were false.")
    await asked.get_by_role("button", name="I consent").click()
    await expect(asked.get_by_text("You have consented")).to_be_focused()
    assert await opened.barriers() == []
    assert consent(match.seats[0], pending["ruling"]).status_code == 201
    await expect(turn(opened)).to_have_text("This match is void.")


async def test_a_seat_asks_the_others_for_a_draw(opened: Tab, live: Live) -> None:
    match = live.started("dollar-prize")
    page = opened.page
    await take_seat(opened, invited(match, 1)["link"])
    await page.get_by_text("Ask the others").click()
    await page.get_by_label("For what?").select_option("draw")
    await page.get_by_label("Why?").fill("We are tired.")
    await page.get_by_role("button", name="Ask", exact=True).click()
    own = page.get_by_role("region", name="Ask the others")
    await expect(own).to_contain_text("You ask the others: set the result")
    await expect(own).to_contain_text("Shared by Ann and Ben")
    (shown,) = listed(match.seats[0])
    assert (shown["asker"], shown["result"]["shared"], shown["reason"]) == (
        1,
        True,
        "We are tired.",
    )
    await fits_every_width(page)
    assert await opened.barriers() == []
    await own.get_by_role("button", name="Withdraw the request").click()
    await expect(own).to_be_hidden()
    asked = ruled(match.seats[0], "pause", ask_seats=True)["ruling"]
    request = page.get_by_role("region", name="Your consent is asked")
    await expect(request).to_contain_text("Ann asks for your consent: pause the match")
    await request.get_by_role("button", name="I consent").click()
    await expect(request.get_by_text("You have consented")).to_be_visible()
    assert seconded(match.judge, asked).status_code == 201
    await expect(turn(opened)).to_have_text("The match is paused.")
    assert opened.problems == []


async def test_a_seat_learns_that_the_match_went_back_and_why(opened: Tab, live: Live) -> None:
    match = live.started("twelve-chips", rulings="single")
    page, sent = opened.page, opened.page.get_by_role("region", name="What you have sent")
    await take_seat(opened, invited(match)["link"])
    await act(opened)
    await expect(turn(opened)).to_have_text("Waits for Ben")
    point = numbers(match, "twelve-chips.chip-played.1")[-1]
    ruled(match.moderator, "rewind", before=point)
    await expect(turn(opened)).to_have_text("The match is paused.")
    await expect(told(opened)).to_contain_text("It does not count any more")
    told_why = page.get_by_role("region", name="From the moderators")
    await expect(told_why).to_contain_text(f"The match went back: {WHY}")
    await sent.locator("summary").click()
    await expect(sent.get_by_role("listitem").first).to_contain_text("does not count any more")
    await expect(page.get_by_text("Help to shuffle")).to_be_visible()
    resumed(match)
    await expect(turn(opened)).to_have_text("It is your turn.")
    await act(opened)
    await expect(sent.get_by_text("does not count any more")).to_have_count(1)
    assert opened.problems == []


async def test_the_page_says_when_the_service_is_away_and_comes_back(
    opened: Tab, live: Live
) -> None:
    match = live.started("twelve-chips")
    await take_seat(opened, invited(match, 1)["link"])
    await expect(turn(opened)).to_have_text("Waits for Ann")
    await opened.page.context.set_offline(True)
    away = opened.page.get_by_text("cannot be reached right now")
    await expect(away).to_be_visible()
    (entry,) = match.seats[0].menu().json()["actions"]
    assert match.seats[0].act(entry["examples"][0]).status_code == 201
    await opened.page.context.set_offline(False)
    await expect(turn(opened)).to_have_text("It is your turn.")
    await expect(away).to_be_hidden()


async def test_a_seat_sees_the_position_and_the_result_to_which_it_consents(
    opened: Tab, live: Live
) -> None:
    match = live.started("twelve-chips")
    assert [step(match) for _ in range(3)].count(None) == 0
    await take_seat(opened, invited(match, 1)["link"])
    point = numbers(match, "twelve-chips.chip-played.1")[0]
    ruled(match.organiser, "result", result=LOST, because="adjudicated", ask_seats=True)
    first, other = (opened.page.locator(".asked > section").nth(n) for n in range(2))
    await expect(first.locator(".outcome")).to_have_text(
        ["No result yet", "Ben wins (Ann 0, Ben 1)"]
    )
    ruled(match.moderator, "rewind", before=point, ask_seats=True)
    now, after = (other.locator(".compared > section").nth(n) for n in range(2))
    await expect(now).to_contain_text("As it stands")
    await expect(after).to_contain_text("As it would stand")
    assert await now.inner_text() != await after.inner_text()
    await fits_every_width(opened.page)
    assert await opened.barriers() == []
    assert opened.problems == []
