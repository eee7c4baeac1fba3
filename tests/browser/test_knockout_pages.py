"""The pages of a knockout: the matches by name, who is out, and who has won."""

import asyncio

import pytest
from playwright.async_api import Page, expect

from tests.browser.page_checks import is_seen_whole
from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.http.ruling_client import ruled
from tests.support.http.tournament_client import LiveCup, cup, publish, shown_round, staged
from tests.support.servers.live_server import Live, Player
from tests.support.waiting import wait_until

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]

PEOPLE = ["Ann", "Ben", "Cy", "Maximiliane-Alexandra von Hohenstein-Rappoltsweiler"]
WON = {"winners": [0], "losers": [1], "shared": False, "scores": [1, 0]}


def play_round(made: LiveCup, number: int) -> None:
    """The next round, in which the first seats win."""
    publish(made, 1)
    wait_until(
        lambda: all(one["status"] == "running" for one in shown_round(made, 1, number)["pairings"])
    )
    for pairing in shown_round(made, 1, number)["pairings"]:
        ruled(
            Player(made.live.organiser, pairing["matches"][0]),
            "result",
            result=WON,
            because="adjudicated",
        )
    wait_until(lambda: shown_round(made, 1, number)["status"] == "closed")


def knockout(live: Live) -> LiveCup:
    """Of four, with a match for the third place, after its first round."""
    made = cup(live, players=PEOPLE, moderators=[])
    match = {"game": "dollar-prize", "rulings": "single"}
    staged(
        made,
        published=False,
        name="Knockout",
        format="elimination",
        match=match,
        seeding="entry",
        third_place=True,
        first_seat="higher_seed",
        round={"start": "at_once"},
    )
    play_round(made, 1)
    return made


async def at_own_page(page: Page, made: LiveCup, player: int) -> None:
    await page.goto(f"{made.live.url}/t/{made.id}/me")
    await page.get_by_label("Key of the tournament").fill(made.players[player])
    await page.get_by_role("button", name="Use the key").click()


async def test_a_knockout_names_its_final_its_champion_and_who_is_out(
    opened: Tab, live: Live
) -> None:
    made, page = await asyncio.to_thread(knockout, live), opened.page
    await page.goto(f"{live.url}/t/{made.id}")
    await expect(page.locator(".slot b")).to_have_text(["1", "0", "1", "0"])
    await page.get_by_text("Share", exact=True).click()
    await expect(page.get_by_role("img", name="Link to this tournament")).to_be_visible()
    await asyncio.to_thread(play_round, made, 2)
    await expect(page.locator(".tables").first.locator(".match-name")).to_have_text(
        ["Final", "Third place"]
    )
    await page.get_by_text("Standings", exact=True).click()
    heads = page.locator(".stage-standings thead th")
    await expect(heads).to_have_text(["Place", "Player", "Played"])
    await expect(page.locator(".stage-standings tbody tr").last).to_contain_text("out")
    await at_own_page(page, made, 1)
    await expect(page.get_by_text("Congratulations: you have come second.")).to_be_visible()
    for closed in ("stages/1/close", "close"):
        assert made.post(closed, {}).status_code == 201
    await page.goto(f"{live.url}/t/{made.id}?wall")
    await expect(page.get_by_text("Ann has won the tournament.")).to_be_visible()
    await expect(page.locator(".bracket .slot")).to_have_count(3)
    await expect(page.locator(".path .won bdi")).to_have_text(["Ann", "Ann"])
    for width, height in ((1280, 860), (1920, 1080), (900, 620)):
        await page.set_viewport_size({"width": width, "height": height})
        await is_seen_whole(page)
    await page.goto(f"{live.url}/t/{made.id}/me")
    await page.get_by_role("button", name="Forget the key").click()
    await at_own_page(page, made, 0)
    await expect(page.get_by_text("Congratulations: you have won the tournament!")).to_be_visible()
    assert opened.problems == []
