"""The director's desk: what needs who runs an event now, and what settles it."""

import asyncio
import re

import pytest
from playwright.async_api import Page, expect

from tests.browser.desk_tab import at_desk, unfolded
from tests.browser.page_checks import fits_every_width, good_at_every_width
from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.http.ruling_client import ruled, seconded
from tests.support.http.tournament_client import (
    LiveCup,
    cup,
    main_ruled,
    publish,
    shown_round,
    staged,
)
from tests.support.servers.live_server import Live, Player

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]

ALONE = {"game": "twelve-chips", "rulings": "single"}


async def first_seats_win(made: LiveCup, stage: int, number: int) -> None:
    """Rules so on every match of a round."""
    shown = await asyncio.to_thread(shown_round, made, stage, number)
    result = {"winners": [0], "losers": [1], "shared": False, "scores": [3, 0]}
    for pairing in shown["pairings"]:
        match = Player(made.live.organiser, pairing["matches"][-1])
        await asyncio.to_thread(ruled, match, "result", result=result, because="adjudicated")


async def next_round(page: Page, number: int) -> None:
    """Drafts it, and publishes it as it is drafted."""
    await page.get_by_role("button", name=f"Draft round {number}").click()
    await page.get_by_role("button", name=f"Publish round {number}").click()
    name = ("Semi-finals", "Final")[number - 1]
    await expect(page.get_by_role("heading", name=f"{name}: ")).to_be_visible()


async def test_an_event_is_run_from_its_first_round_to_its_champion(
    opened: Tab, live: Live
) -> None:
    made = cup(live, players=["Ann", "Ben", "Cy", "Dee"], moderators=[])
    staged(made, published=False, format="elimination", seeding="entry", match=ALONE)
    page = await at_desk(opened, made)
    needs = page.locator(".needs")
    for number in (1, 2):
        await next_round(page, number)
        if number == 1:
            await good_at_every_width(opened, live.url)
        await needs.get_by_role("button", name="Start").click()
        await expect(needs.get_by_role("button", name="Start")).to_have_count(0)
        await first_seats_win(made, 1, number)
    await expect(page.locator(".champions")).to_contain_text("has won the final.")
    await needs.get_by_role("button", name="Close the stage").click()
    await needs.get_by_role("button", name="Close the tournament").click()
    await expect(page.locator(".champions")).to_contain_text("has won the tournament.")
    [champion] = made.shown()["champions"]
    name = made.shown()["players"][champion]["name"]
    await expect(page.locator(".champions")).to_have_text(f"{name} has won the tournament.")
    await page.get_by_role("button", name="Check it now").click()
    await expect(page.locator(".proof-verdict")).to_contain_text("The record holds")
    assert await opened.barriers() == []
    assert opened.problems == []


async def test_who_has_done_nothing_by_the_end_of_a_round_loses(opened: Tab, live: Live) -> None:
    made = cup(live, players=["Ann", "Ben"], moderators=[])
    # Its time is up as soon as it is published.
    round_ = {"start": "at_once", "ends": 0.0001}
    stage = staged(made, published=False, seeding="entry", match=ALONE, round=round_)
    await asyncio.to_thread(publish, made, stage)
    page = await at_desk(opened, made)
    absent = page.locator(".absent")
    await expect(absent).to_contain_text("Ann and Ben have done nothing.")
    await absent.get_by_text("Forfeit", exact=True).click()
    await absent.get_by_label("Reason").fill("Nobody came.")
    await absent.get_by_role("button", name="lose by forfeit").click()
    await expect(absent).to_have_count(0)
    await expect(page.get_by_role("button", name="Close the stage")).to_be_visible()
    shown = await asyncio.to_thread(shown_round, made, stage)
    assert shown["pairings"][0]["forfeit"]
    assert opened.problems == []


async def test_staff_name_candidates_where_the_main_match_has_named_nobody(
    opened: Tab, live: Live
) -> None:
    made = cup(live, moderators=[])
    stage = await asyncio.to_thread(main_ruled, made, losers=[])
    page = await at_desk(opened, made)
    need = page.locator(".need", has_text="no one goes into a death match")
    await need.get_by_text("Name candidates").click()
    # Cy has won, and is immune.
    await expect(need.get_by_role("checkbox")).to_have_count(2)
    await need.get_by_role("checkbox", name="Ann").check()
    await need.get_by_role("checkbox", name="Ben").check()
    await need.get_by_label("Reason", exact=True).fill("The show goes on.")
    await need.get_by_role("button", name="Preview").click()
    assert await opened.barriers() == []
    await need.get_by_role("button", name="Name them").click()
    await expect(need).to_have_count(0)
    await expect(page.locator(".needs")).to_contain_text("1 ruling waits for a second person")
    [row] = made.live.judge.get(f"{made.path}/rulings", kind="candidates").json()["rulings"]
    seconding = Player(live.judge, made.id, "tournaments")
    assert (await asyncio.to_thread(seconded, seconding, row["ruling"])).status_code == 201
    await expect(page.locator(".needs")).not_to_contain_text("waits for a second person")
    shown = await asyncio.to_thread(shown_round, made, stage)
    assert shown["show"]["candidates"] == [0, 1]
    assert opened.problems == []


