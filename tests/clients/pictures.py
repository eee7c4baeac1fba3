"""Takes the pictures of the pages, and the card of links: `make pictures`.

Chance is entered by hand and the clock stands still, so the boards show the same positions each
time. The audited match and those of the tournament are played by the chance of the server.
"""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from playwright.async_api import Browser, Page, expect

from domain.games import GAMES
from tests.support.browser.chromium import Tab, chromium
from tests.support.browser.playing_tabs import PHONE, take_seat
from tests.support.browser.table_tab import open_table, tap
from tests.support.games import fewest
from tests.support.http.invitations import invited
from tests.support.http.match_play import play_out, step
from tests.support.http.rewind_client import awaiting_draw
from tests.support.http.ruling_client import ruled
from tests.support.http.tournament_client import LiveCup, cup, publish, shown_round, staged
from tests.support.instants import NOON
from tests.support.repository import ROOT
from tests.support.servers.live_server import Live, LiveMatch, Player, serving
from tests.support.virtual_clock import VirtualClock
from tests.support.waiting import wait_until

PICTURES = ROOT / "clients/pages/pictures"
CARD = PICTURES / "card.svg"

STEPS = 24
"""How many steps the matches that are running have gone, if they were not over before."""

PEOPLE = ("Ann", "Ben", "Cy", "Dee", "Eve", "Fay", "Gus", "Hal")

WIDE = (1280, 860)
TALL = (1280, 1100)
NARROW = (PHONE["width"], PHONE["height"])


class Picture(NamedTuple):
    """A picture of a page that `open` opens, in a size in pixels."""

    name: str
    open: Callable[[Page], Awaitable[object]]
    size: tuple[int, int] = WIDE
    scheme: Literal["light", "dark"] = "light"


def played(live: Live) -> Iterator[Picture]:
    """Plays matches and a tournament, and says which pictures there are."""
    spring = tournament(live)
    matches = {game: begun(live, game) for game in GAMES}
    over = live.started("twelve-chips", options={"tokens_to_win": 1})
    play_out(over)
    entered = live.started("dollar-prize", ("Fay", "Gus"), chance="manual")
    awaiting_draw(entered)
    yield Picture("lobby", lambda page: page.goto(live.url))
    yield Picture("match", lambda page: watch(page, live, matches["dollar-prize"]), TALL)
    yield Picture("phone", lambda page: watch(page, live, matches["twelve-chips"]), NARROW, "dark")
    yield Picture("play", lambda page: play(page, begun(live, "liars-dice", 4)), NARROW)
    yield Picture("table", lambda page: enter(page, live, entered))
    yield Picture("audit", lambda page: judge(page, live, over))
    yield Picture("tournament", lambda page: bracket(page, live, spring), TALL)


def begun(live: Live, game: str, most: int = STEPS) -> LiveMatch:
    """A match of this game, some steps in."""
    match = live.started(game, fewest(game), chance="manual")
    for _ in range(most):
        if step(match) is None:
            break
    return match


def tournament(live: Live) -> LiveCup:
    """A knockout in its second round."""
    made = cup(live, name="Spring Cup", players=PEOPLE, moderators=["Mo"])
    match = {"game": "twelve-chips", "rulings": "single"}
    settings = {"format": "elimination", "third_place": True, "seeding": "entry"}
    stage = staged(
        made, published=False, name="Knockout", match=match, round={"start": "at_once"}, **settings
    )
    publish(made, stage)
    for number, pairing in enumerate(shown_round(made, stage)["pairings"]):
        first = number % 3 != 1
        result = {
            "winners": [int(not first)],
            "losers": [int(first)],
            "shared": False,
            "scores": [3, number % 2] if first else [1, 3],
        }
        played = Player(live.organiser, pairing["matches"][0])
        wait_until(partial(is_running, played))
        ruled(played, "result", result=result, because="adjudicated")
    wait_until(lambda: shown_round(made, stage)["status"] == "closed")
    publish(made, stage)
    return made


def is_running(match: Player) -> bool:
    """Whether a match has been started, as those of a published round are."""
    return bool(match.view().json()["status"] == "running")


async def watch(page: Page, live: Live, match: LiveMatch) -> None:
    """The match as everyone sees it, with its board."""
    await page.goto(f"{live.url}/m/{match.id}")
    await page.get_by_role("slider").wait_for()


async def play(page: Page, match: LiveMatch) -> None:
    """The page of the seat that the match waits for."""
    seen = match.moderator.view().json()
    while not seen["awaiting"]["seats"]:
        seen = step(match)
        assert seen is not None, "the match is over"
    seat = seen["awaiting"]["seats"][0]
    await take_seat(Tab(page), invited(match, seat)["link"])


async def enter(page: Page, live: Live, match: LiveMatch) -> None:
    """The table, while its moderator enters coins."""
    await open_table(page, live, match.id, match.moderator_key)
    await tap(page, "heads", "tails", "heads")


async def bracket(page: Page, live: Live, made: LiveCup) -> None:
    """The page of a knockout, as its script draws it."""
    await page.goto(f"{live.url}/t/{made.id}")
    await expect(page.locator(".bracket")).to_be_visible()


async def judge(page: Page, live: Live, match: LiveMatch) -> None:
    """The audit of a match that is over, with the verdict on it."""
    await page.goto(f"{live.url}/m/{match.id}/audit")
    await expect(page.get_by_text("✓ Evidence holds", exact=True)).to_be_visible()
    await page.get_by_text("What was judged").click()


async def take(browser: Browser, picture: Picture) -> None:
    """Takes one picture, once nothing is loaded any more and scripts have drawn what they draw."""
    width, height = picture.size
    context = await browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme=picture.scheme,
        reduced_motion="reduce",
        locale="en-GB",
        timezone_id="Europe/Berlin",
    )
    page = await context.new_page()
    await picture.open(page)
    await page.wait_for_load_state("load")
    await page.evaluate("document.fonts.ready")
    await page.screenshot(path=PICTURES / f"{picture.name}.png", animations="disabled")
    await context.close()


async def draw_card(browser: Browser) -> None:
    """Draws the card from its source, in the size that it says."""
    page = await browser.new_page(viewport={"width": 1200, "height": 630})
    await page.goto(CARD.as_uri())
    await page.screenshot(path=ROOT / "service/web/pages/card.png")


async def take_all() -> None:
    with tempfile.TemporaryDirectory() as data, serving(Path(data), VirtualClock(NOON)) as live:
        pictures = await asyncio.to_thread(lambda: list(played(live)))
        async with chromium() as browser:
            for picture in pictures:
                await take(browser, picture)
            await draw_card(browser)


if __name__ == "__main__":
    asyncio.run(take_all())
