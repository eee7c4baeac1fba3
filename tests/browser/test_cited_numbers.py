"""Every page names an event by the public's number first, so that people who talk mean the same."""

import pytest
from playwright.async_api import Browser, expect

from tests.browser.audit_tab import audit
from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.browser.playing_tabs import take_seat
from tests.support.browser.table_tab import give, press, table
from tests.support.http import case_client
from tests.support.http.invitations import invited
from tests.support.http.match_play import all_events, side_chosen
from tests.support.servers.live_server import Json, Live, LiveMatch

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]

CHOSEN = "dollar-prize.side-chosen.1"
KEEP = "([purpose, key]) => localStorage.setItem(`arbiter key: ${purpose}`, key)"


@pytest.fixture
def begun(live: Live) -> LiveMatch:
    return side_chosen(live)


def chosen(events: list[Json]) -> Json:
    (found,) = (event for event in events if event["type"] == CHOSEN)
    return found


def cited(event: Json) -> str:
    assert event["public_seq"] != event["seq"]
    return f"p{event['public_seq']} ({event['seq']})"


@pytest.mark.parametrize("audience", ["public", "moderator"])
async def test_the_match_page_does(
    opened: Tab, live: Live, begun: LiveMatch, audience: str
) -> None:
    page, public = opened.page, audience == "public"
    await page.goto(f"{live.url}/docs")
    await page.evaluate(KEEP, [f"match {begun.id}", begun.moderator_key])
    event = chosen(all_events(begun.anyone if public else begun.moderator))
    await page.goto(f"{live.url}/m/{begun.id}?at={event['seq']}&as={audience}")
    said = str(event["seq"]) if public else cited(event)
    for place in (".match-events [aria-current] .number", ".match-step .number"):
        await expect(page.locator(place)).to_have_text(said)
    assert opened.problems == []


async def test_the_audit_does_and_leads_there(opened: Tab, live: Live, begun: LiveMatch) -> None:
    page = await audit(opened, live, begun, begun.moderator_key)
    event = chosen(all_events(begun.moderator))
    await page.evaluate(f"location.hash = '#p{event['public_seq']}'")
    detail = page.locator(".audit-detail")
    await expect(detail.get_by_role("heading", name=f"Event {cited(event)}")).to_be_visible()
    row = page.locator(f"#row-{event['seq']}")
    await expect(row.get_by_role("rowheader")).to_have_text(cited(event))
    assert opened.problems == []


async def test_the_table_does_and_a_rewind_takes_it(
    browser: Browser, live: Live, begun: LiveMatch
) -> None:
    event = chosen(all_events(begun.moderator))
    async with table(browser, live, begun.id, begun.moderator_key) as mine:
        recorded = mine.page.get_by_role("region", name="What was recorded last")
        await expect(recorded).to_contain_text(cited(event))
        await mine.page.get_by_role("radio", name="Go back").check(force=True)
        field = mine.page.get_by_label("Back to before, in the public's count (like p6)")
        await field.fill(f"p{event['public_seq']}")
        await give(mine.page, "Reason", "Ann had said tails.")
        await press(mine.page, "Preview")
        undone = mine.page.get_by_role("region", name="As played")
        await undone.get_by_text("Which?").click()
        await expect(undone).to_contain_text(cited(event))
        await press(mine.page, "Rule so: Go back")
        await expect(mine.page.locator(".awaited")).to_have_text("The match is paused")


async def test_a_case_does_for_its_seat(opened: Tab, live: Live, begun: LiveMatch) -> None:
    event = chosen(all_events(begun.seats[0]))
    case_client.opened(begun.seats[0], about_public=event["public_seq"])
    await take_seat(opened, invited(begun, 0)["link"])
    said = f"event p{event['public_seq']}, number {event['seq']} of your events"
    await expect(opened.page.get_by_role("article")).to_contain_text(said)
    assert opened.problems == []
