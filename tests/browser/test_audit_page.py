"""An audit in a real browser: verdict in place, filters by keyboard, a case on paper."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.async_api import Route, expect

from tests.browser.audit_tab import audit
from tests.browser.page_checks import WIDTHS, fits_every_width
from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.http import case_client
from tests.support.http.match_play import play_out, step
from tests.support.http.ruling_client import rule
from tests.support.http.tournament_client import cup
from tests.support.servers.live_server import Live, LiveMatch

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]

IMAGE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def running(live: Live) -> LiveMatch:
    """Liar's Dice, a few steps in, with a refusal and a case that was closed."""
    match = live.started("liars-dice", ("Ann", IMAGE))
    for _ in range(3):
        step(match)
    match.seats[1].act({"type": "bid", "count": 99, "face": 1})
    case = case_client.opened(match.seats[0], about=1)
    case_client.say(match.moderator, case, IMAGE)
    settle(live, match, case)
    return match


def settle(live: Live, match: LiveMatch, case: str) -> None:
    """Eve closes a case by a ruling."""
    keys = f"{match.organiser.path}/keys"
    issued = match.organiser.client.post(keys, {"role": "moderator", "name": "Eve"}).json()
    ruling = {"kind": "note", "to": "public", "severity": "clarification", "case": case}
    says = {"text": "It counts as it lay.", "reason": "Both of them saw it."}
    ruled = live.bearing(issued["key"]).post(f"{match.anyone.path}/rulings", ruling | says)
    assert ruled.status_code == 201, ruled.text


@pytest.fixture(scope="module")
def over(live: Live) -> LiveMatch:
    """A match whose record is open."""
    match = live.started("twelve-chips", options={"tokens_to_win": 1})
    play_out(match)
    return match


async def test_a_result_that_was_confirmed_opens_the_audit(opened: Tab, live: Live) -> None:
    match = live.started("liars-dice", options={"dice": 1}, protest_hours=1)
    play_out(match)
    assert rule(match.organiser, "confirm").status_code == 201
    page = await audit(opened, live, match)
    await expect(page.get_by_text("✓ Evidence holds", exact=True)).to_be_visible()


async def test_the_audit_of_an_open_record_begins_with_the_verdict(
    opened: Tab, live: Live, over: LiveMatch
) -> None:
    page = await audit(opened, live, over)
    draws = page.get_by_role("region", name="Chance", exact=True)
    await expect(page.get_by_text("✓ Evidence holds", exact=True)).to_be_visible()
    await expect(page.get_by_role("heading", level=2).first).to_have_text("Verdict")
    story = page.get_by_role("region", name="What happened")
    await expect(story).to_contain_text("Nothing that you may read was disputed or ruled on.")
    await expect(story).to_contain_text(re.compile("wins? |Shared by "))
    await expect(page.get_by_text("Whether every move followed the rules")).to_be_visible()
    await expect(draws.get_by_text("follows from the seed").first).to_be_visible()
    await expect(draws.get_by_text("not checked yet")).to_have_count(0)
    async with page.expect_download() as downloading:
        await page.get_by_role("button", name="Download the bundle").press("Enter")
    assert (await downloading.value).suggested_filename == f"{over.id}.moderator.arb"
    assert opened.problems == []
    assert all(address.startswith((live.url, "blob:")) for address in opened.requests)


