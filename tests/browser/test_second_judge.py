"""Two people moderate a match: named when it is made, or invited at its table."""

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.desk_tab import organising
from tests.support.browser.chromium import Tab, needs_chromium, tab
from tests.support.browser.table_tab import open_table, press, table
from tests.support.http.case_client import appeal, close
from tests.support.http.case_client import opened as case_opened
from tests.support.http.rewind_client import moderators
from tests.support.http.ruling_client import LOST, ruled, seconded
from tests.support.http.tournament_client import cup
from tests.support.servers.live_server import Live, Player, body_of

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]


async def test_moderators_are_named_with_their_match(opened: Tab, live: Live) -> None:
    page = await organising(opened, live)
    await page.get_by_label("Game", exact=True).select_option("Dollar Prize")
    for label, name in {"Seat 1": "Ann", "Seat 2": "Ben", "Moderator 1": "ann"}.items():
        await page.get_by_label(label, exact=True).fill(name)
    await press(page, "Create the match")
    await expect(page.get_by_text("ann is in this match already")).to_be_visible()
    await page.get_by_label("Moderator 1", exact=True).fill("Jo")
    await page.get_by_label("Moderator 2", exact=True).fill("Dora")
    await press(page, "Create the match")
    sheets = page.locator(".sheet").filter(has_text="Runs the match")
    await expect(sheets.get_by_role("heading")).to_have_text(["Jo", "Dora"])
    links = await sheets.locator("dd.code").filter(has_text="arb_mod_").all_inner_texts()
    jo, dora = (link.rpartition("#")[2] for link in links)
    made = await page.locator("#made + ul li a").first.get_attribute("href")
    match = (made or "").rsplit("/", 1)[-1]
    first, other = (Player(live.bearing(key), match) for key in (jo, dora))
    assert first.client.post(f"{first.path}/start").is_success
    assert seconded(other, ruled(first, "void")["ruling"]).is_success
    keys = live.organiser.get(f"/v1/matches/{match}/keys").json()["keys"]
    assert [one["name"] for one in keys if one["role"] == "moderator"] == ["Jo", "Dora"]


async def test_a_second_judge_is_invited_where_nobody_could_agree(
    browser: Browser, opened: Tab, live: Live
) -> None:
    match, page = live.started("dollar-prize"), opened.page
    await open_table(page, live, match.id, match.moderator_key)
    judges = page.get_by_role("region", name="Moderators")
    await expect(judges).to_contain_text("Nobody else here can agree")
    async with table(browser, live, match.id, live.organiser.key or "") as theirs:
        link = await judge_invited(theirs.page, "Dora")
        assert await theirs.barriers() == []
    await expect(judges).to_contain_text("Dora")
    await expect(judges.get_by_text("Nobody else here can agree")).to_have_count(0)
    ruled(match.moderator, "void")
    await expect(page.get_by_text("Your key has no name")).to_be_visible()
    await expect(page.get_by_role("button", name="Look at it to second it")).to_have_count(0)
    async with tab(browser) as doras:
        await invitation_taken(doras, link, "Dora")
        await press(doras.page, "Look at it to second it")
        await press(doras.page, "Second it")
        await expect(doras.page.locator(".awaited")).to_have_text("The match is void")
    assert match.anyone.view().json()["status"] == "void"
    async with tab(browser) as late:
        await late.page.goto(link)
        await expect(late.page.get_by_text("This link was used before")).to_be_visible()
        assert await late.barriers() == []


async def test_an_appeal_waits_for_a_judge_who_has_not_decided(
    browser: Browser, opened: Tab, live: Live
) -> None:
    match, page = live.started("dollar-prize"), opened.page
    jo, dora = moderators(match, live)
    case = case_opened(match.seats[0])
    assert seconded(
        dora, ruled(jo, "result", result=LOST, because="adjudicated", case=case)["ruling"]
    ).is_success
    assert appeal(match.seats[0], case).is_success
    await open_table(page, live, match.id, jo.client.key or "")
    shown = page.get_by_role("article")
    await expect(shown).to_contain_text("No moderator of this match can decide it")
    await expect(shown).to_contain_text("Another moderator is invited by Judge Judy, at this table")
    await expect(page.get_by_role("button", name="Rule on it")).to_have_count(0)
    async with table(browser, live, match.id, live.organiser.key or "") as theirs:
        link = await judge_invited(theirs.page, "Eve")
    await expect(shown).to_contain_text("Eve can.")
    async with tab(browser) as eves:
        await invitation_taken(eves, link, "Eve")
        await press(eves.page, "Rule on it")
        await eves.page.get_by_role("radio", name="Note", exact=True).check()
        chosen = eves.page.get_by_label("In the case")
        await expect(chosen).to_have_value(case)
        assert close(Player(live.bearing(await key_of(eves, match.id)), match.id), case).is_success
        await expect(chosen).to_have_value("")
        await expect(eves.page.get_by_role("button", name="Rule on it")).to_have_count(0)
        assert eves.problems == []


async def test_a_moderator_and_an_organiser_of_an_event_take_their_keys_by_links(
    browser: Browser, live: Live
) -> None:
    spring = cup(live)
    moderator = spring.moderator().key or ""
    (organiser,) = [body_of(spring.post("organisers", {"name": "Olga"}), 201)["key"]]
    for key, name in ((moderator, "moderate in this tournament, as Mo"), (organiser, "as Olga")):
        link = f"{live.url}/t/{spring.id}#{key}"
        async with tab(browser) as opened:
            await opened.page.goto(link)
            await expect(opened.page.get_by_text(name)).to_be_in_viewport()
            assert await opened.barriers() == []
            await press(opened.page, "Take the key")
            await expect(opened.page.get_by_text("Your key from now on")).to_be_visible()
            assert "#" not in opened.page.url
            assert live.bearing(key).get(f"/v1/tournaments/{spring.id}/keys").status_code == 401
            assert opened.problems == []
        async with tab(browser) as late:
            await late.page.goto(link)
            await press(late.page, "Take the key")
            await expect(late.page.get_by_text("This link was used before")).to_be_visible()


async def judge_invited(page: Page, name: str) -> str:
    """The link with which an organiser at the table invites one more judge."""
    await page.get_by_text("Invite a moderator").first.click()
    await page.get_by_label("Name of the person").fill(name)
    await press(page, "Make a link")
    return await page.get_by_label(f"The link of {name}").input_value()


async def invitation_taken(opened: Tab, link: str, name: str) -> None:
    """Opens the link, and takes the key as one's own."""
    await opened.page.goto(link)
    await expect(opened.page.get_by_text(f"moderate this match as {name}")).to_be_visible()
    await press(opened.page, "Take the key")
    await expect(opened.page.get_by_text("Your key from now on")).to_be_visible()
    await press(opened.page, "I have it: put it away")
    assert "#" not in opened.page.url


async def key_of(opened: Tab, match: str) -> str:
    """The key that the browser keeps."""
    kept: str = await opened.page.evaluate(f"localStorage['arbiter key: match {match}']")
    return kept


async def test_the_table_of_a_match_that_is_over_leads_to_where_its_result_is_corrected(
    opened: Tab, live: Live
) -> None:
    match, page = (made := cup(live)).played(), opened.page
    await open_table(page, live, match.id, match.moderator_key)
    link = page.get_by_role("link", name="To the tournament")
    await expect(link).to_have_attribute("href", f"/t/{made.id}")
