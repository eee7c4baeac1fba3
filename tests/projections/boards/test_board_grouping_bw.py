"""The table of Grouping Black & White, field by field, as each audience sees it."""

from random import Random
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.games.grouping_bw.options import Options
from domain.games.grouping_bw.rules import GAME
from projections.audience.disclosure import Viewer, may_see
from projections.boards.grouping_bw import BOARDS, Board
from tests.support.tables.game_table import Table
from tests.support.tables.grouping_bw_options import options

VIEWERS: tuple[Viewer, ...] = ("public", 0, 1, "moderator")


# A stretch of play, step by step.


# What must hold at every step of any match.


@settings(max_examples=30, deadline=None)
@given(options(), st.integers(0, 2**32).map(Random))
def test_every_view_agrees_with_the_table_at_every_step(chosen: Options, rng: Random) -> None:
    table = Table(GAME, 2, chosen)
    boards = {viewer: BOARDS.initial(chosen, 2, viewer) for viewer in VIEWERS}
    shown: dict[Viewer, Board] = {}
    while table.result is None:
        table.move(rng, 0.05)
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
