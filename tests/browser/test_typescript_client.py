"""The page of `@arbiter/client`, from an origin of its own, plays a match to its end."""

import shutil
from collections.abc import Iterator

import pytest
from playwright.async_api import expect

from tests.browser.other_origin import other_origin
from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.http.match_play import eager
from tests.support.servers.live_server import Live, serving
from tests.support.web.typescript_client import CLIENT, package

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The origin of the page."""
    folder = tmp_path_factory.mktemp("page")
    shutil.copytree(CLIENT / "example", folder / "example")
    (folder / "dist").symlink_to(package() / "dist")
    with other_origin(folder) as running:
        yield running


@pytest.fixture(scope="module")
def server(origin: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with serving(tmp_path_factory.mktemp("served"), origins=[origin]) as running:
        yield running


async def test_a_page_of_another_origin_plays_to_the_end(
    opened: Tab, origin: str, server: Live
) -> None:
    match = server.started("liars-dice", options={"dice": 2})
    page = opened.page
    await page.goto(f"{origin}/example/")
    await page.get_by_label("Service").fill(server.url)
    await page.get_by_label("Match").fill(match.id)
    await page.get_by_label("Key").fill(match.keys[0])
    await page.get_by_role("button", name="Sit down").click()
    status = page.get_by_role("status")
    while (seen := match.seats[0].view().json())["status"] == "running":
        await expect(status).to_contain_text(f"running, {seen['seq']} events")
        if seen["awaiting"]["seats"] == [0]:
            await page.locator("#menu button").last.click()
            await expect(status).not_to_contain_text(f" {seen['seq']} events")
        else:
            assert match.seats[1].act(eager(match.seats[1])).status_code == 201
    await expect(status).to_contain_text(f"ended, {seen['seq']} events")
    await expect(page.locator("pre")).to_contain_text('"winners"')
    assert not opened.problems
    assert any("/stream" in address for address in opened.requests)
    assert not [one for one in opened.requests if match.keys[0] in one]
