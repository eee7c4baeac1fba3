"""What an organiser changes on the way: a stage, a round, seeds, a name, staff; and what a player
says and adds."""

import asyncio

import pytest
from playwright.async_api import expect

from tests.browser.desk_tab import at_desk, give_key, unfolded
from tests.browser.page_checks import fits_every_width
from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.http.tournament_client import cup, publish, shown_round, staged
from tests.support.servers.live_server import Live
from tests.support.waiting import wait_until

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]

PEOPLE = ["Ann", "Ben", "Cy", "Dee"]


async def test_a_stage_is_changed_and_a_round_withdrawn_or_drafted_ahead(
    opened: Tab, live: Live
) -> None:
    made = cup(live, players=PEOPLE, moderators=[])
    number = staged(made, published=False, format="round_robin", seeding="entry")
    path = f"{made.path}/stages/{number}"
    page = await at_desk(opened, made)
    stages = await unfolded(page, "Stages and rounds")
    await stages.get_by_label("Name").fill("Groups")
    await stages.get_by_label("Matches start").select_option("ready")
    await stages.get_by_role("button", name="Change the stage").click()
    await expect(stages.get_by_role("heading", name="Groups")).to_be_visible()
    changed = live.organiser.get(path).json()
    assert (changed["round"]["start"], changed["seeding"]) == ("ready", "entry")
    await asyncio.to_thread(publish, made, number)
    await stages.get_by_label("Reason").fill("The hall is closed.")
    await stages.get_by_role("button", name="Withdraw round 1").click()
    await expect(stages.get_by_role("button", name="Withdraw round 1")).to_have_count(0)
    assert shown_round(made, number)["status"] == "withdrawn"
    await asyncio.to_thread(publish, made, number)
    await stages.get_by_role("button", name="Draft another round while round 2").click()
    await stages.get_by_role("button", name="Draft round 3").click()
    assert await opened.barriers() == []
    await stages.get_by_role("button", name="Publish round 3").click()
    await expect(page.get_by_role("heading", name="Round 3", exact=True)).to_be_visible()
    await fits_every_width(page)
    assert opened.problems == []


async def test_seeds_names_and_staff(opened: Tab, live: Live) -> None:
    made = cup(live, players=PEOPLE, moderators=[])
    page = await at_desk(opened, made)
    ruling = await unfolded(page, "Rule on the event")
    await ruling.get_by_label("Ruling").select_option("New seeds")
    await ruling.get_by_label("Players in the order").fill("Dee\nNobody")
    await ruling.get_by_label("Reason", exact=True).fill("By the last cup.")
    await ruling.get_by_role("button", name="Preview").click()
    await expect(ruling).to_contain_text("Nobody here is called Nobody.")
    await ruling.get_by_label("Players in the order").fill("Dee\nann")
    await ruling.get_by_role("button", name="Preview").click()
    await ruling.get_by_role("button", name="Carry it out").click()
    await expect(ruling).to_contain_text("It is done.")
    assert [one["seed"] for one in made.shown()["players"]] == [2, None, None, 1]
    people = await unfolded(page, "Players")
    await people.locator("summary", has_text="Ben").click()
    await people.locator("summary", has_text="Withhold the name").nth(1).click()
    await people.get_by_role("button", name="Withhold the name").click()
    await expect(people.locator("summary", has_text="Player 1")).to_be_visible()
    assert made.shown()["players"][1]["name"] == "Player 1"
    staff = await unfolded(page, "Other organisers")
    await staff.locator("summary", has_text="Appoint an organiser").click()
    await staff.get_by_label("Name").fill("Olga")
    await staff.get_by_role("button", name="Enter").click()
    await expect(page.locator(".sheet", has_text="Olga")).to_contain_text("#arb_o0_")
    await staff.get_by_role("button", name="Send a new link").click()
    await expect(page.locator(".sheet", has_text="Olga")).to_have_count(1)
    await staff.get_by_role("button", name="Remove").click()
    await expect(staff.get_by_role("button", name="Remove")).to_have_count(0)
    number = staged(made, published=False, seeding="entry")
    await asyncio.to_thread(publish, made, number)
    moderators = await unfolded(page, "Moderators")
    await moderators.locator("summary", has_text="Appoint a moderator").click()
    await moderators.get_by_label("Name").fill("Mia")
    await moderators.get_by_role("button", name="Enter").click()
    await expect(page.locator(".sheet", has_text="Mia").locator(".qr svg")).to_have_count(1)
    await expect(moderators).to_contain_text(
        "2 matches that are not over are not moderated by Mia."
    )
    await moderators.get_by_role("button", name="Add to all 2 matches").click()
    await expect(moderators).to_contain_text("moderates 2 matches")
    await moderators.get_by_role("button", name="Remove").click()
    await expect(moderators.get_by_role("button", name="Remove")).to_have_count(0)
    assert await opened.barriers() == []
    assert opened.problems == []


async def test_a_player_says_what_went_wrong_and_adds_to_the_lots(opened: Tab, live: Live) -> None:
    made = cup(live, players=PEOPLE, moderators=[])
    page = opened.page
    await page.goto(f"{live.url}/t/{made.id}/me")
    await give_key(page, made.players[1])
    cases = await unfolded(page, "Something went wrong")
    await cases.get_by_label("Whom it concerns").select_option("Ann")
    await cases.get_by_label("What went wrong?").fill("Ann is entered twice.")
    await cases.get_by_role("button", name="Tell the staff").click()
    await expect(cases.get_by_role("listitem")).to_have_text("Ben: Ann is entered twice.")
    await cases.get_by_label("What else").fill("Under another name.")
    await cases.get_by_role("button", name="Say something").click()
    await expect(cases.get_by_role("listitem")).to_have_count(2)
    lots = await unfolded(page, "Add to the lots")
    await lots.get_by_label("Any text").fill("seven rolled at home")
    await lots.get_by_role("button", name="Add it").click()
    await expect(lots).to_contain_text("It is in the next draw.")
    assert await opened.barriers() == []
    await fits_every_width(page)
    [case] = live.organiser.get(f"{made.path}/cases").json()["cases"]
    assert case["about"]["player"] == 0
    wait_until(lambda: "seven rolled at home" in live.anyone.get(f"{made.path}/events").text)
    assert opened.problems == []
