"""What an audit shows is what was read: as another person, after the end, and of one case."""

import pytest
from playwright.async_api import expect

from tests.browser.audit_tab import audit
from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.http import case_client
from tests.support.http.match_play import play_out, step
from tests.support.servers.live_server import Live

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]


async def test_the_record_is_never_shown_as_somebody_elses(opened: Tab, live: Live) -> None:
    match = live.started("liars-dice")
    step(match)
    page = await audit(opened, live, match, match.moderator_key)
    as_moderator = page.get_by_role("grid", name="The record as seen by moderators")
    rows = await as_moderator.get_attribute("aria-rowcount")
    await page.route("**/timeline?*", lambda route: route.fulfill(status=500), times=1)
    chosen = page.get_by_role("combobox", name="As seen by")
    await chosen.select_option("Ben")
    await expect(page.get_by_text("The answer was 500")).to_be_visible()
    await expect(chosen).to_have_value("moderator")
    await expect(as_moderator).to_have_attribute("aria-rowcount", rows or "")
    await chosen.select_option("Ben")
    as_ben = page.get_by_role("grid", name="The record as seen by Ben")
    await expect(as_ben).not_to_have_attribute("aria-rowcount", rows or "")
    await expect(chosen).to_have_value("seat:1")


async def test_the_end_of_a_match_is_seen_when_it_is_read_again(opened: Tab, live: Live) -> None:
    match = live.started("twelve-chips", options={"tokens_to_win": 1})
    page = await audit(opened, live, match)
    evidence = page.get_by_role("region", name="Verdict", exact=True)
    bundle = evidence.get_by_role("button", name="Download the bundle")
    await expect(evidence).to_be_visible()
    await expect(bundle).to_have_count(0)
    play_out(match)
    await page.get_by_role("button", name="Read again").click()
    await expect(bundle).to_be_visible()
    await expect(page.get_by_text("The record is open")).to_be_visible()
    await expect(page.locator(".match-head .status")).to_have_text("over")
    await expect(page.get_by_label("As seen by").locator("option")).to_have_count(4)


async def test_the_report_of_a_case_is_closed(opened: Tab, live: Live) -> None:
    match = live.started("dollar-prize")
    case = case_client.opened(match.seats[0], about=1)
    page = await audit(opened, live, match, match.moderator_key)
    link = page.get_by_role("link", name="Case 1")
    await link.click()
    report = page.get_by_role("article")
    await expect(report).to_be_visible()
    await report.get_by_role("button", name="Close the report").press("Enter")
    await expect(report).to_have_count(0)
    await expect(link).to_be_focused()
    assert case not in page.url
    await page.emulate_media(media="print")
    await expect(page.get_by_role("grid")).to_be_visible()
    await page.emulate_media(media="screen")
    await link.press("Enter")
    await expect(report).to_be_visible()
