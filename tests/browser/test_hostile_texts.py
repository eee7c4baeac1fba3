"""What people write is shown as text: nothing of it runs, on any page."""

import json
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.browser.verifier import judged, verify
from tests.support.http.tournament_client import cup
from tests.support.servers.live_server import Live, LiveMatch

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]

IMAGE = "<img src=x onerror=ran()>"
SCRIPT = "</pre></script><script>ran()</script>"
LINK = "[a](javascript:ran())"

WATCH = "window.ran = () => { window.hasRun = true; };"


@pytest.fixture(scope="module")
def hostile(live: Live) -> LiveMatch:
    """A match with such names, seeds and settings, that has been started."""
    match = live.create("dollar-prize", [IMAGE, SCRIPT])
    for seat, seed in enumerate((SCRIPT, IMAGE)):
        path = f"{match.seats[seat].path}/client-seeds"
        assert match.seats[seat].client.post(path, {"seed": seed}).status_code == 201
    assert match.moderator.start().status_code == 201
    cup(live, name=IMAGE, players=[SCRIPT, LINK])
    return match


async def nothing_ran(tab: Tab) -> None:
    """Nothing of the texts became an element or ran, and no policy had to stop it."""
    assert await tab.page.evaluate("window.hasRun === undefined")
    assert await tab.page.locator("img[src=x]").count() == 0
    assert tab.problems == []


async def test_a_page_that_took_it_as_html_would_be_noticed(opened: Tab, live: Live) -> None:
    await opened.page.add_init_script(WATCH)
    await opened.page.goto(f"{live.url}/v1/games/none")
    await opened.page.set_content(IMAGE)
    with pytest.raises(AssertionError):
        await nothing_ran(opened)


async def test_the_verifier_shows_a_bundle(
    opened: Tab, live: Live, hostile: LiveMatch, tmp_path: Path
) -> None:
    bundle = tmp_path / f"{IMAGE}.arb"
    bundle.write_bytes(hostile.moderator.client.get(f"{hostile.moderator.path}/bundle").content)
    await opened.page.add_init_script(WATCH)
    await opened.page.goto(f"{live.url}/verify")
    await verify(opened, bundle, live.anyone.get("/v1/keys").text)
    assert await judged(opened) == "SEALED"
    await expect(opened.page.locator("#chosen")).to_contain_text(IMAGE)
    table = opened.page.locator("#events tbody")
    for text in (IMAGE, SCRIPT):
        await expect(table).to_contain_text(json.dumps(text)[1:-1])
        await opened.page.fill("#filter", text)
        await expect(opened.page.locator("#shown")).not_to_contain_text(" 0 found")
    await nothing_ran(opened)


async def test_the_verifier_names_unusable_files_and_keys(
    opened: Tab, live: Live, tmp_path: Path
) -> None:
    bundle, note = tmp_path / "a.arb", tmp_path / f"{IMAGE}.txt"
    bundle.write_text(IMAGE)
    note.write_text(IMAGE)
    await opened.page.add_init_script(WATCH)
    await opened.page.goto(f"{live.url}/verify")
    await opened.page.set_input_files("#kept", note)
    await verify(opened, bundle, f"{IMAGE.replace(' ', '/')}+00000000+AA")
    await expect(opened.page.locator("#verdict")).to_contain_text("<img")
    await nothing_ran(opened)


@pytest.mark.parametrize("path", ["/v1/matches", "/v1/tournaments"])
async def test_a_list_opened_as_a_page_is_text(
    opened: Tab, live: Live, hostile: LiveMatch, path: str
) -> None:
    await opened.page.add_init_script(WATCH)
    await opened.page.goto(f"{live.url}{path}")
    await expect(opened.page.locator("pre")).to_contain_text(IMAGE)
    await nothing_ran(opened)


async def test_the_page_of_the_api_shows_an_answer(
    opened: Tab, live: Live, hostile: LiveMatch
) -> None:
    await opened.page.add_init_script(WATCH)
    await opened.page.goto(f"{live.url}/schema#/matches/listMatches")
    block = opened.page.locator("#operations-matches-listMatches")
    await block.get_by_role("button", name="Execute").click()
    await expect(block.locator(".live-responses-table")).to_contain_text(IMAGE)
    await nothing_ran(opened)