async def test_a_case_about_the_event_is_answered_and_closed(opened: Tab, live: Live) -> None:
    made = cup(live, moderators=[])
    said = {"about": {"player": 1}, "says": "Ben has looked at my hand."}
    case = made.player(0).post(f"{made.path}/cases", said)
    assert case.status_code == 201
    page = await at_desk(opened, made)
    need = page.locator(".need", has_text="A case is open")
    await expect(need).to_contain_text("Ben has looked at my hand.")
    await need.get_by_text("Answer or close it").click()
    await need.get_by_label("Say something").fill("We look into it.")
    await need.get_by_role("button", name="Say something").click()
    await expect(need.get_by_role("listitem")).to_have_count(2)
    await need.get_by_label("How it is decided").fill("Nothing was seen.")
    assert await opened.barriers() == []
    await need.get_by_role("button", name="Close the case").click()
    await expect(need).to_have_count(0)
    shown = live.organiser.get(f"{made.path}/cases/{case.json()['case']}").json()
    assert shown["status"] == "closed"


async def test_people_are_looked_after_and_ruled_on(opened: Tab, live: Live) -> None:
    made = cup(live, moderators=[])
    number = staged(made, published=False, seeding="entry", match=ALONE)
    await asyncio.to_thread(publish, made, number)
    page = await at_desk(opened, made)
    people = await unfolded(page, "Players")
    await people.locator("summary", has_text="Ann").click()
    await people.locator("summary", has_text="Leaves the tournament").first.click()
    await people.get_by_label("Reason").first.fill("Ann is ill.")
    await people.get_by_role("button", name="Withdraw").first.click()
    await expect(page.locator("#shown")).to_contain_text("Ann is ill.")
    await expect(people.locator("summary", has_text="Ann")).to_contain_text("withdrawn")
    await people.get_by_role("button", name="Is back").click()
    await expect(people.locator("summary", has_text="Ann")).to_contain_text("entered")
    await people.locator("summary", has_text="Ben").click()
    await people.get_by_role("button", name="Send a new link").last.click()
    await expect(page.locator(".sheet .qr svg")).to_have_count(1)

    doors = await unfolded(page, "Registration and check-in")
    await doors.get_by_role("button", name="Open the registration").click()
    await expect(doors.get_by_label("Link to enter")).to_have_value(re.compile("/me#register-"))
    await doors.get_by_role("button", name="Open the check-in").click()
    await expect(doors.get_by_text("It is open.").last).to_be_visible()

    ruling = await unfolded(page, "Rule on the event")
    await ruling.get_by_label("Player").select_option("Ben")
    await ruling.get_by_label("Reason", exact=True).fill("Two warnings.")
    await ruling.get_by_role("button", name="Preview").click()
    await expect(ruling.get_by_text("As it would be")).to_be_visible()
    assert await opened.barriers() == []
    await ruling.get_by_role("button", name="Carry it out").click()
    await expect(ruling.get_by_text("It is done.")).to_be_visible()
    await expect(page.locator(".stage-standings", has_text="Ben")).to_contain_text("1 taken")
    await fits_every_width(page)
    assert opened.problems == []


async def test_a_result_of_a_real_board_is_entered_in_one_form(opened: Tab, live: Live) -> None:
    made = cup(live, players=["Ann", "Ben"], moderators=["Mo"])
    match = {"game": "twelve-chips"}
    number = staged(made, published=False, seeding="entry", match=match, moderators="all")
    await asyncio.to_thread(publish, made, number)
    page = await at_desk(opened, made)
    needs = page.locator(".needs")
    await needs.locator("summary", has_text="1 match is not over").click()
    form = needs.locator("li").first
    await form.get_by_text("Enter the result", exact=True).click()
    await form.get_by_label("How it came about").select_option("somebody did not come")
    await expect(form.get_by_label(re.compile("Score of"))).to_have_count(0)
    await form.get_by_label("How it came about").select_option("played at the table, or decided")
    await form.get_by_label("Who has won").select_option("Ben")
    for name, score in (("Ann", "80"), ("Ben", "71")):
        await form.get_by_label(f"Score of {name}").fill(score)
    await form.get_by_role("button", name="Start the match, and preview").click()
    await expect(form.get_by_text("Ben has a lower score than Ann")).to_be_visible()
    assert await opened.barriers() == []
    enter = form.get_by_role("button", name="Enter this result")
    await enter.click()
    await form.get_by_label("Yes, that is right").check()
    await enter.click()
    await expect(form.get_by_text("It waits for a second person.")).to_be_visible()

    await page.reload()
    waiting = needs.locator(".need", has_text="A ruling waits for a second person")
    await expect(waiting).to_contain_text("That is a moderator (Mo), or another organiser.")
    await expect(needs).not_to_contain_text("Nothing")
    [pairing] = (await asyncio.to_thread(shown_round, made, number))["pairings"]
    entered = Player(live.judge, pairing["matches"][-1])
    [ruling] = live.judge.get(f"{entered.path}/rulings").json()["rulings"]
    assert (await asyncio.to_thread(seconded, entered, ruling["ruling"])).status_code == 201
    await expect(waiting).to_have_count(0)
    await expect(needs.locator("li")).to_have_count(0)
    [pairing] = (await asyncio.to_thread(shown_round, made, number))["pairings"]
    assert pairing["result"]["scores"] in ([71, 80], [80, 71])
    await page.goto(f"{live.url}/m/{pairing['matches'][-1]}")
    await expect(page.get_by_text("This result was entered by Judge Judy")).to_be_visible()
    await expect(page.locator(".board")).to_have_count(0)
    await expect(page.get_by_role("button", name="Play")).to_have_count(0)
    assert await opened.barriers() == []
    assert opened.problems == []
