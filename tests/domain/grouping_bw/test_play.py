"""Invariants of every match of Grouping Black & White, for all chance and all decisions."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.games.grouping_bw.events import RoundBegan, RoundEnded
from domain.games.grouping_bw.options import Options
from domain.games.grouping_bw.rules import GAME
from tests.support.tables.game_table import Table
from tests.support.tables.grouping_bw_holdings import holdings
from tests.support.tables.grouping_bw_options import options
from tests.support.tables.grouping_bw_tables import move, new

CHANCE = st.integers(0, 2**32).map(Random)
EVERY_VARIANT = pytest.mark.parametrize("variant", ["death-match", "final-match-2"])


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
