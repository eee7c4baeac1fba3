"""From what the verifier's page lists to the boards of the service that has sent the page."""

import re
from pathlib import Path

import pytest
from playwright.async_api import expect

from service.web.build import page
from tests.browser.verifier import judged, verify
from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.http.match_play import play_out
from tests.support.servers.live_server import Live

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]


@pytest.fixture(scope="module")
def bundle(live: Live, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a moderator has exported of a match that is over."""
    match = live.started("twelve-chips", options={"tokens_to_win": 1})
    play_out(match)
    saved = tmp_path_factory.mktemp("exported") / "match.arb"
    saved.write_bytes(match.moderator.client.get(f"{match.moderator.path}/bundle").content)
    return saved


async def test_each_event_leads_to_the_board_after_it(
    opened: Tab, live: Live, bundle: Path
) -> None:
    await opened.page.goto(f"{live.url}/verify")
    await verify(opened, bundle, live.anyone.get("/v1/keys").text)
    assert await judged(opened) == "HOLDS"
    boards = opened.page.locator("#events tbody a")
    await expect(boards.first).to_be_hidden()
    await opened.page.locator("summary").press("Enter")
    last = await boards.last.inner_text()
    assert await opened.barriers_within("#events") == []
    await boards.last.click()
    await expect(opened.page).to_have_url(f"{live.url}/m/{match_of(opened)}?at={last}")
    await expect(opened.page.get_by_role("heading", level=1)).to_have_text("12 Chips")
    assert opened.problems == []


async def test_a_saved_page_leads_nowhere(
    opened: Tab, live: Live, bundle: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "verify.html"
    copy.write_bytes(live.anyone.get("/verify").content)
    assert copy.read_text() == page()
    await opened.page.goto(copy.as_uri())
    await verify(opened, bundle, live.anyone.get("/v1/keys").text)
    assert await judged(opened) == "HOLDS"
    await opened.page.get_by_text("What can be read of it").click()
    await expect(opened.page.locator("#events tbody tr").first).to_be_visible()
    await expect(opened.page.locator("#events a")).to_have_count(0)
    await expect(opened.page.get_by_role("navigation")).to_have_count(0)
    assert await opened.barriers() == []
    assert opened.problems == []


async def test_the_verdict_says_where_its_keys_came_from(
    opened: Tab, live: Live, bundle: Path
) -> None:
    tab, keys = opened.page, live.anyone.get("/v1/keys").text
    verdict = tab.locator("#verdict")
    await tab.goto(f"{live.url}/verify")
    await verify(opened, bundle, keys)
    await expect(verdict).to_contain_text("The keys are those that you gave")
    await tab.get_by_role("button", name="Ask this server for its keys").click()
    (first, *_) = live.anyone.get("/v1/keys").json()["keys"]
    await expect(tab.locator("#keys")).to_have_value(re.compile(re.escape(first["key"])))
    await tab.get_by_role("button", name="Check", exact=True).click()
    await expect(verdict).to_contain_text("The keys are those of the server")
    await expect(verdict).not_to_contain_text("that you gave")
    assert opened.problems == []


def match_of(tab: Tab) -> str:
    """The match in the address of the page."""
    return tab.page.url.partition("/m/")[2].partition("?")[0]
