"""A match between bots, one click away, as `make serve` offers it; in a real browser."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.browser.page_checks import hangs_over
from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.http import local_http
from tests.support.servers.serve_process import serve

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a service that offers such matches."""
    data: Path = tmp_path_factory.mktemp("offering") / "data"
    with serve(data, environment={"ARBITER_DEMO": "1"}) as process:
        yield process.url


async def test_one_click_opens_a_match_between_bots(opened: Tab, url: str) -> None:
    await opened.page.goto(url)
    for width in (360, 1280):
        await opened.page.set_viewport_size({"width": width, "height": 900})
        assert await hangs_over(opened.page) == 0, width
    assert await opened.barriers() == []
    await opened.page.get_by_role("button", name="Watch Dollar Prize").press("Enter")
    await expect(opened.page).to_have_url(re.compile("/m/[0-9a-f-]{36}$"))
    await expect(opened.page.get_by_role("heading", level=1)).to_have_text("Dollar Prize")
    await expect(opened.page.get_by_text("Ann (bot)").first).to_be_visible()
    assert opened.problems == []
    assert local_http.get(f"{url}/v1/matches").json()["matches"] == []
