"""Invariants of every match of 12 Chips, for all chance and all decisions."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from domain.games.twelve_chips.events import RoundScored
from domain.games.twelve_chips.options import Options
from domain.games.twelve_chips.rules import GAME
from tests.support.tables.game_table import Table
from tests.support.tables.twelve_chips_tables import SEATS

OPTIONS = st.builds(
    Options,
    over_21=st.sampled_from(("bust", "halve")),
    deal=st.sampled_from(("two_two", "random")),
    round_starter=st.sampled_from(("last_trick_winner", "rotate", "round_winner")),
    first_starter=st.integers(0, 1),
    tokens_to_win=st.integers(1, 3),
    hand_colours_public=st.booleans(),
    turn_seconds=st.none() | st.integers(1, 60),
)
CHANCE = st.integers(0, 2**32).map(Random)


@settings(max_examples=30, deadline=None)
@given(OPTIONS, st.sampled_from(SEATS), CHANCE)
def test_every_match_ends_with_a_result_that_its_rounds_explain(
    options: Options, seats: int, rng: Random
) -> None:
    """Each round gives a token at least; a round has at most three tricks a seat and one more."""
    table = Table(GAME, seats, options).play_out(rng)
    rounds = [event for event in table.events if isinstance(event, RoundScored)]
    assert len(rounds) <= seats * (options.tokens_to_win - 1) + 1
    assert len(table.events) <= len(rounds) * ((3 * seats + 1) * (2 * seats + 2) + seats + 4)
    tokens = tuple(sum(seat in won.winners for won in rounds) for seat in range(seats))
    result = table.result
    assert result is not None
    assert result.scores == tokens
    assert max(tokens) == options.tokens_to_win
    assert result.winners == tuple(s for s in range(seats) if tokens[s] == max(tokens))
    assert result.shared == (len(result.winners) > 1)
    rest = tuple(s for s in range(seats) if s not in result.winners)
    assert result.losers == (() if result.shared else rest)
    for won in rounds:
        assert won.sums == tuple(map(sum, won.chips))
        assert all(len(four) == 4 for four in won.chips)
