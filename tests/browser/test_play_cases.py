"""The cases of a seat on its page: followed, answered with evidence, appealed."""

import hashlib

import pytest
from playwright.async_api import FilePayload, expect

from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.browser.playing_tabs import take_seat
from tests.support.http import case_client
from tests.support.http.invitations import invited
from tests.support.http.ruling_client import WHY, rule
from tests.support.servers.live_server import Json, Live

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]


PHOTOGRAPH: FilePayload = {
    "name": "<i>table</i>.jpg",
    "mimeType": "image/jpeg",
    "buffer": b"a lamp on a table",
}
LOOK = 3_000
"""Milliseconds after which the page looks again at what has no stream."""


async def test_a_seat_follows_its_case_answers_and_appeals(opened: Tab, live: Live) -> None:
    match = live.started("dollar-prize")
    case = case_client.opened(match.seats[0], says="The lamp fell on the table.")
    page = opened.page
    await page.clock.install()
    await take_seat(opened, invited(match, 0)["link"])
    shown = page.get_by_role("article")
    await expect(shown).to_contain_text("The lamp fell on the table.")
    case_client.say(match.moderator, case, "Who saw it? <img src=x>")
    await page.clock.fast_forward(LOOK)
    await expect(shown).to_contain_text("Who saw it? <img src=x>")
    await shown.get_by_label("Say something").fill("Everybody did.")
    await shown.get_by_label("Evidence").set_input_files([PHOTOGRAPH])
    await shown.get_by_role("button", name="Send").click()
    await expect(shown.get_by_role("listitem")).to_have_count(3)
    await expect(shown).to_contain_text(PHOTOGRAPH["name"])
    said = case_client.shown(match.moderator, case)["statements"][-1]
    digest = hashlib.sha256(PHOTOGRAPH["buffer"]).hexdigest()
    assert said["says"] == "Everybody did."
    assert said["attachment"] == {"sha256": digest, "name": PHOTOGRAPH["name"]}
    note: Json = {"to": "public", "severity": "clarification", "text": "It counts as it lay."}
    assert rule(match.moderator, "note", **note, case=case).status_code == 201
    await page.clock.fast_forward(LOOK)
    await expect(shown).to_contain_text(f"By ruling 1: {WHY}")
    await shown.get_by_text("Appeal, until").click()
    await shown.get_by_label("Why is the decision wrong?").fill("Nobody was asked.")
    assert await opened.barriers_within(".case") == []
    await shown.get_by_role("button", name="Send the appeal").click()
    await expect(shown).to_have_attribute("data-status", "open")
    assert case_client.shown(match.moderator, case)["appealed"]
    await expect(shown.get_by_role("listitem").last).to_contain_text("Nobody was asked.")
    assert opened.problems == []


async def test_nobody_is_shown_a_case_in_which_they_are_not_heard(opened: Tab, live: Live) -> None:
    match = live.started("dollar-prize")
    case = case_client.opened(match.seats[0], says="The lamp fell on the table.")
    page = opened.page
    await page.clock.install()
    await take_seat(opened, invited(match, 1)["link"])
    async with page.expect_response(lambda answer: answer.url.endswith("/cases")):
        await page.clock.fast_forward(LOOK)
    await expect(page.get_by_role("article")).to_have_count(0)
    case_client.do(match.moderator, case, "parties", {"seat": 1})
    await page.clock.fast_forward(LOOK)
    await expect(page.get_by_role("article")).to_contain_text("The lamp fell on the table.")
