"""The moderator's table when something goes wrong: what it then says, and what it does not lose."""

import pytest
from playwright.async_api import expect

from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.browser.table_tab import open_table
from tests.support.http.case_client import opened as case_opened
from tests.support.http.rewind_client import moderators
from tests.support.servers.live_server import Live

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]


async def test_the_table_opens_when_the_service_is_back(opened: Tab, live: Live) -> None:
    match = live.started("dollar-prize")
    await open_table(opened.page, live, match.id, match.moderator_key)
    await opened.page.clock.install()
    await opened.page.route("**/v1/**", lambda route: route.fulfill(status=503))
    await opened.page.reload()
    await expect(opened.page.get_by_text("The service does not answer.")).to_be_visible()
    # For longer than a request is repeated.
    for _ in range(8):
        async with opened.page.expect_response("**/v1/**"):
            await opened.page.clock.fast_forward(10_000)
    await opened.page.unroute("**/v1/**")
    await opened.page.clock.fast_forward(10_000)
    await expect(opened.page.get_by_role("heading", name="Now")).to_be_visible()


async def test_a_key_that_has_ended_is_said_to_have(opened: Tab, live: Live) -> None:
    match = live.started("dollar-prize")
    _, other = moderators(match, live)
    await open_table(opened.page, live, match.id, other.client.key or "")
    keys = f"{match.organiser.path}/keys"
    listed = match.organiser.client.get(keys).json()["keys"]
    ended = next(one["id"] for one in listed if one["name"] == "Second judge")
    assert match.organiser.client.send("DELETE", f"{keys}/{ended}").status_code == 204
    await expect(opened.page.get_by_text("There is no such key, or it has ended.")).to_be_visible()
    await expect(opened.page.get_by_label("Key", exact=True)).to_be_visible()


async def test_what_could_not_be_read_is_read_again(opened: Tab, live: Live) -> None:
    match = live.started("dollar-prize")
    await opened.page.clock.install()
    await open_table(opened.page, live, match.id, match.moderator_key)
    await opened.page.route("**/cases", lambda route: route.fulfill(status=500), times=1)
    case_opened(match.seats[0], says="The lamp fell on the table.")
    lost = opened.page.get_by_text("The connection is lost")
    await expect(lost).to_be_visible()
    await opened.page.clock.fast_forward(15_000)
    await expect(opened.page.get_by_text("The lamp fell on the table.")).to_be_visible()
    await expect(lost).to_have_count(0)
