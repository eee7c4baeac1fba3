"""Invariants of the boards of Grouping Black & White at every step of any match."""

from random import Random
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.games.grouping_bw.events import NumberTold, OrderTold, OwnTileTold, TilesLaid
from domain.games.grouping_bw.options import Options
from domain.games.grouping_bw.rules import GAME
from domain.match_events import ActionRefused, AwaitingChanged, MatchStarted
from projections.boards.grouping_bw import BOARDS, Board
from projections.disclosure import Viewer, may_see
from tests.support.tables.game_table import Table
from tests.support.tables.grouping_bw_boards import (
    EVERY_VIEWER,
    PUBLIC_FIELDS,
    VIEWERS,
    folded,
    wire,
)
from tests.support.tables.grouping_bw_options import options
from tests.support.tables.grouping_bw_tables import move, new, play_out


@settings(max_examples=30, deadline=None)
@given(options(), st.integers(0, 2**32).map(Random))
def test_every_view_agrees_with_the_table_at_every_step(chosen: Options, rng: Random) -> None:
    table = Table(GAME, 2, chosen)
    boards = {viewer: BOARDS.initial(chosen, 2, viewer) for viewer in VIEWERS}
    while table.result is None:
        move(table, rng)
        for viewer in VIEWERS:
            for event in table.new:
                if may_see(viewer, event):
                    boards[viewer] = BOARDS.evolve(boards[viewer], event, viewer, 0)
            agrees(boards[viewer], table)
        for seat in (0, 1):
            board, state = boards[seat], table.state
            assert board.items == state.items[seat]
            assert board.groups == standing(table, seat)
            if board.own_tile is not msgspec.UNSET and state.phase == "betting":
                assert board.own_tile == state.numbers[seat]
        assert boards["moderator"].items_by_seat == table.state.items
        assert (boards["moderator"].tiles or ((), ())) == table.state.tiles


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


def test_the_public_fields_are_the_same_for_every_audience() -> None:
    table = play_out(new("final-match-2"), Random(11))
    for cut in range(len(table.events)):
        views = [wire(folded(table, viewer, table.events[:cut])) for viewer in VIEWERS]
        common = [[view[name] for name in PUBLIC_FIELDS] for view in views]
        assert all(fields == common[0] for fields in common)


def test_the_public_board_never_receives_a_hidden_event() -> None:
    table = play_out(new("final-match-2", own_tile_visible=True), Random(11))
    hidden = (TilesLaid, NumberTold, OrderTold, OwnTileTold)
    assert any(isinstance(event, hidden) for event in table.events)
    assert not any(isinstance(e, hidden) for e in table.events if may_see("public", e))


@EVERY_VIEWER
def test_events_that_do_not_concern_the_table_change_nothing(viewer: Viewer) -> None:
    board = BOARDS.initial(Options(), 2, viewer)
    for event in (MatchStarted(), AwaitingChanged((0,)), ActionRefused(0, "not_your_turn")):
        assert BOARDS.evolve(board, event, viewer, 0) is board
