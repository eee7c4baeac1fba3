"""The moderator's table in a real browser: what a person does there at a real table."""

import re
from typing import Any

import pytest
from playwright.async_api import Browser, expect

from domain.games import GAMES
from tests.browser.page_checks import fits_every_width, good_at_every_width
from tests.support.browser.chromium import Tab, needs_chromium, tab
from tests.support.browser.playing_tabs import take_seat
from tests.support.browser.table_tab import give, open_table, press, table, tap
from tests.support.games import fewest
from tests.support.http.case_client import opened as case_opened
from tests.support.http.case_client import say
from tests.support.http.evidence_client import reads
from tests.support.http.match_play import step
from tests.support.http.rewind_client import awaiting_draw, moderators, steps
from tests.support.servers.live_server import Json, Live, LiveMatch, Player

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]

IMAGE = "<img src=x>"
WAITS = re.compile("^Waits for (Ann|Ben)$")
MISTYPED = ("heads", "heads", "heads", "heads", "tails")


def totals(match: LiveMatch) -> list[int]:
    shown: list[int] = match.anyone.view().json()["view"]["totals"]
    return shown


def protested(match: LiveMatch) -> str:
    """Says as Ben that the coins were others, after someone has acted on them."""
    assert step(match) is not None
    public = match.seats[1].events(limit=1_000).json()["events"]
    dealt = next(one["seq"] for one in public if one["type"] == "dollar-prize.pennies-dealt.1")
    return case_opened(match.seats[1], about=dealt, says=f"The second was tails {IMAGE}")


async def test_a_disputed_coin_is_corrected(browser: Browser, live: Live) -> None:
    match = live.started("dollar-prize", chance="manual")
    _, other = moderators(match, live)
    awaiting_draw(match)
    async with table(browser, live, match.id, match.moderator_key) as mine:
        await tap(mine.page, *MISTYPED)
        await press(mine.page, "Put it on record")
        await expect(mine.page.get_by_text(WAITS)).to_be_visible()
        protested(match)
        wrong = totals(match)
        await expect(mine.page.get_by_text(f"The second was tails {IMAGE}")).to_be_visible()
        await press(mine.page, "Rule on it")
        await give(mine.page, "Reason", "The recording shows tails.")
        await press(mine.page, "Preview")
        await expect(mine.page.get_by_text("That is what was entered.")).to_be_visible()
        for coin in ("2. penny", "4. penny"):
            await mine.page.get_by_role("button", name=f"{coin}: heads. Turn over").click()
        await press(mine.page, "Preview")
        step = mine.page.locator(".steps [aria-current=step]")
        await expect(step).to_have_text("Preview, and decision")
        await expect(
            mine.page.get_by_text("A second person has to agree, within a day.")
        ).to_be_visible()
        for column in ("As played", "As ruled", "Newly learned"):
            await expect(mine.page.get_by_role("heading", name=column)).to_be_visible()
        assert totals(match) == wrong, "a preview changes nothing"
        await good_at_every_width(mine, live.url)
        await press(mine.page, "Rule so: Go back")
        await expect(mine.page.get_by_text("It waits for a second person")).to_be_visible()
        assert totals(match) == wrong, "one person alone changes nothing"
        await expect(mine.page.get_by_text("You have proposed it")).to_be_visible()
        await expect(mine.page.get_by_role("button", name="Look at it")).to_have_count(0)

        assert other.client.key is not None
        async with table(browser, live, match.id, other.client.key) as theirs:
            await press(theirs.page, "Look at it to second it")
            corrected = theirs.page.get_by_text("heads, tails, heads, tails, tails")
            await expect(corrected).to_be_visible()
            await press(theirs.page, "Second it")
            await expect(theirs.page.locator(".awaited")).to_have_text("The match is paused")

        await expect(mine.page.locator(".awaited")).to_have_text("The match is paused")
        await expect(mine.page.get_by_role("article")).to_contain_text("decided")
        recorded = mine.page.get_by_role("region", name="What was recorded last")
        await expect(recorded).to_contain_text("undone")
        await press(mine.page, "Go on")
        dialog = mine.page.get_by_role("dialog")
        await give(mine.page, "Reason", "The coins lie as they fell.")
        await dialog.get_by_role("button", name="Go on").click()
        await expect(mine.page.get_by_text(WAITS)).to_be_visible()
    assert sorted(totals(match)) == [2, 3]
    assert totals(match) != wrong
    await sees_the_coins(browser, live, match)