async def test_a_bundle_with_another_byte_fails(opened: Tab, live: Live, over: LiveMatch) -> None:
    async def altered(route: Route) -> None:
        body = bytearray(await (await route.fetch()).body())
        body[len(body) // 2] ^= 1
        await route.fulfill(body=bytes(body), content_type="application/zip")

    await opened.page.route("**/bundle?*", altered)
    page = await audit(opened, live, over)
    await expect(page.get_by_text("✗ Fail", exact=True)).to_be_visible()


async def test_the_record_is_told_in_the_language_of_the_page(
    opened: Tab, live: Live, over: LiveMatch
) -> None:
    await opened.page.set_extra_http_headers({"Accept-Language": "de"})
    page = await audit(opened, live, over)
    row = page.locator("[role=row][aria-rowindex='2']")
    await expect(row).to_contain_text("Die Partie wird angelegt für 2 Plätze")
    await expect(row).to_contain_text("Veranstalter")
    await page.get_by_role("searchbox").fill("gewinnt den Stich")
    await expect(row).to_be_visible()
    await row.click()
    await expect(page.locator(".audit-detail > p").first).to_contain_text("gewinnt den Stich")
    assert await opened.barriers() == []
    assert opened.problems == []


async def test_a_moderator_finds_an_event_by_keyboard(
    opened: Tab, live: Live, running: LiveMatch
) -> None:
    page = await audit(opened, live, running, running.moderator_key)
    await page.get_by_label("Kind").focus()
    await page.keyboard.type("It is refused: …")
    row = page.locator("[role=row][aria-rowindex='2']")
    await expect(row).to_contain_text("refused")
    await page.get_by_role("grid").press("ArrowDown")
    await expect(row).to_have_attribute("aria-selected", "true")
    detail = page.locator(".audit-detail")
    await expect(detail.get_by_text("Follows from")).to_be_visible()
    await detail.get_by_role("link").first.press("Enter")
    await expect(page.get_by_label("Kind")).to_have_value("")
    await expect(detail.get_by_text("What followed")).to_be_visible()
    await detail.get_by_role("button", name="Who could know it?").press("Enter")
    await expect(detail.get_by_text("never here")).to_have_count(2)
    assert opened.problems == []


async def test_facts_and_people(opened: Tab, live: Live, running: LiveMatch) -> None:
    running.seats[0].view()
    page = await audit(opened, live, running, running.moderator_key)
    steps = page.locator(".audit-story > li")
    told = [" ".join(text.split()) for text in await steps.all_inner_texts()]
    looked, opens, says, ruled = (told[0], *told[-3:])
    assert "(moderator) looks at what is hidden" in looked
    assert "Ann opens a case: Report" in opens
    assert f"moderator says: {IMAGE}" in says
    assert "Eve rules: note" in ruled and "Both of them saw it." in ruled
    rolled = page.get_by_role("row").filter(has_text="Ann has rolled").last
    cells = rolled.get_by_role("cell")
    await expect(cells.nth(0)).to_contain_text("never here")
    await expect(cells.nth(1)).to_contain_text("looked")
    await expect(cells.nth(2)).to_contain_text("sent")
    await expect(page.get_by_role("region", name="Refused and invalid")).to_contain_text("bid")
    keys = page.get_by_role("region", name="Keys")
    await expect(keys.get_by_role("row")).to_have_count(5)


async def test_the_keys_of_a_tournament_are_listed_with_their_holders(
    opened: Tab, live: Live
) -> None:
    match = cup(live).match()
    page = await audit(opened, live, match, live.organiser.key)
    keys = page.get_by_role("region", name="Keys").get_by_role("row")
    for holder in ("Ann", "Ben"):
        held = keys.filter(has_text=f"{holder} with the tournament")
        await expect(held).to_have_count(1)
    assert opened.problems == []


async def test_a_seat_reads_its_own_and_forgets_its_key(
    opened: Tab, live: Live, running: LiveMatch
) -> None:
    page = await audit(opened, live, running, running.keys[0])
    audiences = page.get_by_label("As seen by").locator("option")
    await expect(audiences).to_have_text(["everyone", "Ann"])
    await expect(page.get_by_role("region", name="Keys")).to_contain_text("Keys are listed for")
    stored = "JSON.stringify([{...sessionStorage}, {...localStorage}])"
    assert running.keys[0] in await page.evaluate(stored)
    page.once("dialog", lambda dialog: dialog.accept())
    await page.get_by_role("button", name="Forget the key").press("Enter")
    await expect(audiences).to_have_text(["everyone"])
    assert running.keys[0] not in await page.evaluate(stored)
    assert not [one for one in [page.url, *opened.requests] if running.keys[0] in one]
    assert opened.problems == []


async def test_a_key_that_is_unknown_is_not_kept(
    opened: Tab, live: Live, running: LiveMatch
) -> None:
    page = await audit(opened, live, running)
    await page.get_by_text("Read with a key").press("Enter")
    await page.get_by_label("Key", exact=True).fill("arb_s0_nobody")
    await page.get_by_role("button", name="Use the key").press("Enter")
    await expect(page.get_by_role("status").filter(has_text="key")).to_be_visible()
    assert await page.evaluate("sessionStorage.length") == 0
    await expect(page.get_by_label("Key", exact=True)).to_have_value("")


async def test_the_report_of_a_case_is_printed_alone(
    opened: Tab, live: Live, running: LiveMatch
) -> None:
    page = await audit(opened, live, running, running.moderator_key)
    await page.get_by_role("link", name="Case 1").press("Enter")
    report = page.get_by_role("article")
    for said in ("It counts as it lay.", "Both of them saw it.", "Eve"):
        await expect(report.get_by_text(said).first).to_be_visible()
    await expect(report.get_by_text(IMAGE).first).to_be_visible()
    await expect(report.get_by_text("The match is set up for 2 seats").first).to_be_visible()
    assert await page.locator("img[src=x]").count() == 0
    assert await opened.barriers_within("article") == []
    await page.emulate_media(media="print")
    await expect(report).to_be_visible()
    for gone in (page.get_by_role("grid"), page.get_by_role("button", name="Print the report")):
        await expect(gone).to_be_hidden()
    assert opened.problems == []


async def test_ten_thousand_events_stay_fluid(opened: Tab, live: Live, over: LiveMatch) -> None:
    await opened.page.route("**/timeline?*", longer(10_000))
    page = await audit(opened, live, over)
    await expect(page.get_by_text("10,000 of 10,000 events")).to_be_visible()
    assert await page.locator(".audit-row").count() < 60
    await page.get_by_role("grid").press("End")
    last = page.locator("[role=row][aria-selected=true]")
    await expect(last).to_have_attribute("aria-rowindex", "10001")
    await page.get_by_label("Text").fill("event 4711")
    await expect(page.get_by_text("1 of 10,000 events")).to_be_visible()


def longer(count: int) -> Callable[[Route], Any]:
    """Answers with a time line of so many events."""

    async def answer(route: Route) -> None:
        page = await (await route.fetch()).json()
        lines = [
            {**page["lines"][0], "seq": seq, "what": f"event {seq} ", "data": {}}
            for seq in range(1, count + 1)
        ]
        await route.fulfill(json={**page, "lines": lines, "next": None})

    return answer


async def test_everybody_can_use_the_audit(opened: Tab, live: Live, running: LiveMatch) -> None:
    page = await audit(opened, live, running, running.moderator_key)
    await fits_every_width(page)
    await page.set_viewport_size({"width": WIDTHS[0], "height": 900})
    assert await opened.barriers() == []
    assert opened.problems == []
