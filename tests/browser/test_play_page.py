"""The page of a seat in a real browser: from an invitation's link to the end of a match."""

import asyncio
import hashlib
import json
import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner
from playwright.async_api import Browser, FilePayload, Route, expect

from domain.games import GAMES
from service.cli.verify import verify_bundle
from tests.support.browser.chromium import Tab, needs_chromium, tab
from tests.support.browser.page_checks import fits_every_width, has_room
from tests.support.browser.playing_tabs import act, phones, play_out, take_seat, told, turn
from tests.support.games import fewest
from tests.support.http import case_client
from tests.support.http.invitations import invitations, invited, token_of
from tests.support.http.match_play import all_events
from tests.support.http.rewind_client import numbers, resumed
from tests.support.http.ruling_client import WHY, consent, rule, ruled
from tests.support.http.tournament_client import cup
from tests.support.servers.live_server import Json, Live, LiveMatch

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]

SHORT = {
    "twelve-chips": {"tokens_to_win": 1},
    "liars-dice": {"dice": 1},
    "grouping-bw": {"chips": [1, 1]},
}
"""Options with which a match is soon over."""

DECIDED = re.compile("wins?$|^Shared by ")

STORED = "JSON.stringify([{...sessionStorage}, {...localStorage}])"
PHOTOGRAPH: FilePayload = {
    "name": "<i>table</i>.jpg",
    "mimeType": "image/jpeg",
    "buffer": b"a lamp on a table",
}
STALE = "Something has happened since you looked. Look again, then send it again."
LOOK = 20_000
"""Milliseconds after which the page looks again at what has no stream."""


@pytest.mark.parametrize("game", GAMES)
async def test_two_phones_play_a_whole_match_while_a_third_watches(
    browser: Browser, opened: Tab, live: Live, game: str
) -> None:
    match = live.create(game, fewest(game), options=SHORT.get(game, {}))
    async with phones(browser, match) as players:
        assert match.moderator.start().status_code == 201
        await opened.page.goto(f"{live.url}/m/{match.id}")
        await expect(opened.page.get_by_role("main")).to_contain_text("Ann")
        await has_room(players[0].page)
        await play_out(match, players)
        for phone in players:
            await expect(turn(phone)).to_have_text(DECIDED)
            assert phone.problems == []
        outcome = await turn(players[0]).inner_text()
        await expect(opened.page.get_by_role("heading", name=outcome, exact=True)).to_be_visible()
        await expect(opened.page.get_by_role("heading", name="How it came about")).to_be_visible()


async def test_a_reader_takes_the_seat_and_keeps_the_key(opened: Tab, live: Live) -> None:
    match = live.create("dollar-prize")
    made = invited(match, 1)
    page = opened.page
    await page.goto(made["link"])
    await expect(page.get_by_role("heading", name="Invitation to a match")).to_be_visible()
    assert await opened.barriers() == []
    assert invitations(match.organiser)[0]["state"] == "open", "the page has only been opened"
    await page.get_by_role("button", name="Take the seat").click()
    await expect(page.get_by_text("You are Ben, at seat 1.")).to_be_visible()
    assert page.url == f"{live.url}/play/{match.id}", "the token has left the address"
    await page.reload()
    await expect(page.get_by_text("You are Ben, at seat 1.")).to_be_visible()
    await page.get_by_text("Your key", exact=True).click()
    await page.get_by_role("button", name="Show the key").click()
    key = await page.get_by_label("Your key").input_value()
    assert live.bearing(key).get(f"{match.anyone.path}/view").json()["audience"] == "seat:1"
    assert key not in await page.evaluate("JSON.stringify({...localStorage})")
    await page.get_by_label("Keep it on this device").check()
    assert key in await page.evaluate("JSON.stringify({...localStorage})")
    await page.get_by_role("button", name="Forget the key").click()
    await expect(page.get_by_label("Your key")).to_have_attribute("type", "password")
    assert await page.evaluate(STORED) == "[{},{}]"
    assert opened.problems == []
    assert {urlsplit(address).netloc for address in opened.requests} == {urlsplit(live.url).netloc}
    told_by_address = [urlsplit(one)._replace(fragment="").geturl() for one in opened.requests]
    assert not any(secret in one for secret in (key, token_of(made)) for one in told_by_address)


