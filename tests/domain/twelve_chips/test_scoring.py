"""Rule 7, and the effect of the options on it: which fours win a round."""

import pytest

from domain.games.twelve_chips.chips import round_winners
from domain.games.twelve_chips.events import ChipTaken, RoundBegan, RoundScored
from tests.support.tables.twelve_chips_tables import dealt, play_round_keeping_hands


@pytest.mark.parametrize(
    ("sums", "winners"),
    [
        ((20, 19), (0,)),
        ((21, 20), (0,)),
        ((22, 10), (1,)),
        ((21, 22), (0,)),
        ((22, 23), (1,)),
        ((22, 43, 30), (1,)),
        ((18, 18), (0, 1)),
        ((21, 42, 21), (0, 2)),
        ((30, 25, 30), (0, 2)),
        ((22, 10, 10, 10), (1, 2, 3)),
    ],
)
def test_rule_7_the_highest_sum_not_over_21_or_else_the_highest(
    sums: tuple[int, ...], winners: tuple[int, ...]
) -> None:
    assert round_winners(sums, "bust") == winners


@pytest.mark.parametrize(
    ("sums", "winners"),
    [
        ((21, 20), (0,)),
        ((22, 10), (0,)),
        ((22, 11), (0, 1)),
        ((23, 11), (0,)),
        ((23, 12), (1,)),
        ((41, 21), (1,)),
        ((42, 21), (0, 1)),
        ((43, 21), (0,)),
        ((30, 31), (1,)),
        ((30, 15, 14, 30), (0, 1, 3)),
    ],
)
def test_option_over_21_halve_compares_half_sums_exactly(
    sums: tuple[int, ...], winners: tuple[int, ...]
) -> None:
    assert round_winners(sums, "halve") == winners


def test_option_over_21_halve_decides_a_round_and_leaves_its_sums_plain() -> None:
    """36 counts 18 and beats 12, although it would be bust."""
    table = play_round_keeping_hands(dealt((1, 2, 4, 5), (3, 10, 11, 12), over_21="halve"))
    scored = RoundScored(((1, 2, 4, 5), (3, 10, 11, 12)), (12, 36), (1,))
    table.then(ChipTaken(0, 1), scored, RoundBegan(2, 1))
    assert table.state.tokens == (0, 1)


def test_rule_7_every_seat_with_the_winning_sum_gets_a_token() -> None:
    table = play_round_keeping_hands(dealt((1, 3, 8, 9), (2, 4, 5, 10)))
    scored = RoundScored(((1, 3, 8, 9), (2, 4, 5, 10)), (21, 21), (0, 1))
    table.then(ChipTaken(0, 1), scored, RoundBegan(2, 1))
    assert table.state.tokens == (1, 1)


def test_rule_7_chips_in_hand_and_in_front_count_alike() -> None:
    """Seat 0 has won nothing and wins the round with four chips in hand."""
    table = play_round_keeping_hands(dealt((1, 2, 8, 9), (3, 4, 5, 6)))
    assert table.new[1] == RoundScored(((1, 2, 8, 9), (3, 4, 5, 6)), (20, 18), (0,))
