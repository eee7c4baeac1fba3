"""A tournament that is created, run, corrected and audited in a real browser, without a terminal,
while its players play by the API."""

import asyncio
import re
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.desk_tab import by_hand, give_key, task
from tests.browser.page_checks import good_at_every_width
from tests.browser.verifier import judged
from tests.support.browser.chromium import Tab, lose_answer, needs_chromium, tab
from tests.support.http.invitations import accept
from tests.support.http.match_play import play_out
from tests.support.http.ruling_client import ruled
from tests.support.http.tournament_client import (
    LiveCup,
    choosing,
    cup,
    publish,
    shown_round,
    staged,
)
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Live, LiveMatch, Player

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]

STORED = "JSON.stringify([sessionStorage, localStorage])"

PERIOD_MS = 15_000
"""Milliseconds after which the page looks again."""

PEOPLE = ("Ann", "Ben", "Cy")


async def nothing_is_in_the_way(tab: Tab, live: Live) -> None:
    """At no width, in no scheme, for no one; and no key has stood in an address."""
    await good_at_every_width(tab, live.url)
    assert not [one for one in tab.requests if "arb_" in one or ORGANISER_KEY in one]


async def created(page: Page, live: Live) -> LiveCup:
    """A tournament made by its form; the keys are those on its sheets."""
    await page.goto(f"{live.url}/organise")
    await give_key(page, ORGANISER_KEY)
    await by_hand(page)
    await page.get_by_label("Name of the tournament").fill("Spring Cup")
    await page.get_by_label("Players", exact=True).fill("\n".join(PEOPLE))
    await page.get_by_label("Moderators", exact=True).fill("Mo\n")
    await page.get_by_role("button", name="Create the tournament").click()
    await expect(page.locator(".sheet")).to_have_count(4)
    codes = await page.locator(".sheet .code").all_inner_texts()
    keys = [text.rpartition("#")[2] for text in codes if "arb_" in text]
    link = page.get_by_role("link", name="Spring Cup")
    made = LiveCup(live, (await link.get_attribute("href") or "")[3:], tuple(keys[:3]), (keys[3],))
    await page.get_by_role("button", name="put them away").click()
    await link.click()
    return made


async def paired(page: Page, made: LiveCup, seats: tuple[str, str]) -> LiveMatch:
    """A match made by the form of the tournament's page, given to Mo."""
    form = task(page, "New match")
    before = len(made.shown()["matches"])
    await form.get_by_label("Game", exact=True).select_option("12 Chips")
    for number, name in enumerate(seats):
        await form.get_by_label(f"Seat {number + 1}", exact=True).select_option(name)
    await form.get_by_label("Moderator", exact=True).select_option("Mo")
    await form.get_by_label("Tokens to win").fill("1")
    await form.get_by_role("button", name="Create the match").click()
    await expect(form.get_by_role("status")).to_have_text("The match is created.")
    await expect(task(page, "Run the matches").locator("li.run")).to_have_count(before + 1)
    keys = tuple(made.players[PEOPLE.index(name)] for name in seats)
    return made.live.match(made.shown()["matches"][-1]["match"], keys, made.moderators[0])


async def standings_are_those_of_the_api(page: Page, made: LiveCup) -> None:
    """Row by row, cell by cell, after each row's place."""
    figures = ("name", "played", "won", "shared", "lost")
    rows = ["".join(str(row[one]) for one in figures) for row in made.shown()["standings"]]
    expected = [re.compile(rf"^\s*[123]\s*{row}\s*$") for row in rows]
    await expect(page.locator("#shown .standings tbody tr")).to_have_text(expected)


