"""The page of an invitation's link in a real browser: it accepts when its reader says so."""

from urllib.parse import urlsplit

import pytest
from playwright.async_api import expect

from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.http.invitations import invitations, invited, token_of
from tests.support.servers.live_server import Live

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]


async def test_a_reader_takes_the_seat_and_is_shown_the_key(opened: Tab, live: Live) -> None:
    match = live.create("dollar-prize")
    made = invited(match, 1)
    page = opened.page
    await page.goto(made["link"])
    assert await opened.barriers() == []
    assert invitations(match.organiser)[0]["state"] == "open", "the page has only been opened"
    await page.get_by_role("button", name="Take the seat").click()
    await expect(page.get_by_role("status")).to_have_text("You are Ben, at seat 1.")
    key = await page.get_by_label("Your key").input_value()
    assert live.bearing(key).get(f"{match.anyone.path}/view").json()["audience"] == "seat:1"
    assert await opened.barriers() == []
    await page.reload()
    await page.get_by_role("button", name="Take the seat").click()
    await expect(page.get_by_label("Your key")).to_have_value(key)
    assert opened.problems == []
    assert {urlsplit(address).netloc for address in opened.requests} == {urlsplit(live.url).netloc}
    assert not any(
        token_of(made) in urlsplit(address)._replace(fragment="").geturl()
        for address in opened.requests
    )


async def test_a_reader_who_comes_too_late_is_told_why(opened: Tab, live: Live) -> None:
    match = live.create("dollar-prize")
    made = invited(match)
    match.organiser.client.send("DELETE", f"{match.organiser.path}/invitations/{made['id']}")
    await opened.page.goto(made["link"])
    await opened.page.get_by_role("button", name="Take the seat").click()
    await expect(opened.page.get_by_role("status")).to_contain_text("was taken back")
    await expect(opened.page.get_by_label("Your key")).to_be_hidden()


async def test_a_link_without_its_token_is_not_complete(opened: Tab, live: Live) -> None:
    match = live.create("dollar-prize")
    await opened.page.goto(f"{live.url}/play/{match.id}")
    await expect(opened.page.get_by_role("status")).to_contain_text("not complete")
    await expect(opened.page.get_by_role("button")).to_be_disabled()
