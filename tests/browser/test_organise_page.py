"""Where an organiser creates matches and tournaments: what is shown is what is made."""

import asyncio
import re

import pytest
from playwright.async_api import Locator, Page, Route, expect

from tests.browser.desk_tab import by_hand, organising
from tests.support.browser.chromium import Tab, lose_answer, needs_chromium
from tests.support.servers.live_server import Live

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]

CHOSEN = "game => game.selectedOptions[0].text"


def seats(page: Page) -> Locator:
    return page.get_by_label(re.compile(r"^Seat \d+$"))


async def seat_people(page: Page, *names: str) -> None:
    """Names someone for each seat that there is."""
    await expect(seats(page)).to_have_count(len(names))
    for number, name in enumerate(names):
        await seats(page).nth(number).fill(name)


async def create(page: Page) -> None:
    await page.get_by_role("button", name="Create the match").click()


def made(page: Page) -> Locator:
    """What has been made, the latest first."""
    return page.locator("#made + ul li a")


async def test_the_next_match_is_of_the_game_that_is_shown(opened: Tab, live: Live) -> None:
    page = await organising(opened, live)
    game = page.get_by_label("Game", exact=True)
    await game.select_option("Liar's Dice")
    await page.get_by_label("Number of seats").fill("3")
    await seat_people(page, "Ann", "Ben", "Cy")
    await create(page)
    await expect(made(page)).to_have_text([re.compile("Liar's Dice: Ann .* Ben .* Cy")])
    await expect(seats(page).first).to_have_value("")
    assert await game.evaluate(CHOSEN) == "Liar's Dice"
    await expect(page.get_by_label("Number of seats")).to_have_value("3")
    await game.select_option("Dollar Prize")
    await seat_people(page, "Di", "Ed")
    await create(page)
    await expect(made(page).first).to_have_text(re.compile("Dollar Prize: Di .* Ed"))
    assert opened.problems == []


async def test_nothing_is_made_while_the_rules_of_its_game_load(opened: Tab, live: Live) -> None:
    page = await organising(opened, live)
    may_come = asyncio.Event()

    async def slow(route: Route) -> None:
        await may_come.wait()
        await route.continue_()

    await page.route("**/v1/games/liars-dice", slow)
    game = page.get_by_label("Game", exact=True)
    await game.select_option("Liar's Dice")
    await seat_people(page, "Ann", "Ben")
    await seats(page).last.press("Enter")
    await expect(page.get_by_role("button", name="Create the match")).to_be_disabled()
    await game.select_option("12 Chips")
    await expect(page.get_by_role("button", name="Create the match")).to_be_enabled()
    async with page.expect_response("**/v1/games/liars-dice"):
        may_come.set()
    await create(page)
    await expect(made(page)).to_have_text([re.compile("12 Chips: Ann .* Ben")])


async def test_names_stay_while_the_number_of_seats_is_typed(opened: Tab, live: Live) -> None:
    page = await organising(opened, live)
    await page.get_by_label("Game", exact=True).select_option(
        "Together We Survive, Together We Prosper"
    )
    count = page.get_by_label("Number of seats")
    await count.fill("12")
    await seat_people(page, *(f"P{number}" for number in range(12)))
    await count.press("End")
    await count.press("Backspace")
    await count.press("Backspace")
    await count.press_sequentially("10")
    await expect(seats(page)).to_have_count(10)
    assert [await one.input_value() for one in await seats(page).all()] == [
        f"P{number}" for number in range(10)
    ]


async def test_what_is_wrong_in_folded_house_rules_is_shown(opened: Tab, live: Live) -> None:
    page = await organising(opened, live)
    await page.get_by_label("Game", exact=True).select_option("12 Chips")
    rules = page.get_by_text("House rules").last
    await rules.click()
    tokens = page.get_by_label("Tokens to win").last
    await tokens.fill("100000")
    await rules.click()
    await seat_people(page, "Ann", "Ben")
    await create(page)
    await expect(tokens).to_be_focused()
    await expect(tokens).to_be_visible()


