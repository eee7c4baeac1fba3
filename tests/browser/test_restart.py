"""The service dies below open pages and starts again: they go on, and no one loads them anew."""

from pathlib import Path

import httpx
import pytest
from playwright.async_api import Browser, Locator, expect

from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.browser.playing_tabs import act, phones, turn
from tests.support.http import local_http
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Client, created
from tests.support.servers.serve_process import serve

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]

SENT = "What you have sent"


def last_event(tab: Tab) -> Locator:
    """The number of the event at which the page of a match stands."""
    return tab.page.locator(".match-events [aria-current] .number")


async def test_pages_go_on_when_the_service_was_killed(
    browser: Browser, opened: Tab, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    with serve(data) as first, local_http.client(first.url) as http:
        match = created(Client(http, ORGANISER_KEY), "twelve-chips")
        async with phones(browser, match) as (ann, ben):
            assert match.moderator.start().status_code == 201
            await opened.page.goto(f"{first.url}/m/{match.id}")
            tabs = (ann, ben, opened)
            for tab in tabs:
                await tab.page.evaluate("window.stillThere = true")
            await act(ann)
            submissions = ann.page.get_by_role("region", name=SENT)
            await submissions.locator("summary").click()
            sent = submissions.get_by_role("listitem")
            await expect(sent).to_have_count(1)
            await expect(turn(ben)).to_have_text("It is your turn.")

            first.kill()
            for phone in (ann, ben):
                await expect(phone.page.get_by_text("cannot be reached right now")).to_be_visible()
            await expect(opened.page.get_by_text("The connection is lost.")).to_be_visible()

            with serve(data, "--port", str(httpx.URL(first.url).port)) as second:
                assert second.url == first.url
                await expect(turn(ben)).to_have_text("It is your turn.")
                await act(ben)
                await expect(sent).to_have_count(1)
                seen = match.anyone.view().json()["seq"]
                await expect(last_event(opened)).to_have_text(str(seen))
                await expect(opened.page.get_by_text("The connection is lost.")).to_be_hidden()
                for phone in (ann, ben):
                    away = phone.page.get_by_text("cannot be reached right now")
                    await expect(away).to_be_hidden()
                for tab in tabs:
                    assert await tab.page.evaluate("window.stillThere")
