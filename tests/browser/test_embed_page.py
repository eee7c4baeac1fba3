"""The board of a match in a frame of another site, in a real browser."""

import re
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.browser.other_origin import other_origin
from tests.browser.page_checks import hangs_over
from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.http.match_play import play_out, step
from tests.support.repository import ROOT
from tests.support.servers.live_server import Live

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]

PAGE = ROOT / "service/web/docs/own-frontend.md"
CLUB = (
    '<!doctype html><html lang="en"><title>Club</title><link rel="icon" href="data:,">'
    '<meta name="viewport" content="width=device-width"><main>'
)
STORED = "Object.keys(localStorage).length + Object.keys(sessionStorage).length"


def line_to_copy(address: str) -> str:
    """The line of HTML that the documentation offers, with this address in it."""
    (line,) = re.findall(r"^<iframe .*</iframe>$", PAGE.read_text(), re.MULTILINE)
    return re.sub(r'src="[^"]*"', f'src="{address}"', line)


async def test_another_site_shows_a_board_live(opened: Tab, live: Live, tmp_path: Path) -> None:
    match = live.started("dollar-prize", ("Ann", "Ben"))
    board = line_to_copy(f"{live.url}/embed/{match.id}")
    (tmp_path / "index.html").write_text(f"{CLUB}<h1>Our club</h1>{board}</main>")
    with other_origin(tmp_path) as origin:
        async with opened.page.expect_response(re.compile("/stream")):
            await opened.page.goto(origin)
        frame = opened.page.frames[1]
        await expect(frame.get_by_role("link", name="Dollar Prize")).to_be_visible()
        drawn = frame.locator("#drawn")
        await expect(frame.locator("#standing .status")).to_have_text("running")
        async with opened.page.expect_response(re.compile(r"/view\?at=\d+&as=public")):
            step(match)
        await expect(drawn).not_to_be_empty()
        assert await frame.evaluate(STORED) == 0
    assert opened.problems == []


async def test_a_result_that_may_change_is_said_to_be_so(opened: Tab, live: Live) -> None:
    match = live.started("liars-dice", options={"dice": 1}, protest_hours=1)
    await opened.page.goto(f"{live.url}/embed/{match.id}")
    play_out(match)
    await expect(opened.page.locator("#standing")).to_contain_text("wins (provisional)")


async def test_a_board_fits_any_frame(opened: Tab, live: Live) -> None:
    match = live.started("liars-dice", ("Ann", "Ben"))
    await opened.page.goto(f"{live.url}/embed/{match.id}")
    await expect(opened.page.locator("#standing .status")).to_be_visible()
    for width in (320, 768, 1920):
        await opened.page.set_viewport_size({"width": width, "height": 700})
        assert await hangs_over(opened.page) == 0, width
    assert await opened.barriers() == []
    assert opened.problems == []