async def test_a_reader_who_comes_too_late_is_told_why(opened: Tab, live: Live) -> None:
    match = live.create("dollar-prize")
    made = invited(match)
    match.organiser.client.send("DELETE", f"{match.organiser.path}/invitations/{made['id']}")
    await opened.page.goto(made["link"])
    await opened.page.get_by_role("button", name="Take the seat").click()
    await expect(opened.page.get_by_role("status")).to_contain_text("was taken back")
    assert await opened.page.evaluate("localStorage.length") == 0


async def test_a_place_in_the_page_is_no_invitation(opened: Tab, live: Live) -> None:
    match = live.create("dollar-prize")
    await opened.page.goto(f"{live.url}/play/{match.id}#content")
    await expect(opened.page.get_by_label("Your key")).to_be_visible()
    await opened.page.goto(invited(match)["link"])
    await expect(opened.page.get_by_role("button", name="Take the seat")).to_be_visible()


async def test_without_an_invitation_the_page_asks_for_a_key(opened: Tab, live: Live) -> None:
    match = live.create("dollar-prize")
    page = opened.page
    await page.goto(f"{live.url}/play/{match.id}")
    field, enter = page.get_by_label("Your key"), page.get_by_role("button", name="Play with")
    await expect(field).to_have_attribute("autocomplete", "off")
    assert await opened.barriers() == []
    await field.fill(match.moderator_key)
    await enter.click()
    await expect(page.locator(".notice")).to_contain_text("does not belong to a seat")
    await field.fill(match.keys[0] + "0")
    await enter.click()
    await expect(page.locator(".notice")).to_contain_text("no such key")
    assert await page.evaluate(STORED) == "[{},{}]", "a key that is none is not kept"
    await field.fill(match.keys[0])
    await enter.click()
    await expect(page.get_by_text("You are Ann, at seat 0.")).to_be_visible()


async def test_the_key_of_a_player_is_good_for_their_seats(opened: Tab, live: Live) -> None:
    spring = cup(live)
    match, page = spring.match(), opened.page
    kept = f"sessionStorage.setItem('arbiter key: tournament {spring.id}', '{spring.players[1]}')"
    await page.goto(f"{live.url}/docs")
    await page.evaluate(kept)
    await page.goto(f"{live.url}/play/{match.id}")
    await expect(page.get_by_text("You are Ben, at seat 1.")).to_be_visible()
    await page.get_by_role("button", name="Forget the key").click()
    await expect(page.get_by_label("Your key")).to_have_attribute("type", "password")
    assert await page.evaluate(STORED) == "[{},{}]"
    assert not any(spring.players[1] in one for one in opened.requests)


async def test_a_match_that_does_not_exist_is_said(opened: Tab, live: Live) -> None:
    await opened.page.goto(f"{live.url}/play/01890000-0000-7000-8000-000000000000")
    await expect(opened.page.get_by_role("status")).to_contain_text("There is no such match")


async def test_what_was_sent_counts_once_though_its_answer_was_lost(
    opened: Tab, live: Live, tmp_path: Path
) -> None:
    match = live.started("liars-dice", options={"dice": 1})
    page = opened.page
    await page.add_init_script("delete globalThis.WebSocket")
    await take_seat(opened, invited(match)["link"])

    async def lose_the_answer(route: Route) -> None:
        await route.fetch()
        await route.abort()

    await page.route("**/actions", lose_the_answer, times=1)
    await page.route(
        "**/actions", lambda route: route.abort() if _posts(route) else route.continue_()
    )
    await page.locator(".entry").last.get_by_role("button").last.click()
    await page.get_by_role("button", name="Send", exact=True).click()
    await expect(told(opened)).to_have_text("Sending …")
    await page.unroute_all()
    await page.reload()
    await expect(told(opened)).to_have_text("It is on record and counts.")
    received = [one for one in all_events(match.seats[0]) if one["type"].startswith("match.action")]
    assert len(received) == 1
    assert match.seats[1].act({"type": "challenge"}).status_code == 201
    await expect(turn(opened)).to_have_text(DECIDED)
    await the_receipts_verify(opened, live, match, tmp_path)