async def test_a_tournament_is_created_run_corrected_and_audited(
    opened: Tab, browser: Browser, live: Live, tmp_path: Path
) -> None:
    page = opened.page
    await page.clock.install()
    made = await created(page, live)
    await task(page, "New match").locator("> summary").click()
    await task(page, "New match").get_by_text("House rules").click()
    matches = [await paired(page, made, seats) for seats in (("Ann", "Ben"), ("Ann", "Cy"))]
    await page.get_by_role("button", name="Start all 2 matches").click()
    await expect(page.locator("#shown .status[data-status=running]")).to_have_count(2)

    for match in matches:
        await asyncio.to_thread(play_out, match)
        made.counted(match)
    await page.clock.fast_forward(PERIOD_MS)
    await expect(page.locator("#shown .pairing:has(.won)")).to_have_count(2)
    await standings_are_those_of_the_api(page, made)

    await correct(page, made, matches[0])
    async with tab(browser) as other:
        await second(other, made)
    assert made.row(matches[0])["result"]["winners"] == [1]
    await page.clock.fast_forward(PERIOD_MS)
    await expect(page.locator("#rulings + ul")).to_contain_text("Two boards were swapped.")
    corrected = page.locator(f"#match-{matches[0].id}")
    await expect(corrected).to_contain_text("Ben wins (by a ruling)")
    await standings_are_those_of_the_api(page, made)

    await nothing_is_in_the_way(opened, live)
    await page.goto(f"{live.url}/m/{matches[0].id}")
    note = page.locator(".match-result .notice")
    await expect(note).to_contain_text("counts differently, by a ruling: Ben wins")
    await page.go_back()
    await audited(page, matches[1], tmp_path)
    assert opened.problems == []


async def correct(page: Page, made: LiveCup, match: LiveMatch) -> None:
    """Lets seat 1 win, whatever happened, and sees it beforehand."""
    form = task(page, "Correct a result")
    await form.locator("summary").click()
    await form.get_by_label("Match", exact=True).select_option(match.id)
    for name, stood, score in (("Ann", "loses", "3"), ("Ben", "wins", "5")):
        await form.get_by_label(name, exact=True).select_option(stood)
        await form.get_by_label(f"Score of {name}").fill(score)
    await form.get_by_label("The win is shared").uncheck()
    await form.get_by_label("Reason", exact=True).fill("Two boards were swapped.")
    await form.get_by_role("button", name="Preview").click()
    await expect(form.get_by_text("As it would be")).to_be_visible()
    await form.get_by_role("button", name="Correct a result").click()
    await expect(form.get_by_text("It waits for a second person.")).to_be_visible()
    pending = task(page, "Pending corrections")
    await expect(pending).to_contain_text("Two boards were swapped.")
    await expect(pending).to_contain_text("You have proposed it")
    await expect(pending.get_by_role("button", name="Preview")).to_have_count(0)


async def second(other: Tab, made: LiveCup) -> None:
    """The match's moderator sees the same, and agrees; then no one has a key any more."""
    page = other.page
    await page.goto(f"{made.live.url}/t/{made.id}")
    await give_key(page, made.moderators[0])
    await expect(page.get_by_text("You are Mo")).to_be_visible()
    # Who corrects has issued the key, and may have kept it.
    await page.get_by_role("button", name="Make this key mine").click()
    await expect(page.get_by_text("Your key from now on")).to_be_visible()
    await page.get_by_role("button", name="Preview").click()
    await page.get_by_role("button", name="Second it").click()
    await expect(page.get_by_text("Two boards were swapped.")).to_be_visible()
    await expect(task(page, "Pending corrections")).to_contain_text("none")
    await page.get_by_role("button", name="Forget the key").click()
    await expect(page.get_by_label("Key of the tournament")).to_be_focused()
    assert "arb_" not in await page.evaluate(STORED)
    assert other.problems == []


async def audited(page: Page, match: LiveMatch, folder: Path) -> None:
    """The record is downloaded, and judged by the verifier's page."""
    row = task(page, "Run the matches").locator("li.run").nth(1)
    assert await row.get_by_role("link", name="Audit").get_attribute("href") == (
        f"/m/{match.id}/audit"
    )
    async with page.expect_download() as download:
        await row.get_by_role("link", name="Download the record").click()
    bundle = folder / "match.arb"
    await (await download.value).save_as(bundle)
    await page.get_by_role("link", name="Verify").first.click()
    await page.set_input_files("#bundle", bundle)
    await page.get_by_role("button", name="Ask this server").click()
    await expect(page.locator("#keys")).not_to_have_value("")
    await page.get_by_role("button", name="Check", exact=True).click()
    assert await judged(Tab(page)) == "HOLDS"


