"""The boards of Dollar Prize and 12 Chips: every position of random matches, as each audience sees
it, drawn in a real browser."""

import json
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec
import pytest
from playwright.async_api import expect

from domain.games.dollar_prize.coins import VALUE
from domain.games.twelve_chips.chips import HAND, chips_for
from domain.match.live import undone
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, audiences
from projections.audience.view import see_live, view
from tests.browser.board_page import lines_to, open_board, shown_to
from tests.browser.page_checks import has_room
from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.game_support import Json
from tests.support.tables.match_table import MATCH, MatchTable
from tests.support.tables.own_events import own_events, own_positions
from tests.support.tables.random_walk import walk
from tests.support.tables.rewinding_tables import rewound_walk

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]

TABLES = [("dollar-prize", 2, 5), ("twelve-chips", 2, 3), ("twelve-chips", 4, 20)]
"""Matches by game, seats and luck. In the first one a line has 45 coins."""

WIDTHS = (360, 768, 1280, 1920)
DRAW_ALL = "([all, selector]) => drawAll(all, selector)"


@cache
def played(game: str, seats: int, luck: int) -> MatchTable:
    """A match at its end."""
    *_, last = walk(game, seats, luck)
    return last


def coins(view: Json, viewer: Viewer) -> list[str]:
    return [f"{VALUE[coin]}¢" for line in view["lines"] for coin in line]


def chips(view: Json, viewer: Viewer) -> list[str]:
    """The numbers that the audience knows; nothing is written on what lies face down."""
    hands = [[""] * size for size in view["hand_sizes"]]
    if view["phase"] in ("play", "take"):
        hands.append([""] * max(0, len(chips_for(2)) - HAND * len(view["fronts"])))
    if isinstance(viewer, int):
        hands[viewer] = view["hand"]
    if viewer == MODERATOR:
        hands = [*view["hands"], view["undealt"]]
    if view["phase"] == "over":
        opened = zip(view["last_round"]["chips"], view["fronts"], strict=True)
        left = [[*(Counter(all_) - Counter(front)).elements()] for all_, front in opened]
        hands = [*left, view.get("undealt", [])]
    centre = [played["chip"] for played in view["centre"]]
    return [str(chip) for some in (*hands, *view["fronts"], centre) for chip in some]


DRAWN: dict[str, tuple[str, Callable[[Json, Viewer], list[str]]]] = {
    "dollar-prize": (".line .coin:not([data-gone=true])", coins),
    "twelve-chips": (":is(.table, .aside) .chip:not([data-empty])", chips),
}
"""What shows a coin or a chip, and what has to be shown of a view."""


@pytest.mark.parametrize(("game", "seats", "luck"), TABLES)
async def test_every_position_is_drawn_as_its_audience_sees_it(
    opened: Tab, game: str, seats: int, luck: int
) -> None:
    table = played(game, seats, luck)
    selector, expected = DRAWN[game]
    await open_board(opened.page, game)
    for viewer in audiences(table.match.created):
        shown = shown_to(viewer, table)
        drawn = await opened.page.evaluate(DRAW_ALL, [json.dumps(shown), selector])
        for one, texts in zip(shown, json.loads(drawn), strict=True):
            assert sorted(texts) == sorted(expected(one["view"], viewer)), one
    assert opened.problems == []


