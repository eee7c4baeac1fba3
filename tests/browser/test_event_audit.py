"""The audit of an event: what was ruled, disputed and read in all of it, found and printed."""

import pytest
from playwright.async_api import Locator, Page, expect

from tests.browser.page_checks import good_at_every_width
from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.http.case_client import opened as case_of
from tests.support.http.ruling_client import rule
from tests.support.http.tournament_client import LiveCup, cup
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Live

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]


@pytest.fixture
def disputed(live: Live) -> LiveCup:
    """The moderator and Ann have said something in a match, Ben something about Ann."""
    made = cup(live)
    match = made.match(("Ann", "Ben"))
    assert made.give(match).status_code == 201
    assert (
        rule(match.moderator, "note", to="public", text="Hurry.", severity="warning").status_code
        == 201
    )
    case_of(match.seats[0], says="The chip was hidden.")
    about = {"about": {"player": 0}, "says": "They have entered twice."}
    assert made.player(1).post(f"{made.path}/cases", about).status_code == 201
    made.match(("Ben", "Cy"))
    return made


def part(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name)


async def test_everybody_reads_what_is_public_and_staff_the_rest(
    opened: Tab, live: Live, disputed: LiveCup
) -> None:
    page = opened.page
    await page.goto(f"{live.url}/t/{disputed.id}")
    await page.get_by_role("link", name="Audit", exact=True).click()
    await expect(part(page, "Rulings").get_by_role("row")).to_have_count(2)
    await expect(part(page, "Cases")).to_contain_text("No case is to be seen here.")
    await expect(part(page, "Keys")).to_contain_text("This is shown to organisers")
    await expect(part(page, "Staff")).to_contain_text("Mo moderator, 1 match")
    await page.get_by_text("Read with a key").press("Enter")
    await page.get_by_label("Key of the tournament").fill(ORGANISER_KEY)
    await page.get_by_role("button", name="Use the key").press("Enter")
    await expect(part(page, "Cases").get_by_role("row")).to_have_count(3)
    await part(page, "Cases").get_by_role("button", name="Read it").press("Enter")
    await expect(part(page, "Cases")).to_contain_text("Ben They have entered twice.")
    await expect(part(page, "Who has read")).to_contain_text("organiser")
    await expect(
        part(page, "Keys").get_by_role("row").filter(has_text="Mo moderator")
    ).to_have_count(1)
    await page.get_by_label("Person").select_option("Ann")
    await expect(part(page, "Cases").get_by_role("row")).to_have_count(2)
    await expect(part(page, "Cases").get_by_role("link", name="Report")).to_be_visible()
    await page.get_by_role("combobox", name="Match", exact=True).select_option(index=2)
    await expect(part(page, "Cases")).to_contain_text("No case is to be seen here.")
    await page.get_by_role("button", name="Show all").press("Enter")
    await expect(part(page, "Cases").get_by_role("row")).to_have_count(3)
    await good_at_every_width(opened, live.url)


async def test_the_report_is_printed_with_what_it_leaves_out(
    opened: Tab, live: Live, disputed: LiveCup
) -> None:
    page = opened.page
    await page.add_init_script("window.print = () => { document.body.dataset.printed = 1; }")
    await page.goto(f"{live.url}/t/{disputed.id}/audit")
    await page.get_by_text("Read with a key").press("Enter")
    await page.get_by_label("Key of the tournament").fill(disputed.players[1])
    await page.get_by_role("button", name="Use the key").press("Enter")
    await expect(page.get_by_role("button", name="Read it")).to_be_visible()
    await page.get_by_label("Kind of ruling").select_option("note")
    await page.get_by_role("button", name="Print the report").press("Enter")
    await expect(page.locator("body")).to_have_attribute("data-printed", "1")
    await page.emulate_media(media="print")
    await expect(page.get_by_text("Only: note")).to_be_visible()
    await expect(part(page, "Cases")).to_contain_text("Ben They have entered twice.")
    await expect(part(page, "Rulings").get_by_role("row")).to_have_count(2)
    await expect(page.get_by_role("button", name="Print the report")).to_be_hidden()
    assert opened.problems == []
