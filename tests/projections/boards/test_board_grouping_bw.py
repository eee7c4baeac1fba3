"""The table of Grouping Black & White, field by field, as each audience sees it."""

from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.game import Result
from domain.games.grouping_bw.actions import Call, Fold, Peek, Raise
from domain.games.grouping_bw.options import Options
from domain.games.grouping_bw.rules import GAME
from domain.match.events import MatchEnded
from projections.audience.disclosure import Viewer, may_see
from projections.boards.grouping_bw import BOARDS, Board
from tests.support.tables.game_table import Table
from tests.support.tables.grouping_bw_options import options
from tests.support.tables.grouping_bw_tables import (
    ABC,
    ASCENDING,
    DESCENDING,
    HIGH,
    LOW,
    dealt,
    draw,
    group,
    grouping,
    move,
    new,
)

MINE = {"a": [0, 1], "b": [2, 3, 4], "c": [5, 6, 7, 8]}
YOURS = {"a": [7, 8], "b": [4, 5, 6], "c": [0, 1, 2, 3]}


VIEWERS: tuple[Viewer, ...] = ("public", 0, 1, "moderator")
EVERY_VIEWER = pytest.mark.parametrize("viewer", VIEWERS)


def seen(table: Table, viewer: Viewer) -> dict[str, Any]:
    """The view as it is on the wire."""
    board = BOARDS.initial(table.options, 2, viewer)
    for event in table.events:
        if may_see(viewer, event):
            board = BOARDS.evolve(board, event, viewer, 0)
    view = msgspec.json.decode(msgspec.json.encode(BOARDS.show(board)))
    assert isinstance(view, dict)
    return view


def shows(table: Table, viewer: Viewer, **expected: Any) -> None:
    view = seen(table, viewer)
    named = {name.rstrip("_"): value for name, value in expected.items()}
    assert {name: view[name] for name in named} == named


# A stretch of play, step by step.


def test_before_the_first_set_all_is_empty() -> None:
    assert seen(new("final-match-2"), "public") == {
        "set": 1,
        "pass": 1,
        "round": 1,
        "phase": "name_starter",
        "ante": 1,
        "starter": None,
        "to_act": None,
        "stacks": [110, 100],
        "bets": [0, 0],
        "pot": 0,
        "colours": None,
        "history": [],
        "result": None,
    }


def test_before_the_first_set_a_seat_has_its_items_and_a_moderator_both() -> None:
    table = new("final-match-2")
    shows(table, 0, items=["bonus", "peek"], groups=None, told=[], order=None)
    shows(table, 1, items=["order"])
    both = [["bonus", "peek"], ["order"]]
    shows(table, "moderator", items_by_seat=both, groups_by_seat=[None, None])
    shows(table, "moderator", tiles=None, orders=None)


def test_an_order_shows_to_its_seat_for_the_pass_and_is_used() -> None:
    table = grouping(items=(("order",), ()), passes_per_set=2)
    table.act(0, group(ASCENDING, use_order=True))
    shows(table, 0, items=["order"], order=None)
    table.act(1, group(ASCENDING))
    shows(table, 0, items=[], order=None)
    shows(table, "moderator", items_by_seat=[[], []])
    draw(table, ASCENDING, ASCENDING)
    shows(table, 0, order=["a", "b", "c"])
    shows(table, 1, order=None)
    for _ in range(9):
        table.act(table.awaits.seats[0], Fold())
    shows(table, 0, order=None, pass_=2, phase="deal", round=1)
    draw(table, ASCENDING, ASCENDING)
    shows(table, 0, order=None)


def test_tiles_show_to_moderators_and_their_colours_to_all() -> None:
    table = dealt(HIGH, LOW)
    for viewer in VIEWERS:
        shows(table, viewer, phase="betting", colours=["black", "white"], to_act=0, starter=0)
        shows(table, viewer, bets=[1, 1], pot=2, stacks=[29, 29], ante=1)
    shows(table, "moderator", tiles=[list(HIGH), list(LOW)], orders=[list(ABC), list(ABC)])


def past(number: int, end: str, stacks: list[int], **more: Any) -> dict[str, Any]:
    row = {"folder": None, "numbers": None, "stacks": stacks, "folded_8": False, **more}
    return {"set": 1, "pass": 1, "round": number, "end": end, **row}


@EVERY_VIEWER
def test_the_history_has_every_round_with_the_numbers_that_were_shown(viewer: Viewer) -> None:
    table = dealt(HIGH, LOW, fold_8_penalty=8, chips=(12, 30)).act(0, Raise(3)).act(1, Call())
    table.act(0, Raise(1)).act(1, Fold())
    history = [
        past(1, "call", [16, 26], numbers=[6, 3]),
        past(2, "fold", [17, 25], folder=1),
    ]
    shows(table, viewer, history=history)


@EVERY_VIEWER
def test_an_8_that_was_folded_is_announced_where_it_costs(viewer: Viewer) -> None:
    row = (8, 0, 1, 2, 3, 4, 5, 6, 7)
    table = dealt(row, LOW, fold_8_penalty=8).act(0, Fold())
    shows(table, viewer, history=[past(1, "fold", [21, 31], folder=0, folded_8=True)])
    table = dealt(row, LOW).act(0, Fold())
    shows(table, viewer, history=[past(1, "fold", [29, 31], folder=0)])