async def sees_the_coins(browser: Browser, live: Live, match: LiveMatch) -> None:
    """The page for everyone shows the match as it was corrected."""
    context = await browser.new_context(java_script_enabled=False)
    page = await context.new_page()
    await page.goto(f"{live.url}/m/{match.id}")
    shown = " ".join((await page.locator("main").inner_text()).split())
    assert f"totals {totals(match)[0]} {totals(match)[1]}" in shown
    await context.close()


def taps(draw: Json) -> tuple[list[Any], list[Any]]:
    """What is tapped for a draw, and the outcome that it makes."""
    tapped: list[Any] = []
    outcome: list[Any] = []
    for part in draw["parts"]:
        if part["kind"] == "roll":
            tapped.append(part["sides"])
            outcome.append(part["sides"])
        else:
            tapped += part["items"][:0:-1]
            outcome.append(part["items"][::-1])
    return tapped, outcome


@pytest.mark.parametrize("game", ["liars-dice", "twelve-chips"])
async def test_dice_and_chips_are_tapped_in(browser: Browser, live: Live, game: str) -> None:
    match = live.started(game, chance="manual")
    draw = awaiting_draw(match)
    tapped, outcome = taps(draw)
    async with table(browser, live, match.id, match.moderator_key) as mine:
        enter = mine.page.get_by_role("button", name="Put it on record")
        await tap(mine.page, tapped[0])
        await press(mine.page, "Undo")
        await tap(mine.page, *tapped)
        await expect(mine.page.get_by_text("Everything is entered")).to_be_visible()
        assert await mine.barriers_within(".now") == []
        await enter.click()
        await expect(mine.page.get_by_text("Everything is entered")).to_have_count(0)
    events = match.moderator.events(limit=1_000).json()["events"]
    settled = [one["data"] for one in events if one["type"] == "match.sealed-draw-settled.1"]
    assert [(one["id"], one["outcome"]) for one in settled] == [(draw["id"], outcome)]


async def test_the_table_of_every_game_has_room(opened: Tab, live: Live) -> None:
    for game in GAMES:
        match = steps(live.started(game, fewest(game)), 2)
        await open_table(opened.page, live, match.id, match.moderator_key)
        await expect(opened.page.locator(".board").first).to_be_visible()
        await fits_every_width(opened.page)
        await press(opened.page, "Forget the key")


def submits(player: Player) -> None:
    entry = player.menu().json()["actions"][0]
    assert player.act(entry["examples"][0]).status_code == 201


async def test_a_phase_is_closed_as_it_was_seen(browser: Browser, live: Live) -> None:
    match = steps(live.started("grouping-bw"), 1)
    async with table(browser, live, match.id, match.moderator_key) as mine:
        seats = mine.page.get_by_role("region", name="Seats").get_by_role("listitem")
        await expect(seats.nth(0)).to_contain_text("still missing")
        submits(match.seats[0])
        await expect(seats.nth(0)).to_contain_text("has sent")
        await expect(seats.nth(1)).to_contain_text("still missing")
        await press(mine.page, "End the phase now")
        dialog = mine.page.get_by_role("dialog")
        await expect(dialog).to_contain_text("Ann sent something")
        await expect(dialog).to_contain_text("Ben sent nothing valid")
        submits(match.seats[0])
        await dialog.get_by_role("button", name="End the phase now").click()
        await expect(dialog).to_contain_text("Something has happened since you looked.")
        assert await mine.barriers_within("dialog") == []
        await dialog.get_by_role("button", name="End the phase now").click()
        await expect(dialog).to_have_count(0)
        # A browser notes in its console that something was answered 412.
        mine.problems[:] = [one for one in mine.problems if "412" not in one]
    types = {one["type"] for one in match.anyone.events(limit=1_000).json()["events"]}
    assert "match.phase-closed.1" in types


