"""How a reader comes to a seat on its page: by an invitation, by a key, or not."""

from urllib.parse import urlsplit

import pytest
from playwright.async_api import expect

from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.browser.playing_tabs import forget_key, take_seat
from tests.support.http.invitations import invitations, invited, token_of
from tests.support.http.tournament_client import cup
from tests.support.servers.live_server import Live

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]


STORED = "JSON.stringify([{...sessionStorage}, {...localStorage}])"


async def test_a_reader_takes_the_seat_and_keeps_the_key(opened: Tab, live: Live) -> None:
    match = live.create("dollar-prize")
    made = invited(match, 1)
    page = opened.page
    await page.goto(made["link"])
    await expect(page.get_by_role("heading", name="Invitation to a match")).to_be_visible()
    await expect(page.get_by_text("invited to the seat of Ben.")).to_be_visible()
    assert await opened.barriers() == []
    assert invitations(match.organiser)[0]["state"] == "open", "the page has only been opened"
    await page.get_by_role("button", name="Take the seat").click()
    await expect(page.get_by_text("You are Ben.")).to_be_visible()
    assert page.url == f"{live.url}/play/{match.id}", "the token has left the address"
    await page.reload()
    await expect(page.get_by_text("You are Ben.")).to_be_visible()
    await page.get_by_text("Your key", exact=True).click()
    await page.get_by_role("button", name="Show the key").click()
    key = await page.get_by_label("Your key").input_value()
    assert live.bearing(key).get(f"{match.anyone.path}/view").json()["audience"] == "seat:1"
    assert key in await page.evaluate("JSON.stringify({...localStorage})"), "it survives its tab"
    await page.get_by_label("Keep the key on this device").uncheck()
    assert key not in await page.evaluate("JSON.stringify({...localStorage})")
    await forget_key(page)
    await expect(page.get_by_label("Your key")).to_have_attribute("type", "password")
    assert await page.evaluate(STORED) == "[{},{}]"
    assert opened.problems == []
    assert {urlsplit(address).netloc for address in opened.requests} == {urlsplit(live.url).netloc}
    told_by_address = [urlsplit(one)._replace(fragment="").geturl() for one in opened.requests]
    assert not any(secret in one for secret in (key, token_of(made)) for one in told_by_address)


async def test_a_reader_who_comes_too_late_is_told_why(opened: Tab, live: Live) -> None:
    match = live.create("dollar-prize")
    made = invited(match)
    match.organiser.client.send("DELETE", f"{match.organiser.path}/invitations/{made['id']}")
    await opened.page.goto(made["link"])
    await opened.page.get_by_role("button", name="Take the seat").click()
    await expect(opened.page.get_by_role("status")).to_contain_text("was revoked")
    assert await opened.page.evaluate("localStorage.length") == 0


async def test_a_link_that_was_used_asks_for_the_key(opened: Tab, live: Live) -> None:
    match, page = live.create("dollar-prize"), opened.page
    made = invited(match)
    await take_seat(opened, made["link"])
    await forget_key(page)
    await page.goto(f"{live.url}/docs")
    await page.goto(made["link"])
    await page.get_by_role("button", name="Take the seat").click()
    await expect(page.get_by_text("Have you taken this seat yourself?")).to_be_visible()
    await page.get_by_label("Your key").fill(match.keys[0])
    await page.get_by_role("button", name="Play with this key").click()
    await expect(page.get_by_text("You are Ann.")).to_be_visible()


async def test_a_place_in_the_page_is_no_invitation(opened: Tab, live: Live) -> None:
    match = live.create("dollar-prize")
    await opened.page.goto(f"{live.url}/play/{match.id}#content")
    await expect(opened.page.get_by_label("Your key")).to_be_visible()
    await opened.page.goto(invited(match)["link"])
    await expect(opened.page.get_by_role("button", name="Take the seat")).to_be_visible()


async def test_without_an_invitation_the_page_asks_for_a_key(opened: Tab, live: Live) -> None:
    match = live.create("dollar-prize")
    page = opened.page
    await page.goto(f"{live.url}/play/{match.id}")
    field, enter = page.get_by_label("Your key"), page.get_by_role("button", name="Play with")
    await expect(field).to_have_attribute("autocomplete", "off")
    assert await opened.barriers() == []
    await field.fill(match.moderator_key)
    await enter.click()
    await expect(page.locator(".notice")).to_contain_text("does not belong to a seat")
    await field.fill(match.keys[0] + "0")
    await enter.click()
    await expect(page.locator(".notice")).to_contain_text("no such key")
    assert await page.evaluate(STORED) == "[{},{}]", "a key that is none is not kept"
    await field.fill(match.keys[0])
    await enter.click()
    await expect(page.get_by_text("You are Ann.")).to_be_visible()


async def test_the_key_of_a_player_is_good_for_their_seats(opened: Tab, live: Live) -> None:
    spring = cup(live)
    match, page = spring.match(), opened.page
    kept = f"sessionStorage.setItem('arbiter key: tournament {spring.id}', '{spring.players[1]}')"
    await page.goto(f"{live.url}/docs")
    await page.evaluate(kept)
    await page.goto(f"{live.url}/play/{match.id}")
    await expect(page.get_by_text("You are Ben.")).to_be_visible()
    await forget_key(page)
    await expect(page.get_by_label("Your key")).to_have_attribute("type", "password")
    assert await page.evaluate(STORED) == "[{},{}]"
    assert not any(spring.players[1] in one for one in opened.requests)


async def test_a_match_that_does_not_exist_is_said(opened: Tab, live: Live) -> None:
    await opened.page.goto(f"{live.url}/play/01890000-0000-7000-8000-000000000000")
    await expect(opened.page.get_by_role("status")).to_contain_text("There is no such match")


async def test_an_ended_key_leads_back_to_the_door(opened: Tab, live: Live) -> None:
    match = live.started("dollar-prize")
    await take_seat(opened, invited(match, 1)["link"])
    keys = match.organiser.client.get(f"{match.organiser.path}/keys").json()["keys"]
    for one in (key for key in keys if key["role"] == "seat:1"):
        match.organiser.client.send("DELETE", f"{match.organiser.path}/keys/{one['id']}")
    await expect(opened.page.get_by_label("Your key")).to_have_attribute("type", "password")
    await forget_key(opened.page)
    assert await opened.page.evaluate(STORED) == "[{},{}]"
