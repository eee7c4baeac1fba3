"""The table of 12 Chips, field by field, as each audience sees it."""

from random import Random

import pytest

from projections.audience.disclosure import Viewer, may_see
from projections.boards.twelve_chips import BOARDS, Board
from tests.support.tables.game_table import Table
from tests.support.tables.twelve_chips_tables import SEATS, new

# A stretch of play, step by step.


# What must hold at every step of any match.


@pytest.mark.parametrize("seats", SEATS)
def test_every_view_agrees_with_the_table_at_every_step(seats: int) -> None:
    rng, table = Random(seats), new(seats, hand_colours_public=True, tokens_to_win=2)
    viewers: tuple[Viewer, ...] = ("public", "moderator", *range(seats))
    boards = {viewer: BOARDS.initial(table.options, seats, viewer) for viewer in viewers}
    while table.result is None:
        table.move(rng)
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
