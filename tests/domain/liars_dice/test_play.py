"""Random whole games of Liar's Dice: how they end."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from domain.games.liars_dice import GAME, Options, RoundEnded
from tests.support.tables.game_table import Table

SEATS = tuple(GAME.seats)

OPTIONS = st.builds(
    Options,
    dice=st.integers(1, 6),
    wild_ones=st.booleans(),
    exact_call=st.booleans(),
    first_player=st.integers(0, 1),
    turn_seconds=st.none() | st.integers(5, 60),
)
CHANCE = st.integers(0, 2**32).map(Random)


@settings(max_examples=40, deadline=None)
@given(OPTIONS, st.sampled_from(SEATS), CHANCE)
def test_every_game_ends_with_one_seat_that_has_dice(
    options: Options, seats: int, rng: Random
) -> None:
    table = Table(GAME, seats, options).play_out(rng)
    ended = [event for event in table.events if isinstance(event, RoundEnded)]
    lost = sum(event.shown.lost is not None for event in ended)
    gained = sum(event.shown.gained is not None for event in ended)
    result = table.result
    assert result is not None
    assert sum(result.scores) == seats * options.dice - lost + gained
    assert [score > 0 for score in result.scores].count(True) == 1
    assert result.scores[result.winners[0]] > 0
    assert sorted((*result.winners, *result.losers)) == list(range(seats))
    assert [event.starter is None for event in ended] == [False] * (len(ended) - 1) + [True]
