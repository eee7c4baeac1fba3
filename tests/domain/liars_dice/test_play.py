"""Random whole games of Liar's Dice: how they end."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from domain.games.liars_dice import GAME, BidPlaced, DiceRolled, Options, RoundEnded
from tests.support.tables.game_table import Table
from tests.support.tables.liars_dice_tables import play_out

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
    table = play_out(Table(GAME, seats, options), rng)
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


@settings(max_examples=40, deadline=None)
@given(OPTIONS, st.sampled_from(SEATS), CHANCE)
def test_every_round_explains_its_end(options: Options, seats: int, rng: Random) -> None:
    """From the dice that were rolled, and the bids that were made."""
    table = play_out(Table(GAME, seats, options), rng)
    hands: dict[int, tuple[int, ...]] = {}
    bids: list[BidPlaced] = []
    for event in table.events:
        match event:
            case DiceRolled(seat, dice):
                hands[seat] = dice
            case BidPlaced():
                bids.append(event)
            case RoundEnded(shown):
                assert shown.dice == tuple(hands.get(seat, ()) for seat in range(seats))
                assert shown.bid == bids[-1].bid
                kinds = {shown.bid.face, *([1] if options.wild_ones else ())}
                assert shown.matching == sum(die in kinds for hand in shown.dice for die in hand)
                right = shown.matching >= shown.bid.count
                if shown.call == "challenge":
                    assert shown.lost == (shown.by if right else shown.bid.seat)
                else:
                    exact = shown.matching == shown.bid.count
                    assert (shown.lost is None) == exact and shown.gained in (None, shown.by)
                hands, bids = {}, []