async def test_a_sheet_says_that_its_key_was_lost_and_what_to_do(opened: Tab, live: Live) -> None:
    page = await organising(opened, live)
    await by_hand(page)
    await page.route("**/v1/tournaments", lose_answer, times=1)
    await page.get_by_label("Name of the tournament").fill("Spring Cup")
    await page.get_by_label("Players", exact=True).fill("Ann")
    await page.get_by_label("Moderators", exact=True).fill("Mo")
    await page.get_by_role("button", name="Create the tournament").click()
    sheets = page.locator(".sheet")
    await expect(sheets).to_have_count(2)
    path = str(await page.get_by_role("link", name="Spring Cup").get_attribute("href"))
    for sheet, whose in zip(await sheets.all(), ("player", "moderator"), strict=True):
        await expect(sheet).to_contain_text("was lost")
        await expect(sheet).to_contain_text(f"POST /v1/tournaments/{path[3:]}/{whose}s/0/key")
    assert await opened.barriers() == []
    await page.get_by_role("button", name="put them away").click()

    await page.route("**/v1/matches", lose_answer, times=1)
    await page.route("**/invitations", lose_answer, times=1)
    await seat_people(page, "Ann", "Ben")
    await create(page)
    await expect(sheets).to_have_count(3)
    await expect(sheets.first).to_contain_text("POST /v1/matches/")
    for invitation in (sheets.nth(1), sheets.nth(2)):
        await expect(invitation).to_contain_text(re.compile(r"/play/[0-9a-f-]+\?seat=\d#\S"))


TAPS = """
addEventListener("click", () => sessionStorage.taps = 1 + Number(sessionStorage.taps ?? 0), true)
"""
"""Counts every tap: also each that is needed to write into a field."""

EIGHT = ("Ann", "Ben", "Cy", "Dee", "Eve", "Fay", "Gus", "Hal")


async def test_pasted_names_become_a_published_round_in_a_few_taps(opened: Tab, live: Live) -> None:
    page = opened.page
    await page.add_init_script(TAPS)
    page = await organising(opened, live)
    for label, text in (
        ("Name of the tournament", "Club Cup"),
        ("Players", "\n".join(f"{number}. {name}" for number, name in enumerate(EIGHT, 1))),
    ):
        await page.get_by_label(label, exact=True).click()
        await page.keyboard.insert_text(text)
    await expect(page.get_by_text("8 names")).to_be_visible()
    await page.get_by_role("radio", name=re.compile("^Knockout")).click()
    await page.get_by_text("House rules").first.click()
    await page.get_by_label("Tokens to win").first.fill("2")
    await page.get_by_role("button", name="Create, and pair round 1").click()
    players = page.locator(".draft-tables .pick")
    await expect(players).to_have_count(8)
    drafted = await players.all_inner_texts()
    await players.nth(0).click()
    await players.nth(3).click()
    await expect(page.get_by_role("table", name="What it changes")).to_contain_text("Draft")
    await page.get_by_label("Why it is changed by hand").click()
    await page.keyboard.insert_text("Twins")
    assert await opened.barriers() == []
    await page.get_by_role("button", name="Publish round 1").click()
    await expect(page.get_by_role("heading", name="Round 1 is published")).to_be_visible()
    await page.get_by_role("button", name="Links for all 8 players").click()
    await expect(page.locator(".sheet h3")).to_have_text(list(EIGHT))
    await expect(page.locator(".sheet .qr svg")).to_have_count(len(EIGHT))
    assert int(await page.evaluate("sessionStorage.taps")) <= 20
    # Who asks for them again has the links that are good now, and those alone.
    before = await page.locator(".sheet .code").first.inner_text()
    await page.get_by_role("button", name="Links for all 8 players").click()
    await expect(page.locator(".sheet .code").first).not_to_have_text(before)
    await expect(page.locator(".sheet h3")).to_have_text(list(EIGHT))
    await expect(page.locator(".sheets h2")).to_be_focused()
    assert opened.problems == []

    link = str(await page.get_by_role("link", name="Club Cup").get_attribute("href"))
    shown = live.anyone.get(f"/v1/tournaments/{link[3:]}/stages/1/rounds/1").json()
    first, *rest = [[EIGHT[player] for player in one["players"]] for one in shown["pairings"]]
    assert first == [drafted[3], drafted[1]]
    assert rest[0] == [drafted[2], drafted[0]]
    assert shown["by_hand"]["reason"] == "Twins"
    (stage,) = live.anyone.get(f"/v1/tournaments/{link[3:]}/stages").json()["stages"]
    assert stage["match"]["options"] == {"tokens_to_win": 2}