async def test_what_a_seat_sent_in_secret_is_struck(browser: Browser, live: Live) -> None:
    match = steps(live.started("grouping-bw", rulings="single"), 1)
    submits(match.seats[0])
    before = match.anyone.view().json()["seq"]
    async with table(browser, live, match.id, match.moderator_key) as mine:
        ann = mine.page.get_by_role("region", name="Seats").get_by_role("listitem").first
        await expect(ann).to_contain_text("has sent")
        await expect(mine.page.locator(".awaited")).to_have_text("1 of 2 missing: Ben")
        recorded = mine.page.get_by_role("region", name="What was recorded last")
        await expect(recorded).to_contain_text(re.compile(r"Ann submits groups: a \d, \d, b \d, "))
        await mine.page.get_by_role("radio", name="Go back").check()
        change = mine.page.get_by_label("Change something")
        strike = await change.get_by_role("option", name="Strike").first.inner_text()
        await change.select_option(label=strike)
        await give(mine.page, "Reason", "It was sent from another phone.")
        await press(mine.page, "Preview")
        await press(mine.page, "Rule so: Go back")
        await expect(ann).to_contain_text("still missing")
    assert match.anyone.view().json()["seq"] == before, "nobody else is told"


async def test_a_key_is_kept_by_the_tab_alone_and_forgotten(opened: Tab, live: Live) -> None:
    match = live.started("dollar-prize")
    await open_table(opened.page, live, match.id, match.moderator_key)
    await opened.page.reload()
    await expect(opened.page.get_by_role("heading", name="Now")).to_be_visible()
    assert not [one for one in opened.requests if match.moderator_key in one]
    assert match.moderator_key not in await opened.page.content()
    stored = "() => [localStorage.length, Object.values(sessionStorage).length]"
    assert await opened.page.evaluate(stored) == [0, 1]
    await press(opened.page, "Forget the key")
    await expect(opened.page.get_by_label("Key", exact=True)).to_be_visible()
    assert await opened.page.evaluate(stored) == [0, 0]
    await good_at_every_width(opened, live.url)


async def test_a_seat_is_not_let_to_the_table(opened: Tab, live: Live) -> None:
    match = live.started("dollar-prize")
    await opened.page.goto(f"{live.url}/table/{match.id}")
    await give(opened.page, "Key", match.keys[0])
    await press(opened.page, "Open")
    await expect(opened.page.get_by_text("This is the key to a seat.")).to_be_visible()


async def test_what_is_said_in_a_case_comes_to_the_table(browser: Browser, live: Live) -> None:
    match = live.started("dollar-prize")
    case = case_opened(match.seats[0], says="The lamp fell on the table.")
    async with tab(browser) as mine:
        await mine.page.clock.install()
        await open_table(mine.page, live, match.id, match.moderator_key)
        await expect(mine.page.get_by_text("The lamp fell on the table.")).to_be_visible()
        say(match.seats[0], case, "It was the left one.")
        await mine.page.clock.fast_forward(3_000)
        await expect(mine.page.get_by_text("It was the left one.")).to_be_visible()
        assert mine.problems == []


async def test_the_table_says_when_the_service_is_away_and_catches_up(
    opened: Tab, live: Live
) -> None:
    match = live.started("twelve-chips")
    await open_table(opened.page, live, match.id, match.moderator_key)
    await opened.page.context.set_offline(True)
    cut = opened.page.get_by_text("The connection is lost")
    await expect(cut).to_be_visible()
    assert step(match) is not None
    await opened.page.context.set_offline(False)
    await expect(cut).to_be_hidden()
    await expect(opened.page.get_by_text("Waits for Ben", exact=True)).to_be_visible()


async def test_an_organiser_looks_only_if_they_choose_to(browser: Browser, live: Live) -> None:
    match = live.started("dollar-prize")
    case_opened(match.seats[0], says="The lamp fell on the table.")
    key = live.organiser.key or ""
    async with table(browser, live, match.id, key) as mine:
        await expect(mine.page.get_by_text("shown once you have looked")).to_be_visible()
        assert not looks(match)
        await press(mine.page, "Show cases, and pending rulings")
        await expect(mine.page.get_by_text("The lamp fell on the table.")).to_be_visible()
        assert looks(match)


