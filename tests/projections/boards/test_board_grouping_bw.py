"""The table of Grouping Black & White, field by field, as each audience sees it."""

from random import Random
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.games.grouping_bw.actions import Fold, Peek, Raise
from domain.games.grouping_bw.options import Options
from domain.games.grouping_bw.rules import GAME
from projections.audience.disclosure import Viewer, may_see
from projections.boards.grouping_bw import BOARDS, Board
from tests.support.tables.game_table import Table
from tests.support.tables.grouping_bw_options import options
from tests.support.tables.grouping_bw_tables import (
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