async def test_a_match_of_any_rules_is_made_and_its_sheets_invite(opened: Tab, live: Live) -> None:
    page = opened.page
    await page.goto(f"{live.url}/organise")
    await give_key(page, ORGANISER_KEY)
    await page.get_by_label("Game", exact=True).select_option("Grouping Black & White")
    await page.locator("summary:visible", has_text="House rules").last.click()
    await page.get_by_label("Variant").select_option("Final match 2")
    chips = page.get_by_role("group", name="Chips", exact=True)
    for seat, stack in enumerate(("30", "40")):
        await chips.get_by_label(str(seat)).fill(stack)
    items = page.get_by_role("group", name="Items")
    await items.get_by_role("group", name="1").get_by_label("peek").check()
    await page.get_by_role("group", name="Limits").get_by_label("no limit").check()
    await page.get_by_label("Own tile is seen").select_option("yes")
    for seat, name in enumerate(("<img src=x>", "Ben")):
        await page.get_by_label(f"Seat {seat + 1}", exact=True).fill(name)
    await page.get_by_role("button", name="Create the match").click()
    await expect(page.locator(".sheet")).to_have_count(3)
    assert await page.get_by_role("img", name="The link for Ben").is_visible()
    assert await opened.barriers() == []
    made = page.locator("#made + ul")
    await made.get_by_role("button", name="Start").click()
    await expect(made.get_by_role("button")).to_have_count(0)
    path = str(await made.get_by_role("link").get_attribute("href")).replace("/m/", "/v1/matches/")
    shown = live.anyone.get(path).json()
    assert shown["status"] == "running"
    assert shown["seats"] == ["<img src=x>", "Ben"]
    given = ("variant", "chips", "items", "regroup_limits", "own_tile_visible")
    assert [shown["options"][name] for name in given] == [
        "final-match-2", [30, 40], [[], ["peek"]], None, True,
    ]  # fmt: skip
    token = (await page.locator(".sheet .code").last.inner_text()).partition("#")[2]
    taken = accept(live.anyone, path.rpartition("/")[2], token)
    assert (taken.status_code, taken.json()["name"]) == (201, "Ben")
    assert opened.problems == []


async def test_sheets_stay_until_they_are_put_away_and_alone_are_printed(
    opened: Tab, live: Live
) -> None:
    made, page = cup(live), opened.page
    made.match()
    await page.goto(f"{live.url}/t/{made.id}")
    await give_key(page, ORGANISER_KEY)
    entering = task(page, "Enter a player")
    await entering.locator("summary").click()
    await entering.get_by_label("Name").fill("Zoe")
    await entering.get_by_role("button", name="Enter").click()
    await expect(page.locator("#players + ul")).to_contain_text("Zoe")
    await task(page, "Run the matches").locator("li summary").first.click()
    await page.get_by_role("button", name="Invitations for every seat").click()
    await expect(page.locator(".sheet h3")).to_have_text(["Zoe", "Ann", "Ben"])
    await page.emulate_media(media="print")
    await expect(page.locator("#shown")).to_be_hidden()
    await expect(page.locator(".sheet").last).to_be_visible()
    assert opened.problems == []


async def test_a_player_sees_their_own_garnets_and_nobody_elses(opened: Tab, live: Live) -> None:
    made = cup(live, garnets={"Ann": 3, "Ben": 7})
    match = made.match()
    await opened.page.goto(f"{live.url}/t/{made.id}")
    await give_key(opened.page, made.players[0])
    ledger = task(opened.page, "Ledger of garnets")
    await ledger.locator("summary").click()
    await expect(ledger.locator("tbody").first).to_have_text(re.compile(r"^\s*Ann\s*Purse\s*3\s*$"))
    await expect(ledger.locator("tbody").last).not_to_contain_text("Ben")
    await opened.page.get_by_role("button", name="Play").click()
    await opened.page.wait_for_url(f"**/play/{match.id}")


async def test_a_forgotten_key_is_not_kept_for_a_match_either(opened: Tab, live: Live) -> None:
    made, page = cup(live), opened.page
    made.match(("Ann", "Ben"))
    await page.goto(f"{live.url}/t/{made.id}")
    await give_key(page, made.players[0])
    await page.get_by_role("button", name="Play", exact=True).click()
    await expect(page.get_by_text("You are Ann.")).to_be_visible()
    await page.go_back()
    await page.get_by_role("button", name="Forget the key").click()
    await expect(page.get_by_label("Key of the tournament")).to_be_visible()
    assert await page.evaluate(STORED) == "[{},{}]"