async def test_a_seat_in_two_tabs_that_send_at_once_acts_once(
    browser: Browser, opened: Tab, live: Live
) -> None:
    match = live.started("twelve-chips")
    may_go = asyncio.Event()

    async def held(route: Route) -> None:
        if _posts(route):
            await may_go.wait()
        await route.continue_()

    async with tab(browser) as other:
        tabs = (opened, other)
        for one in tabs:
            await one.page.add_init_script("delete globalThis.WebSocket")
            await one.page.goto(f"{live.url}/play/{match.id}")
            await one.page.get_by_label("Your key").fill(match.keys[0])
            await one.page.get_by_role("button", name="Play with").click()
            await expect(turn(one)).to_have_text("It is your turn.")
            await one.page.route("**/actions", held)
            await one.page.locator(".entry").last.get_by_role("button").last.click()
            await one.page.get_by_role("button", name="Send", exact=True).click()
            await expect(told(one)).to_have_text("Sending …")
        may_go.set()
        for one in tabs:
            await expect(turn(one)).to_have_text("Waits for Ben")
            await expect(told(one)).not_to_have_text("Sending …")
        said = {await told(one).inner_text() for one in tabs}
    assert said == {"It is on record and counts.", STALE}
    played = [one for one in all_events(match.anyone) if "chip-played" in one["type"]]
    assert len(played) == 1


def _posts(route: Route) -> bool:
    return route.request.method == "POST"


async def the_receipts_verify(phone: Tab, live: Live, match: LiveMatch, folder: Path) -> None:
    """What the page saves is what `arbiter verify` takes, and the record bears it out."""
    await phone.page.get_by_text("Receipts", exact=True).click()
    async with phone.page.expect_download() as saving:
        await phone.page.get_by_role("button", name="Save the receipts").click()
    receipts, keys, bundle = (folder / name for name in ("receipts.json", "keys.json", "match.arb"))
    await (await saving.value).save_as(receipts)
    assert len(json.loads(receipts.read_text())["receipts"]) == 1
    keys.write_bytes(live.anyone.get("/v1/keys").content)
    bundle.write_bytes(match.moderator.client.get(f"{match.moderator.path}/bundle").content)
    arguments = [str(bundle), "--key", str(keys), "--receipt", str(receipts), "--json"]
    report = json.loads(CliRunner().invoke(verify_bundle, arguments).stdout)
    assert report["verdict"] == "PASS"


async def test_a_sealed_submission_says_what_counts_and_what_does_not(
    opened: Tab, live: Live
) -> None:
    match = live.started("together", ("Ann", "<img src=x>", "Cy", "Dee"))
    page = opened.page
    await take_seat(opened, invited(match)["link"])
    await act(opened)
    standing = page.get_by_role("region", name="This is what counts now")
    await expect(standing).to_contain_text("Ann")
    await page.get_by_text("Submit something else").click()
    await page.get_by_role("button", name="Ann: one less").click()
    await page.get_by_role("button", name="Cy: one more").click()
    await page.get_by_role("button", name="Check it").click()
    await page.get_by_role("button", name="Send", exact=True).click()
    await expect(told(opened)).to_contain_text("does not count")
    await expect(told(opened)).to_contain_text("three")
    await expect(standing).to_contain_text("Ann")
    sent = page.get_by_role("region", name="What you have sent").get_by_role("listitem")
    await expect(sent).to_have_count(2)
    await expect(sent.first).to_contain_text("Does not count")
    assert await opened.barriers() == []
    assert opened.problems == []