@EVERY_VIEWER
def test_sudden_death_is_in_the_history_round_by_round(viewer: Viewer) -> None:
    table = grouping(chips=(5, 5), short_ante="lose", ante_increase_allowed=True, passes_per_set=1)
    for seat, row in enumerate((HIGH, HIGH)):
        table.act(seat, group(row, ante_increase=5))
    draw(table, HIGH, HIGH)
    shows(table, viewer, set=1, pass_=2, round=1, phase="deal", to_act=None, colours=None)
    draw(table, HIGH, (6, 1, 2, 0, 3, 4, 5, 7, 8))
    history = [past(n + 1, "sudden_death", [5, 5], numbers=[HIGH[n]] * 2) for n in range(9)]
    second = [(6, 6), (1, 1), (0, 2)]
    history += [
        past(n + 1, "sudden_death", [5, 5], numbers=list(shown)) | {"pass": 2}
        for n, shown in enumerate(second)
    ]
    shows(table, viewer, history=history, phase="over", pass_=2, round=3, bets=[0, 0], pot=0)


def test_the_numbers_of_a_fold_and_a_peek_show_to_their_seat_alone() -> None:
    table = dealt(HIGH, LOW, items=(("peek",), ("peek",))).act(1, Peek())
    table.act(0, Raise(1)).act(1, Fold()).act(0, Peek())
    at = {"set": 1, "pass": 1}
    shows(
        table,
        1,
        told=[{**at, "round": 1, "number": 6, "by": by} for by in ("peek", "fold")],
        items=[],
    )
    shows(table, 0, told=[{**at, "round": 2, "number": 1, "by": "peek"}], items=[])
    shows(table, "moderator", items_by_seat=[[], []])
    assert "6" not in repr(seen(table, "public")["history"])


def test_an_own_tile_shows_to_its_seat_for_the_round() -> None:
    table = grouping(own_tile_visible=True)
    shows(table, 0, own_tile=None)
    table.act(0, group(HIGH)).act(1, group(LOW))
    draw(table, HIGH, LOW)
    shows(table, 0, own_tile=6)
    shows(table, 1, own_tile=3)
    table.act(0, Fold())
    shows(table, 0, own_tile=1)
    for _ in range(8):
        table.act(table.awaits.seats[0], Fold())
    shows(table, 0, own_tile=None, phase="deal")


def test_a_new_set_clears_the_table_and_keeps_groups_and_history() -> None:
    table = dealt(ASCENDING, DESCENDING, passes_per_set=1)
    for _ in range(9):
        table.act(table.awaits.seats[0], Fold())
    for viewer in VIEWERS:
        shows(table, viewer, set=2, pass_=1, round=1, phase="grouping", ante=2, to_act=None)
        shows(table, viewer, bets=[0, 0], pot=0, colours=None, starter=table.state.starter)
        assert len(seen(table, viewer)["history"]) == 9
    shows(table, 0, groups=MINE)
    shows(table, "moderator", groups_by_seat=[MINE, YOURS], tiles=None, orders=None)


def test_the_end_of_the_match_brings_the_result() -> None:
    table = dealt(HIGH, LOW, chips=(30, 6)).act(0, Raise(5)).act(1, Call())
    for viewer in VIEWERS:
        shows(table, viewer, phase="over", to_act=None, result=None, stacks=[36, 0])
    table.given(MatchEnded(Result((0,), (1,), False, (36, 0))))
    result = {"winners": [0], "losers": [1], "shared": False, "scores": [36, 0]}
    for viewer in VIEWERS:
        shows(table, viewer, phase="over", to_act=None, result=result)


# What must hold at every step of any match.


@settings(max_examples=30, deadline=None)
@given(options(), st.integers(0, 2**32).map(Random))
def test_every_view_agrees_with_the_table_at_every_step(chosen: Options, rng: Random) -> None:
    table = Table(GAME, 2, chosen)
    boards = {viewer: BOARDS.initial(chosen, 2, viewer) for viewer in VIEWERS}
    shown: dict[Viewer, Board] = {}
    while table.result is None:
        move(table, rng)
        for viewer in VIEWERS:
            for event in table.new:
                if may_see(viewer, event):
                    boards[viewer] = BOARDS.evolve(boards[viewer], event, viewer, 0)
            shown[viewer] = BOARDS.show(boards[viewer])
            agrees(shown[viewer], table)
        for seat in (0, 1):
            board, state = shown[seat], table.state
            assert board.items == state.items[seat]
            assert board.groups == standing(table, seat)
            if board.own_tile is not msgspec.UNSET and state.phase == "betting":
                assert board.own_tile == state.numbers[seat]
        assert shown["moderator"].items_by_seat == table.state.items
        assert (shown["moderator"].tiles or ((), ())) == table.state.tiles


def standing(table: Table, seat: int) -> Any:
    said = table.state.standing.standing[seat]
    return table.state.groups[seat] if said is None else said.groups


def agrees(board: Board, table: Table) -> None:
    state = table.state
    assert (board.set, board.pass_, board.round) == (state.set, state.pass_, state.round)
    assert (board.phase, board.to_act, board.ante) == (state.phase, state.to_act, state.ante)
    assert (board.stacks, board.bets, board.pot) == (state.stacks, state.bets, sum(state.bets))
    assert board.starter == (None if state.phase == "name_starter" else state.starter)
    assert (board.colours is None) == (state.phase in ("name_starter", "grouping", "deal"))
