"""The table of 12 Chips, field by field, as each audience sees it."""

from random import Random
from typing import Any

import msgspec
import pytest

from projections.audience.disclosure import Viewer, may_see
from projections.boards.twelve_chips import BOARDS, Board
from tests.support.tables.game_table import Table
from tests.support.tables.twelve_chips_tables import (
    SEATS,
    deal,
    dealt,
    move,
    new,
    play_round_keeping_hands,
)


def seen(table: Table, viewer: Viewer) -> dict[str, Any]:
    """The view as it is on the wire."""
    board = BOARDS.initial(table.options, table.state.seats, viewer)
    for event in table.events:
        if may_see(viewer, event):
            board = BOARDS.evolve(board, event, viewer, 0)
    view = msgspec.json.decode(msgspec.json.encode(board))
    assert isinstance(view, dict)
    return view


def shows(table: Table, viewer: Viewer, **expected: Any) -> None:
    view = seen(table, viewer)
    assert {name: view[name] for name in expected} == expected


def of_two() -> Table:
    return dealt((1, 2, 4, 5), (3, 10, 11, 12))


# A stretch of play, step by step.


def test_a_scored_round_shows_all_chips_and_the_next_deal_begins() -> None:
    table = play_round_keeping_hands(of_two())
    last = {"chips": [[1, 2, 4, 5], [3, 10, 11, 12]], "sums": [12, 36], "winners": [0]}
    for viewer in ("public", "moderator"):
        shows(table, viewer, last_round=last, tokens=[1, 0], round=2, trick=1, phase="deal")
        shows(table, viewer, fronts=[[], []], hand_sizes=[0, 0], starter=1, to_act=None)
    shows(table, 0, hand=[], last_round=last)
    shows(table, "moderator", hands=[[], []], undealt=[])
    deal(table, (2, 3, 4, 5), (1, 10, 11, 12))
    shows(table, 0, hand=[2, 3, 4, 5], last_round=last, to_act=1)


# What must hold at every step of any match.


@pytest.mark.parametrize("seats", SEATS)
def test_every_view_agrees_with_the_table_at_every_step(seats: int) -> None:
    rng, table = Random(seats), new(seats, hand_colours_public=True, tokens_to_win=2)
    viewers: tuple[Viewer, ...] = ("public", "moderator", *range(seats))
    boards = {viewer: BOARDS.initial(table.options, seats, viewer) for viewer in viewers}
    while table.result is None:
        move(table, rng)
        for viewer in viewers:
            for event in table.new:
                if may_see(viewer, event):
                    boards[viewer] = BOARDS.evolve(boards[viewer], event, viewer, 0)
            agrees(boards[viewer], table)
        for seat in range(seats):
            assert boards[seat].hand == tuple(sorted(table.state.hands[seat]))
        assert boards["moderator"].hands == tuple(tuple(sorted(h)) for h in table.state.hands)


def agrees(board: Board, table: Table) -> None:
    state = table.state
    assert (board.round, board.trick, board.starter) == (state.round, state.trick, state.starter)
    assert (board.tokens, board.fronts) == (state.tokens, state.fronts)
    assert board.hand_sizes == tuple(map(len, state.hands))
    assert tuple(played.chip for played in board.centre) == state.centre
    assert board.hand_colours == tuple(
        tuple(sorted("red" if 4 <= chip <= 9 else "blue" for chip in hand)) for hand in state.hands
    )
    if state.phase != "over":
        assert (board.phase, board.to_act) == (state.phase, state.to_act)
