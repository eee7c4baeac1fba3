"""Rules 4 and 5 of Liar's Dice: challenges and exact calls."""

from typing import Any

import pytest

from domain.games.liars_dice import Challenge, Exact, Placed, RoundEnded, Shown
from tests.domain.liars_dice.liars_dice_tables import bid, left_with, roll, rolled

# Rule 4: challenges.


def test_rule_4_not_before_the_first_bid_of_a_round() -> None:
    table = rolled((1, 2), (3, 4)).refused(0, Challenge(), "no_bid_yet")
    bid(table, (4, 6)).act(1, Challenge())
    roll(table, (1,), (1, 2)).refused(0, Challenge(), "no_bid_yet")


def test_rule_4_all_dice_are_shown() -> None:
    table = bid(rolled((4, 2, 2), (1, 6, 2)), (3, 2)).when(1, Challenge())
    dice = ((2, 2, 4), (1, 2, 6))
    table.then(RoundEnded(Shown(dice, Placed(0, 3, 2), "challenge", 1, 4, 1, None), (3, 2), 1))


@pytest.mark.parametrize(
    ("wild", "face", "matching"),
    [(True, 2, 4), (False, 2, 2), (True, 1, 2), (False, 1, 2), (True, 6, 3), (False, 6, 1)],
)
def test_rule_4_ones_are_wild_but_for_bids_on_ones(wild: bool, face: Any, matching: int) -> None:
    table = bid(rolled((1, 2, 3), (1, 2, 6), wild_ones=wild), (1, face)).act(1, Challenge())
    (ended,) = table.new
    assert isinstance(ended, RoundEnded) and ended.shown.matching == matching


@pytest.mark.parametrize(("count", "loser"), [(1, 1), (2, 1), (3, 0), (4, 0)])
def test_rule_4_the_challenger_loses_a_die_unless_there_are_fewer(count: int, loser: int) -> None:
    table = bid(rolled((5, 3), (5, 4)), (count, 5)).act(1, Challenge())
    (ended,) = table.new
    assert isinstance(ended, RoundEnded)
    assert (ended.shown.matching, ended.shown.lost, ended.shown.gained) == (2, loser, None)
    assert table.state.dice_left == ((1, 2) if loser == 0 else (2, 1))


def test_rule_4_it_is_the_last_bid_that_is_challenged() -> None:
    table = bid(rolled((6, 6), (6, 6), (2, 2)), (1, 6), (2, 2), (3, 2)).act(0, Challenge())
    (ended,) = table.new
    assert isinstance(ended, RoundEnded)
    assert (ended.shown.bid, ended.shown.by, ended.shown.lost) == (Placed(2, 3, 2), 0, 2)


# Rule 5: exact calls.


def test_rule_5_only_if_the_option_allows_it() -> None:
    table = bid(rolled((1, 2), (3, 4)), (1, 2)).refused(1, Exact(), "exact_not_allowed")
    assert "exact" not in table.offered(1)
    allowed = bid(rolled((1, 2), (3, 4), exact_call=True), (1, 2))
    assert allowed.offered(1) == {"bid", "challenge", "exact"}


def test_rule_5_not_before_the_first_bid() -> None:
    rolled((1, 2), (3, 4), exact_call=True).refused(0, Exact(), "no_bid_yet")
    rolled((1, 2), (3, 4)).refused(0, Exact(), "exact_not_allowed")


def test_rule_5_exactly_as_many_give_the_caller_a_die() -> None:
    table = left_with((2, 1), dice=3, exact_call=True)
    bid(roll(table, (5, 3), (5,)), (2, 5)).when(1, Exact())
    shown = Shown(((3, 5), (5,)), Placed(0, 2, 5), "exact", 1, 2, None, 1)
    table.then(RoundEnded(shown, (2, 2), 1))


def test_rule_5_nobody_has_more_dice_than_at_the_start() -> None:
    table = bid(rolled((5, 3), (5, 2), exact_call=True), (2, 5)).when(1, Exact())
    shown = Shown(((3, 5), (2, 5)), Placed(0, 2, 5), "exact", 1, 2, None, None)
    table.then(RoundEnded(shown, (2, 2), 1))


@pytest.mark.parametrize("count", [1, 3])
def test_rule_5_more_or_fewer_cost_the_caller_one(count: int) -> None:
    table = bid(rolled((5, 3), (5, 2), exact_call=True), (count, 5)).act(1, Exact())
    (ended,) = table.new
    assert isinstance(ended, RoundEnded)
    assert (ended.shown.matching, ended.shown.lost, ended.shown.gained) == (2, 1, None)
    assert table.state.dice_left == (2, 1)


def test_rule_5_wild_ones_count_for_an_exact_call() -> None:
    table = bid(rolled((1, 3), (5, 2), exact_call=True), (2, 5)).act(1, Exact())
    (ended,) = table.new
    assert isinstance(ended, RoundEnded) and ended.shown.lost is None
