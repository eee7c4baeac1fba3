"""Invariants of every match of Grouping Black & White, for all chance and all decisions."""

from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.game import Refused
from domain.games.grouping_bw.actions import (
    Action,
    Call,
    Fold,
    Group,
    NameStarter,
    Peek,
    Raise,
)
from domain.games.grouping_bw.events import GroupingEnded, Raised, RoundBegan, RoundEnded
from domain.games.grouping_bw.options import Options
from domain.games.grouping_bw.rules import GAME
from domain.games.grouping_bw.state import State
from projections.disclosure import may_see
from tests.support.tables.game_strategies import as_sent, covers
from tests.support.tables.game_table import Table
from tests.support.tables.grouping_bw_holdings import holdings
from tests.support.tables.grouping_bw_options import options
from tests.support.tables.grouping_bw_tables import ASCENDING, DESCENDING, move, new, play_out

CHANCE = st.integers(0, 2**32).map(Random)
ROWS = (ASCENDING, DESCENDING, (7, 1, 3, 5, 0, 2, 4, 6, 8))
ALL_ACTIONS: tuple[Action, ...] = (
    *(NameStarter(seat) for seat in (-1, 0, 1, 2)),
    *(
        Group(row[:2], row[2:5], row[5:], use, increase)
        for row in (*ROWS, (0, 0, 2, 3, 4, 5, 6, 7, 8))
        for use in (False, True)
        for increase in (None, 0, 1, 10, 11)
    ),
    *(Raise(by) for by in range(-1, 25)),
    Call(),
    Fold(),
    Peek(),
)
STORED: Any = list[GAME.Event]  # type: ignore[name-defined]  # a union held as a value
EVERY_VARIANT = pytest.mark.parametrize("variant", ["death-match", "final-match-2"])


def code(state: State, seat: int, action: Action) -> str | None:
    """None if the action is accepted, else the code of the refusal."""
    try:
        GAME.decide(state, seat, action)
    except Refused as refused:
        return refused.code
    return None


@settings(max_examples=40, deadline=None)
@given(options(), CHANCE)
def test_the_menu_is_what_is_accepted(chosen: Options, rng: Random) -> None:
    """No menu lists whole groupings, but every accepted one fits its fields."""
    table = Table(GAME, 2, chosen)
    for _ in range(60):
        for seat in (0, 1):
            menu = table.menu(seat)
            for action in ALL_ACTIONS:
                covered, refused = covers(menu, as_sent(action)), code(table.state, seat, action)
                if isinstance(action, Group) and covered:
                    assert refused in (None, "not_a_partition", "too_many_moved")
                else:
                    assert (covered is not None) == (refused is None)
                assert refused is None or refused in GAME.codes
        if table.result is not None:
            break
        move(table, rng)


@settings(max_examples=40, deadline=None)
@given(options(), CHANCE)
def test_chips_are_where_the_rules_send_them_at_every_step(chosen: Options, rng: Random) -> None:
    table = Table(GAME, 2, chosen)
    house = table.state.house
    while table.result is None:
        move(table, rng)
        state = table.state
        assert (state.stacks, state.bets, state.discarded) == holdings(house, table.events)
        assert all(holds(state) for holds in GAME.invariants.values())
        if state.to_act is not None:
            assert state.to_call <= state.stacks[state.to_act]


@EVERY_VARIANT
@pytest.mark.parametrize("seed", range(6))
def test_a_whole_match_of_each_variant(variant: str, seed: int) -> None:
    """In a death match stacks and pot are always 60; in the final match they never grow."""
    rng, table = Random(seed), new(variant)
    there = sum(table.state.stacks)
    while table.result is None:
        move(table, rng)
        state, before = table.state, there
        there = sum(state.stacks) + sum(state.bets)
        assert there <= before
        assert variant == "final-match-2" or there == 60
    assert table.result.scores == table.state.stacks
    assert not table.result.shared
    rounds = [event for event in table.events if isinstance(event, RoundEnded)]
    assert len(rounds) >= len([e for e in table.events if isinstance(e, RoundBegan)]) - 1


@settings(max_examples=20, deadline=None)
@given(options(), CHANCE)
def test_every_raise_can_be_called(chosen: Options, rng: Random) -> None:
    """A raised seat always has the chips to call, so nobody is ever bet out of a round."""
    table = Table(GAME, 2, chosen)
    while table.result is None:
        move(table, rng)
        if any(isinstance(event, Raised) for event in table.new):
            assert table.state.to_act is not None
            assert "call" in table.offered(table.state.to_act)


@settings(max_examples=15, deadline=None)
@given(options(), CHANCE)
def test_a_stored_match_folds_to_the_same_state(chosen: Options, rng: Random) -> None:
    table = play_out(Table(GAME, 2, chosen), rng)
    stored = msgspec.msgpack.encode(table.events)
    again = msgspec.msgpack.decode(stored, type=STORED)
    assert again == table.events
    state = GAME.initial(chosen, 2)
    for event in again:
        state = GAME.evolve(state, event)
    assert state == table.state


def test_evolve_never_refuses() -> None:
    """It accepts even events that the rules would not produce."""
    state = new().state
    assert GAME.evolve(state, GroupingEnded(3, 4)).ante == 4
    assert GAME.evolve(state, RoundEnded("call", 1, None, (0, 1), (5, 5), 0, False)).starter == 1


def test_no_public_event_contains_a_number_that_was_not_shown() -> None:
    """Of a round that ends with a fold the public learns colours, bets and who folded."""
    rng, table = Random(3), new("final-match-2")
    while table.result is None:
        move(table, rng)
    public = [event for event in table.events if may_see("public", event)]
    folds = [event for event in public if isinstance(event, RoundEnded) and event.end == "fold"]
    assert folds
    assert all(event.numbers is None for event in folds)
    for event in public:
        assert (
            not {"tiles", "orders", "groups", "order", "number"} & set(msgspec.to_builtins(event))
            or type(event).__name__ == "PassBegan"
        )
