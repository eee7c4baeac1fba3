"""The table of 12 Chips, field by field, as each audience sees it."""

from random import Random
from typing import Any

import msgspec
import pytest

from domain.game import Result
from domain.games.twelve_chips.actions import Play, Take
from domain.match.events import MatchEnded
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


def of_three() -> Table:
    return dealt((2, 4, 5, 12), (1, 6, 9, 10), (3, 7, 8, 11), first_starter=1)


def of_two() -> Table:
    return dealt((1, 2, 4, 5), (3, 10, 11, 12))


# A stretch of play, step by step.


def test_before_the_deal_all_is_empty() -> None:
    assert seen(new(3, first_starter=2), "public") == {
        "round": 1,
        "trick": 1,
        "phase": "deal",
        "starter": 2,
        "to_act": None,
        "centre": [],
        "fronts": [[], [], []],
        "hand_sizes": [0, 0, 0],
        "tokens": [0, 0, 0],
        "last_round": None,
        "result": None,
    }


def test_after_the_deal_each_audience_sees_its_hands() -> None:
    table = of_two()
    shows(table, "public", phase="play", trick=1, starter=0, to_act=0, hand_sizes=[4, 4])
    shows(table, 0, hand=[1, 2, 4, 5], hand_sizes=[4, 4])
    shows(table, 1, hand=[3, 10, 11, 12])
    shows(table, "moderator", hands=[[1, 2, 4, 5], [3, 10, 11, 12]], undealt=[6, 7, 8, 9])


def test_the_winner_takes_to_the_front_and_the_others_to_their_hands() -> None:
    table = of_three().act(1, Play(6)).act(2, Play(11)).act(0, Play(2))
    shows(table, "public", phase="take", to_act=2, starter=1, trick=1)
    table.act(2, Take(6))
    shows(table, "public", fronts=[[], [], [6]], hand_sizes=[3, 3, 3], to_act=0)
    shows(table, "public", centre=[{"seat": 2, "chip": 11}, {"seat": 0, "chip": 2}])
    shows(table, 2, hand=[3, 7, 8])
    table.act(0, Take(11))
    shows(table, "public", hand_sizes=[4, 3, 3], to_act=1, centre=[{"seat": 0, "chip": 2}])
    shows(table, 0, hand=[4, 5, 11, 12])
    table.act(1, Take(2))
    shows(table, "public", phase="play", trick=2, starter=2, to_act=2, centre=[])
    shows(table, 1, hand=[1, 2, 9, 10])
    hands = [[4, 5, 11, 12], [1, 2, 9, 10], [3, 7, 8]]
    shows(table, "moderator", hands=hands, fronts=[[], [], [6]])


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


def test_the_end_of_the_match_brings_the_result() -> None:
    table = play_round_keeping_hands(dealt((1, 2, 4, 5), (3, 10, 11, 12), tokens_to_win=1))
    table.given(MatchEnded(Result((0,), (1,), False, (1, 0))))
    result = {"winners": [0], "losers": [1], "shared": False, "scores": [1, 0]}
    for viewer in ("public", 0, 1, "moderator"):
        shows(table, viewer, phase="over", to_act=None, result=result, tokens=[1, 0])
        shows(table, viewer, fronts=[[], [3, 10, 11, 12]], hand_sizes=[4, 0], round=1)


# The backs' colours.


def test_hand_colours_are_empty_while_chips_are_dealt() -> None:
    table = new(hand_colours_public=True)
    shows(table, "public", hand_colours=[[], []])
    play_round_keeping_hands(deal(table, (1, 2, 4, 5), (3, 10, 11, 12)))
    shows(table, "public", hand_colours=[[], []])


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