def looks(match: LiveMatch) -> list[Json]:
    """The looks of organisers, as the moderator is told of them."""
    return [one for one in reads(match.moderator) if one["role"] == "organiser" and one["hidden"]]


async def test_an_organiser_sends_a_seat_a_new_link(
    opened: Tab, browser: Browser, live: Live
) -> None:
    match, page = live.started("dollar-prize"), opened.page
    await open_table(page, live, match.id, live.organiser.key or "")
    await page.get_by_role("button", name="Send a new link (Ben)").click()
    link = await page.get_by_label("The link of Ben").input_value()
    assert await opened.barriers() == []
    async with tab(browser) as other:
        await take_seat(other, link)
        await expect(other.page.get_by_text("You are Ben.")).to_be_visible()
    async with table(browser, live, match.id, match.moderator_key) as moderators:
        await expect(moderators.page.get_by_role("heading", name="Seats")).to_be_visible()
        await expect(moderators.page.get_by_role("button", name="Send a new")).to_have_count(0)


async def test_every_kind_of_ruling_has_a_form_in_every_language(
    browser: Browser, live: Live
) -> None:
    match = live.started("dollar-prize")
    context = await browser.new_context(locale="de-DE")
    page = await context.new_page()
    tab = Tab(page)
    await page.goto(f"{live.url}/table/{match.id}")
    await page.get_by_label("Schlüssel", exact=True).fill(match.moderator_key)
    await page.get_by_role("button", name="Öffnen").click()
    kinds = page.get_by_role("group", name="Art").get_by_role("radio")
    await expect(kinds).to_have_count(8)
    for kind in await kinds.all():
        await kind.check()
        await expect(page.get_by_label("Begründung", exact=True)).to_be_visible()
        # A field without a text is shown by what the description says of it, in English.
        await expect(page.locator("form small[lang=en]")).to_have_count(0)
        assert await tab.barriers_within(".ruling") == []
    assert tab.problems == []
    await context.close()


async def test_something_is_said_and_disputed_where_one_stands(opened: Tab, live: Live) -> None:
    match, page = live.started("dollar-prize", rulings="single"), opened.page
    assert step(match) is not None
    await open_table(page, live, match.id, match.moderator_key)
    dialog = page.get_by_role("dialog")
    await press(page, "Say something to everyone")
    await dialog.get_by_label("Text").fill("We go on at noon.")
    assert await opened.barriers_within("dialog") == []
    await dialog.get_by_role("button", name="Say something to everyone").press("Enter")
    recorded = page.get_by_role("region", name="What was recorded last")
    await expect(recorded).to_contain_text("We go on at noon.")
    await expect(dialog).to_have_count(0)
    await recorded.get_by_role("button", name="Case", exact=True).first.press("Enter")
    await dialog.get_by_label("What went wrong?").fill("It was dark.")
    await dialog.get_by_role("button", name="Open a case").press("Enter")
    await expect(page.get_by_role("article", name="It was dark.")).to_contain_text("About")
    await expect(dialog).to_have_count(0)
    assert opened.problems == []


async def test_a_note_is_for_its_seat_alone(browser: Browser, live: Live) -> None:
    match = live.started("dollar-prize")
    async with table(browser, live, match.id, match.moderator_key) as mine:
        await mine.page.get_by_role("radio", name="Note").check()
        await mine.page.get_by_label("For whom").select_option("Ben")
        await give(mine.page, "Text", f"Sit down {IMAGE}")
        await mine.page.get_by_label("How serious").select_option("warning")
        await give(mine.page, "Reason", "He stood.")
        await press(mine.page, "Preview")
        await press(mine.page, "Rule so: Note")
        await expect(mine.page.get_by_text(re.compile("^Carried out"))).to_be_visible()
        recorded = mine.page.get_by_role("region", name="What was recorded last")
        await expect(recorded).to_contain_text(f"Sit down {IMAGE}")
    noted = [one["data"] for one in match.seats[1].events(limit=1_000).json()["events"]][-1]
    assert noted["text"] == f"Sit down {IMAGE}"
    assert "Sit down" not in match.anyone.events(limit=1_000).text
