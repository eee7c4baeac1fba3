"""A seat's page whose service does not stand by its commitment to the seed."""

import json
import re
from collections.abc import Callable

import pytest
from playwright.async_api import Page, Route, expect

from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.browser.playing_tabs import send_last, take_seat, told
from tests.support.http.invitations import invited
from tests.support.servers.live_server import Json, Live

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]

OTHER = "B" * 43 + "="
ALARM = "This service contradicts itself"
UNSIGNED = "What this service has given is not signed by it"


def exchanged(note: str) -> str:
    """The note with another commitment."""
    return re.sub("(?<=\nseed-committed ).*", OTHER, note)


async def saved(page: Page) -> Json:
    """The evidence, as the page saves it."""
    async with page.expect_download() as downloading:
        await page.get_by_role("button", name="Save the evidence").click()
    evidence: Json = json.loads((await (await downloading.value).path()).read_text())
    return evidence


def altered(note: str) -> str:
    """The note with another byte."""
    return note.replace("\nstatus accepted\n", "\nstatus acceptee\n")


@pytest.mark.parametrize(("change", "said"), [(exchanged, ALARM), (altered, UNSIGNED)])
async def test_a_receipt_that_was_changed_is_an_alarm_that_can_be_saved(
    opened: Tab, live: Live, change: Callable[[str], str], said: str
) -> None:
    match = live.started("liars-dice", options={"dice": 1})
    page = opened.page
    await take_seat(opened, invited(match)["link"])
    alarm = page.get_by_role("alert").filter(has_text=said)
    notes: list[str] = []

    async def answer_otherwise(route: Route) -> None:
        if route.request.method != "POST":
            await route.continue_()
            return
        answer = await route.fetch()
        taken = await answer.json()
        notes.append(change(taken["receipt"]["note"]))
        taken["receipt"]["note"] = notes[-1]
        await route.fulfill(response=answer, json=taken)

    await page.route("**/actions", answer_otherwise)
    await expect(alarm).to_have_count(0)
    await send_last(opened)
    await expect(alarm).to_be_visible()
    await expect(told(opened)).to_contain_text("see the notice above")
    await page.unroute_all()
    await page.reload()
    await expect(alarm).to_be_visible()
    evidence = await saved(page)
    assert evidence["match"] == match.id and evidence["receipt"]["note"] == notes[0]
    if said == ALARM:
        assert OTHER in notes[0]
        assert evidence["note"] == live.anyone.get(f"{match.anyone.path}/note").json()["note"]
        assert evidence["event"]["type"] == "match.seed-committed.1"
    else:
        assert evidence["signed"] is False
        assert ALARM not in await page.locator("body").inner_text()


async def test_a_note_of_another_commitment_than_the_events_is_an_alarm(
    opened: Tab, live: Live
) -> None:
    match = live.started("liars-dice", options={"dice": 1})
    page = opened.page

    async def exchange(route: Route) -> None:
        answer = await route.fetch()
        await route.fulfill(
            response=answer, json={"note": exchanged((await answer.json())["note"])}
        )

    await page.route("**/note", exchange)
    await take_seat(opened, invited(match)["link"])
    await expect(page.get_by_role("alert").filter(has_text=ALARM)).to_be_visible()
    evidence = await saved(page)
    assert OTHER in evidence["note"] and evidence["receipt"] is None
    assert evidence["event"]["type"] == "match.seed-committed.1"


async def test_a_note_that_no_published_key_has_signed_is_an_alarm(opened: Tab, live: Live) -> None:
    """The service publishes other keys than the one that has signed."""
    match = live.started("liars-dice", options={"dice": 1})
    page = opened.page
    await page.route("**/v1/keys", lambda route: route.fulfill(json={"keys": []}))
    await take_seat(opened, invited(match)["link"])
    await expect(page.get_by_role("alert").filter(has_text=UNSIGNED)).to_be_visible()
    assert (await saved(page))["receipt"] is None