@pytest.mark.parametrize(("game", "seats", "luck"), TABLES)
async def test_everybody_can_read_a_board_at_every_width(
    opened: Tab, game: str, seats: int, luck: int
) -> None:
    table = played(game, seats, luck)
    shown = shown_to(1, table)[::10] + shown_to(MODERATOR, table)[-1:]
    await open_board(opened.page, game, "de")
    for width in WIDTHS:
        await opened.page.set_viewport_size({"width": width, "height": 900})
        assert await opened.page.evaluate("all => beyond(all)", json.dumps(shown)) <= 0, width
    await opened.page.set_viewport_size({"width": WIDTHS[0], "height": 900})
    assert await opened.barriers() == []
    await opened.page.evaluate("shown => draw(shown)", shown[len(shown) // 2])
    assert await opened.barriers() == []
    assert opened.problems == []


async def test_long_names_stay_whole_beside_the_last_round(opened: Tab) -> None:
    shown = shown_to(PUBLIC_VIEWER, played("twelve-chips", 4, 20))[-1]
    assert shown["view"]["last_round"] is not None
    names = ["Maximiliane-Charlotte", "Bartholomäus", "Wolfeschlegelsteiner", "Konstantinos"]
    await open_board(opened.page, "twelve-chips", "de")
    await opened.page.set_viewport_size({"width": WIDTHS[0], "height": 900})
    await opened.page.evaluate("shown => draw(shown)", shown | {"seats": names})
    await has_room(opened.page)


async def test_a_coin_that_was_put_is_marked(opened: Tab) -> None:
    shown = shown_to(PUBLIC_VIEWER, played("dollar-prize", 2, 5))
    placed = next(one for one in shown if one["view"]["placed"] and not one["before"]["placed"])
    seat = placed["view"]["to_act"]
    await open_board(opened.page, "dollar-prize")
    await opened.page.evaluate("shown => draw(shown)", placed)
    side = opened.page.locator(f".side[data-seat='{seat}']")
    await expect(side.locator(".coin[data-new=true]")).to_have_count(1)
    await expect(side.locator(".equal[data-changed=true]")).to_contain_text("+1")
    await expect(opened.page.locator(".coin[data-new=true]")).to_have_count(1)


async def test_a_hand_is_shown_to_its_seat_as_its_own_alone(opened: Tab) -> None:
    table = played("twelve-chips", 4, 20)
    await open_board(opened.page, "twelve-chips")
    third = opened.page.locator(".place[data-place='2']")
    note = third.get_by_text("Hidden from the other players")
    for viewer, times in ((2, 1), (PUBLIC_VIEWER, 0), (1, 0)):
        shown = next(one for one in shown_to(viewer, table) if one["view"]["trick"] == 2)
        await opened.page.evaluate("shown => draw(shown)", shown)
        await expect(note).to_have_count(times)
    moved = next(one for one in shown_to(2, table) if len(one["view"]["centre"]) == 1)
    await opened.page.evaluate("shown => draw(shown)", moved)
    await expect(opened.page.locator(".centre .chip[data-new=true]")).to_have_count(1)


async def test_the_end_of_a_round_is_said_at_the_top_until_the_next_trick(opened: Tab) -> None:
    await open_board(opened.page, "twelve-chips")
    said = opened.page.locator(".round-over")
    for one in shown_to(PUBLIC_VIEWER, played("twelve-chips", 2, 3)):
        view = one["view"]
        if view["last_round"] is None or (view["trick"] > 1 and view["phase"] != "over"):
            continue
        await opened.page.evaluate("shown => draw(shown)", one)
        number = view["round"] - (view["phase"] != "over")
        await expect(said).to_contain_text(f"round {number}: Ann {view['last_round']['sums'][0]}")
    await expect(opened.page.get_by_text("face down")).to_have_count(0)


@pytest.mark.parametrize(
    ("game", "seats", "said"),
    [("liars-dice", 2, "did not believe"), ("grouping-bw", 2, " wins "), ("together", 6, "voted")],
)
async def test_what_came_of_a_round_is_said_in_one_line_above_the_board(
    opened: Tab, game: str, seats: int, said: str
) -> None:
    await open_board(opened.page, game)
    line, lines = opened.page.locator(".round-over"), set[str]()
    for one in shown_to(PUBLIC_VIEWER, played(game, seats, 1)):
        await opened.page.evaluate("shown => draw(shown)", one)
        lines |= {*await line.all_inner_texts()}
    assert [one for one in lines if said in one], lines
    assert opened.problems == []


# The course of a match.


async def test_totals_are_counted_after_each_round(opened: Tab) -> None:
    table = played("dollar-prize", 2, 5)
    shown = shown_to(PUBLIC_VIEWER, table)
    after = {one["before"]["round"]: one["before"]["totals"] for one in shown[1:]}
    after[shown[-1]["view"]["round"]] = shown[-1]["view"]["totals"]
    course = await drawn_course(opened, table, shown[-1], lines_to(PUBLIC_VIEWER, table))
    assert course["x"] == sorted(after)
    assert [line["y"] for line in course["lines"]] == [
        [after[n][seat] for n in course["x"]] for seat in (0, 1)
    ]


@pytest.mark.parametrize(
    ("game", "luck"), [("dollar-prize", 2), ("dollar-prize", 16), ("twelve-chips", 5)]
)
async def test_what_was_undone_is_not_counted(opened: Tab, game: str, luck: int) -> None:
    *_, table = rewound_walk(game, 2, luck, length=120)
    events = [record.event for record in table.records]
    positions = own_positions(PUBLIC_VIEWER, events)
    records = [table.records[position - 1] for position in positions]
    last = view(MATCH, game, see_live(PUBLIC_VIEWER, positions, records))
    lines = lines_to(PUBLIC_VIEWER, table)
    gone = undone(own_events(PUBLIC_VIEWER, table.records), table.game.sealed_phase)
    left = [one for one in lines if one["seq"] not in gone and "rewound" not in one["type"]]
    assert len(left) < len(lines)
    shown = msgspec.json.decode(msgspec.json.encode(last))
    course = await drawn_course(opened, table, shown, lines)
    assert len(course["x"]) > 2
    assert course == await drawn_course(opened, table, shown, left)


async def drawn_course(opened: Tab, table: MatchTable, shown: Json, lines: list[Any]) -> Any:
    """The lines of the chart at a position."""
    await open_board(opened.page, table.game.id)
    given = json.dumps(shown | {"lines": lines})
    return await opened.page.evaluate("shown => course(JSON.parse(shown))", given)