async def test_a_seat_adds_to_chance_protests_and_sees_the_time(opened: Tab, live: Live) -> None:
    match = live.create("dollar-prize", options={"turn_seconds": 90_000}, clock="rules")
    page = opened.page
    await take_seat(opened, invited(match)["link"])
    await page.get_by_label("Any text").fill("dice at home")
    await page.get_by_role("button", name="Add it").click()
    await expect(page.get_by_text("part of the chance of this match")).to_be_visible()
    assert match.moderator.start().status_code == 201
    await expect(page.get_by_role("timer")).to_contain_text("1 day 0:59:")
    await page.get_by_text("Protest", exact=True).click()
    await page.get_by_label("What went wrong?").fill("The <b>coin</b> left the table.")
    await page.get_by_label("It is about what I see now").check()
    await page.get_by_role("button", name="Send the protest").click()
    await expect(page.get_by_text("The moderators have it.")).to_be_visible()
    (opened_case,) = match.moderator.client.get(f"{match.moderator.path}/cases").json()["cases"]
    assert opened_case["parties"] == [0]
    await fits_every_width(page)
    assert await opened.barriers() == []
    assert opened.problems == []


async def test_a_seat_is_asked_for_its_consent_and_hears_the_moderators(
    opened: Tab, live: Live
) -> None:
    match = live.started("dollar-prize")
    await take_seat(opened, invited(match, 1)["link"])
    ruled(match.moderator, "note", to="seat:1", text="Please be quicker.", severity="warning")
    await expect(opened.page.get_by_text("Please be quicker.")).to_be_visible()
    pending = ruled(match.organiser, "void", ask_seats=True, reason="The <i>coins</i> were false.")
    asked = opened.page.get_by_role("region", name="Your consent is asked")
    await expect(asked).to_contain_text("The <i>coins</i> were false.")
    await asked.get_by_role("button", name="I consent").click()
    await expect(asked).to_contain_text("You have consented")
    assert consent(match.seats[0], pending["ruling"]).status_code == 201
    await expect(turn(opened)).to_have_text("This match is void.")


async def test_a_seat_learns_that_the_match_went_back_and_why(opened: Tab, live: Live) -> None:
    match = live.started("twelve-chips", rulings="single")
    page, sent = opened.page, opened.page.get_by_role("region", name="What you have sent")
    await take_seat(opened, invited(match)["link"])
    await act(opened)
    await expect(turn(opened)).to_have_text("Waits for Ben")
    point = numbers(match, "twelve-chips.chip-played.1")[-1]
    ruled(match.moderator, "rewind", before=point)
    await expect(turn(opened)).to_have_text("The match is paused.")
    await expect(page.get_by_role("button", name="To your move")).to_be_hidden()
    told_why = page.get_by_role("region", name="From the moderators")
    await expect(told_why).to_contain_text(f"The match went back: {WHY}")
    await sent.locator("summary").click()
    await expect(sent.get_by_role("listitem").first).to_contain_text("does not count any more")
    await expect(page.get_by_label("Any text")).to_be_visible()
    resumed(match)
    await expect(turn(opened)).to_have_text("It is your turn.")
    await act(opened)
    await expect(sent.get_by_text("does not count any more")).to_have_count(1)
    assert opened.problems == []


async def test_an_ended_key_leads_back_to_the_door(opened: Tab, live: Live) -> None:
    match = live.started("dollar-prize")
    await take_seat(opened, invited(match, 1)["link"])
    keys = match.organiser.client.get(f"{match.organiser.path}/keys").json()["keys"]
    for one in (key for key in keys if key["role"] == "seat:1"):
        match.organiser.client.send("DELETE", f"{match.organiser.path}/keys/{one['id']}")
    await expect(opened.page.get_by_label("Your key")).to_have_attribute("type", "password")
    await opened.page.get_by_role("button", name="Forget the key").click()
    assert await opened.page.evaluate(STORED) == "[{},{}]"


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


async def test_the_page_says_when_the_service_is_away_and_comes_back(
    opened: Tab, live: Live
) -> None:
    match = live.started("twelve-chips")
    await take_seat(opened, invited(match, 1)["link"])
    await expect(turn(opened)).to_have_text("Waits for Ann")
    await opened.page.context.set_offline(True)
    away = opened.page.get_by_text("cannot be reached right now")
    await expect(away).to_be_visible()
    (entry,) = match.seats[0].menu().json()["actions"]
    assert match.seats[0].act(entry["examples"][0]).status_code == 201
    await opened.page.context.set_offline(False)
    await expect(turn(opened)).to_have_text("It is your turn.")
    await expect(away).to_be_hidden()
