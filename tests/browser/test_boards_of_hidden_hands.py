"""The boards of Grouping Black & White, Liar's Dice and Together We Survive, drawn from views."""

import json
import re
from functools import cache
from random import Random
from typing import Any, NamedTuple

import msgspec
import pytest
from playwright.async_api import Locator, Page, expect

from domain.games import GAMES
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from tests.browser.board_page import lines_to, open_board, shown_to
from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.game_support import Json
from tests.support.tables.directing import START
from tests.support.tables.game_strategies import step
from tests.support.tables.match_table import MatchTable, seated

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]

WIDTHS = (360, 768, 1280, 1920)
UNREADABLE = re.compile(r"undefined|null|NaN|\[object")
MOST_RECORDS = 160


class Played(NamedTuple):
    """A random match: of which game, by how many, and with which options."""

    game: str
    seats: int
    options: str = "{}"


DEATH_MATCH = Played("grouping-bw", 2)
FINAL = Played("grouping-bw", 2, '{"variant": "final-match-2", "own_tile_visible": true}')
DICE = Played("liars-dice", 4, '{"dice": 2}')
EXACT_DICE = Played("liars-dice", 6, '{"exact_call": true, "dice": 6}')
TOGETHER = Played("together", 6)
LARGE_TOGETHER = Played("together", 32, '{"reveal_vote_counts": "both"}')
EVERY_MATCH = pytest.mark.parametrize(
    "played", [DEATH_MATCH, FINAL, DICE, EXACT_DICE, TOGETHER, LARGE_TOGETHER]
)


@cache
def table(played: Played) -> MatchTable:
    """The match at its end, or after many events."""
    game, rng = GAMES[played.game], Random(1)
    options = msgspec.json.decode(played.options, type=game.Options)
    played_on = seated(game, played.seats, options, chance="server", clock="rules").when(START)
    while played_on.match.status == "running" and len(played_on.records) < MOST_RECORDS:
        step(played_on, rng)
    return played_on


@cache
def shown_of(played: Played, viewer: Viewer) -> list[Json]:
    """What the board is given, position by position."""
    return shown_to(viewer, table(played))


def last_where(found: list[Json], **fields: Any) -> Json:
    """The last position at which the view has these."""
    return next(one for one in reversed(found) if fields.items() <= one["view"].items())


async def drawn(opened: Tab, played: Played, shown: Json) -> Page:
    await open_board(opened.page, played.game)
    await redrawn(opened.page, shown)
    return opened.page


async def redrawn(page: Page, shown: Json) -> None:
    await page.evaluate("shown => draw(shown)", shown)


@EVERY_MATCH
async def test_every_position_is_drawn_for_every_audience(opened: Tab, played: Played) -> None:
    await open_board(opened.page, played.game, "de")
    for viewer in (PUBLIC_VIEWER, MODERATOR, 0, played.seats - 1):
        shown = shown_of(played, viewer)
        assert len(shown) > 5
        script = "all => drawAll(all, '#drawn > div')"
        for (text,) in json.loads(await opened.page.evaluate(script, json.dumps(shown))):
            assert text and not UNREADABLE.search(text), text
    assert opened.problems == []