async def test_the_page_says_when_the_service_is_away_and_catches_up(
    opened: Tab, live: Live
) -> None:
    made, page = cup(live), opened.page
    await page.clock.install()
    await page.goto(f"{live.url}/t/{made.id}")
    await expect(page.get_by_label("Key of the tournament")).to_be_visible()
    await page.context.set_offline(True)
    cut = page.get_by_text("The connection is lost")
    await expect(cut).to_be_visible()
    made.match()
    await page.context.set_offline(False)
    await page.clock.fast_forward(PERIOD_MS)
    await expect(cut).to_be_hidden()
    await expect(page.locator("#shown .pairing")).to_have_count(1)


async def test_a_wrong_key_is_refused_and_not_kept(opened: Tab, live: Live) -> None:
    made, page = cup(live), opened.page
    await page.goto(f"{live.url}/t/{made.id}")
    await page.get_by_label("Key of the tournament").fill("arb_org_" + "0" * 64)
    await page.get_by_role("button", name="Use the key").click()
    await expect(page.locator(".notice")).to_contain_text("key")
    assert "arb_" not in await page.evaluate(STORED)
    await page.get_by_label("Key of the tournament").fill(made.match().keys[0])
    await page.get_by_role("button", name="Use the key").click()
    await expect(page.locator(".notice")).to_contain_text("This is the key of a match")


async def test_a_renewal_whose_answer_was_lost_goes_on(opened: Tab, live: Live) -> None:
    made, page = cup(live, moderators=["Mo"]), opened.page
    await page.goto(f"{live.url}/t/{made.id}")
    await give_key(page, made.moderators[0])
    await page.route("**/keys/renew", lose_answer, times=1)
    await page.get_by_role("button", name="Make this key mine").click()
    new = page.locator("code.secret")
    await expect(new).to_have_text(re.compile("^arb_m0_"))
    assert await new.inner_text() != made.moderators[0]
    await expect(page.get_by_text("You are Mo")).to_be_visible()


async def test_a_stage_is_followed_and_explains_itself(opened: Tab, live: Live) -> None:
    made, page = cup(live, moderators=[]), opened.page
    number = staged(
        made,
        published=False,
        name="Swiss",
        seeding="entry",
        match={"game": "twelve-chips", "rulings": "single"},
        round={"start": "at_once"},
    )
    await page.goto(f"{live.url}/t/{made.id}")
    await expect(page.get_by_text("No round is published yet.")).to_be_visible()

    await asyncio.to_thread(publish, made, number)
    # By the stream: the clock of the page is not moved.
    await expect(page.locator(".table .sides")).to_have_text(re.compile("Ann|Ben|Cy"))
    first = (await asyncio.to_thread(shown_round, made, number))["pairings"][0]
    result = {"winners": [0], "losers": [1], "shared": False, "scores": [3, 1]}
    match = Player(live.organiser, first["matches"][0])
    await asyncio.to_thread(ruled, match, "result", result=result, because="adjudicated")
    winner = PEOPLE[first["players"][0]]
    await expect(page.locator(".table .won")).to_have_text(re.compile(rf"{winner}\s*3"))
    await expect(page.locator(".stage-standings tbody tr").first).to_contain_text("2")

    await page.get_by_role("button", name=winner).click()
    card = page.get_by_role("dialog")
    await expect(card.locator("tbody tr")).to_have_text(re.compile(r"1.*won \(3\).*22$"))
    await card.locator("summary").first.click()
    await expect(card.get_by_role("listitem").first).to_contain_text("Round 1")
    assert await opened.barriers() == []
    await card.get_by_role("button", name="Close").click()
    await expect(card).to_have_count(0)
    await good_at_every_width(opened, live.url)


async def test_an_episode_is_shown_from_its_main_match_to_the_choice(
    opened: Tab, live: Live
) -> None:
    made, page = cup(live, moderators=[]), opened.page
    stage = await asyncio.to_thread(choosing, made)
    await page.goto(f"{live.url}/t/{made.id}")
    steps = page.locator(".episode > li")
    await expect(steps).to_have_count(4)
    await expect(steps.nth(1)).to_have_text(re.compile("Immune\\s*Cy"))
    await expect(steps.nth(2)).to_have_text(re.compile("Candidates\\s*Ann"))
    await expect(steps.nth(3)).to_contain_text("Ann chooses whom to meet")
    path = f"{made.path}/stages/{stage}/rounds/1/opponent"
    assert made.player(0).post(path, {"player": 1}).status_code == 201
    await expect(steps.nth(3)).to_contain_text("Ann meets Ben.")
    await expect(steps.nth(4)).to_contain_text("Dollar Prize: Ann and Ben")
    await good_at_every_width(opened, live.url)