@pytest.mark.parametrize("played", [FINAL, DICE, LARGE_TOGETHER])
async def test_everybody_can_read_a_board_at_every_width(opened: Tab, played: Played) -> None:
    found = [shown_of(played, viewer) for viewer in (0, MODERATOR)]
    some = json.dumps([*found[0][::25], *found[1][::25]])
    await open_board(opened.page, played.game, "de")
    for width in WIDTHS:
        await opened.page.set_viewport_size({"width": width, "height": 900})
        await unfolded(opened.page, found[0][-1])
        assert await opened.page.evaluate("all => beyond(all)", some) <= 0, width
    await opened.page.set_viewport_size({"width": WIDTHS[0], "height": 900})
    own, everything = (shown[len(shown) // 2] for shown in found)
    await unfolded(opened.page, own)
    assert await opened.barriers() == []
    await unfolded(opened.page, everything)
    assert await opened.barriers_within("#drawn") == []


async def unfolded(page: Page, shown: Json) -> None:
    """Draws it, and opens everything that is folded."""
    await redrawn(page, shown)
    await page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")


async def test_dice_lie_under_cups_but_for_those_who_may_see_them(opened: Tab) -> None:
    bidding = {"phase": "bidding", "last_round": None}
    page = await drawn(opened, DICE, last_where(shown_of(DICE, PUBLIC_VIEWER), **bidding))
    private = page.get_by_role("group", name="Hidden from the other players")
    await expect(page.get_by_role("img", name="Dice under a cup")).to_have_count(4)
    await expect(private).to_have_count(0)
    own = last_where(shown_of(DICE, 1), **bidding)
    await redrawn(page, own)
    faces = await labels(private.get_by_role("img"))
    assert [int(face or "") for face in faces] == own["view"]["dice"]


async def test_a_call_lifts_all_cups_and_marks_what_matched(opened: Tab) -> None:
    over = shown_of(DICE, PUBLIC_VIEWER)[-1]
    call = over["view"]["last_round"]
    page = await drawn(opened, DICE, over)
    await expect(page.locator(".cup .die")).to_have_count(sum(map(len, call["dice"])))
    await expect(page.locator(".cup .die-matches")).to_have_count(call["matching"])
    await expect(page.get_by_text("has the last dice and wins")).to_be_visible()


@pytest.mark.parametrize(("viewer", "known"), [(PUBLIC_VIEWER, 0), (0, 0), (MODERATOR, 9)])
async def test_tiles_lie_face_down_for_their_owners_too(
    opened: Tab, viewer: Viewer, known: int
) -> None:
    found = shown_of(DEATH_MATCH, viewer)
    first = last_where(found, phase="betting", round=1, to_act=0)
    page = await drawn(opened, DEATH_MATCH, first)
    tiles = page.get_by_role("region", name="Ann").locator(".tile")
    numbers = [text for text in await tiles.all_inner_texts() if text.isdigit()]
    assert len(numbers) == known
    colour, *_ = first["view"]["colours"]
    number = f"{colour} {numbers[0]}" if numbers else f"{colour}, number hidden"
    assert (await labels(tiles))[0] == number


async def test_a_number_that_only_one_seat_was_told_is_marked(opened: Tab) -> None:
    found = shown_of(DEATH_MATCH, 0)
    told = next(one for one in found[1:] if len(one["view"]["told"]) > len(one["before"]["told"]))
    page = await drawn(opened, DEATH_MATCH, told)
    tile = page.get_by_role("region", name="Ben").locator(".tile-private")
    await expect(tile).to_have_text(str(told["view"]["told"][-1]["number"]))


async def test_what_the_last_step_changed_is_marked(opened: Tab) -> None:
    found = shown_of(DEATH_MATCH, PUBLIC_VIEWER)
    raised = next(one for one in found[1:] if one["view"]["bets"] > one["before"]["bets"] > [0, 0])
    page = await drawn(opened, DEATH_MATCH, raised)
    marked = page.locator(".changed")
    assert "Pot" in " ".join(await marked.all_inner_texts())
    await redrawn(page, raised | {"before": None})
    await expect(marked).to_have_count(0)


async def test_who_was_voted_off_stands_beside_the_stage(opened: Tab) -> None:
    found = shown_of(TOGETHER, PUBLIC_VIEWER)
    page = await drawn(opened, TOGETHER, found[0])
    await expect(page.locator(".stage .player")).to_have_count(3)
    await expect(page.get_by_role("img", name="tokens hidden until the end")).to_have_count(3)
    await redrawn(page, found[-1])
    await expect(page.locator(".stage .player")).to_have_count(0)
    await expect(page.locator(".gone .player")).to_have_count(3)
    await expect(page.locator(".tokens-hidden")).to_have_count(0)


# The course of a match.


async def course(opened: Tab, played: Played, shown: Json) -> Any:
    await open_board(opened.page, played.game)
    given = json.dumps(shown | {"lines": lines_to(PUBLIC_VIEWER, table(played))})
    return await opened.page.evaluate("shown => course(JSON.parse(shown))", given)


async def test_chips_are_counted_after_each_round(opened: Tab) -> None:
    first, *_, last = shown_of(DEATH_MATCH, PUBLIC_VIEWER)
    assert await course(opened, DEATH_MATCH, first) is None
    chart = await course(opened, DEATH_MATCH, last)
    stacks = [one["stacks"] for one in last["view"]["history"]]
    assert [line["y"] for line in chart["lines"]] == [
        [one[seat] for one in stacks] for seat in (0, 1)
    ]


async def test_dice_are_counted_after_each_round(opened: Tab) -> None:
    last = shown_of(DICE, PUBLIC_VIEWER)[-1]
    chart = await course(opened, DICE, last)
    assert chart["x"] == list(range(1, last["view"]["round"] + 1))
    assert [line["y"][-1] for line in chart["lines"]] == last["view"]["dice_left"]


async def test_votes_are_counted_in_each_round(opened: Tab) -> None:
    last = shown_of(LARGE_TOGETHER, PUBLIC_VIEWER)[-1]
    chart = await course(opened, LARGE_TOGETHER, last)
    votes = last["view"]["votes"]
    assert chart["x"] == [one["round"] for one in votes]
    for line in chart["lines"]:
        type_ = "a" if last["view"]["groups"][line["seat"]] == "A" else "b"
        assert line["y"] == [one[type_][line["seat"]] for one in votes]


async def labels(elements: Locator) -> list[str | None]:
    """What a screen reader says of each."""
    found: list[str | None] = await elements.evaluate_all(
        "all => all.map(one => one.getAttribute('aria-label'))"
    )
    return found
