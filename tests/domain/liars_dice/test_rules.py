"""The rules of Liar's Dice, number by number."""

from typing import Any

import pytest

from domain.chance.draws import Draw, Roll
from domain.events import OWN_SEAT, SEALED
from domain.game import OVER, Result
from domain.games.liars_dice import (
    Bid,
    BidPlaced,
    Challenge,
    DiceRolled,
    Exact,
    Placed,
    RoundEnded,
    Shown,
)
from domain.match.deadlines import After, Deadline
from domain.menu import Between, Menu, Offer, OneOf
from tests.domain.liars_dice.liars_dice_tables import bid, left_with, new, roll, rolled
from tests.support.tables.game_table import Table

SEATS = range(2, 7)
ANYTHING = (Bid(1, 1), Challenge(), Exact())


def starter(table: Table) -> int:
    """Whose turn it is once all have rolled."""
    seat: int = table.state.to_act
    return seat


# Rule 1: rolling.


@pytest.mark.parametrize("seats", SEATS)
def test_rule_1_a_round_begins_with_a_roll_of_each_seat_in_seat_order(seats: int) -> None:
    table = new(seats)
    for seat in range(seats):
        assert table.awaits.seats == () and table.awaits.deadline is None
        assert table.draw == Draw(
            f"round1/roll/{seat}", tuple(Roll(6, f"die {n}") for n in range(1, 6))
        )
        table.drawn(6, 1, 5, 2, 2).then(DiceRolled(seat, (1, 2, 2, 5, 6)))
    assert table.awaits.seats == (0,) and table.awaits.draw is None


def test_rule_1_a_seat_rolls_as_many_dice_as_it_has() -> None:
    table = left_with((1, 0, 3), dice=4)
    assert (table.draw.id, len(table.draw.parts)) == ("round2/roll/0", 1)
    table.drawn(4)
    assert (table.draw.id, len(table.draw.parts)) == ("round2/roll/2", 3)
    table.drawn(1, 1, 1)
    assert table.state.hands == ((4,), (), (1, 1, 1))


def test_rule_1_the_outcome_is_shown_to_the_seat_alone() -> None:
    table = new(2)
    assert table.draw.audience == SEALED
    assert DiceRolled.audience == OWN_SEAT
    assert table.drawn(1, 2, 3, 4, 5).new == [DiceRolled(0, (1, 2, 3, 4, 5))]


def test_rule_1_while_dice_are_rolled_nothing_is_bid() -> None:
    table = new(2)
    for _ in range(2):
        for seat in (0, 1):
            assert table.menu(seat) == ()
            for action in ANYTHING:
                table.refused(seat, action, "wrong_phase")
        table.drawn(1, 2, 3, 4, 5)
    assert table.offered(0) == {"bid"}


# Rule 2: who begins, and the turns.


@pytest.mark.parametrize("first", [0, 1, 2])
def test_rule_2_the_first_player_begins(first: int) -> None:
    table = rolled((1,), (1,), (1,), first_player=first)
    assert table.awaits.seats == (first,)


def test_rule_2_turns_go_upwards_through_the_seats_with_dice() -> None:
    table = left_with((2, 0, 1, 0, 2), starter=2, dice=2)
    roll(table, (1, 1), (1,), (1, 1))
    turns: list[int] = []
    for count in range(1, 6):
        turns += table.awaits.seats
        bid(table, (count, 6))
    assert turns == [2, 4, 0, 2, 4]


def test_rule_2_the_seat_that_lost_a_die_begins() -> None:
    challenger = bid(rolled((2, 2), (2, 2), (1, 3)), (1, 2), (2, 2)).act(2, Challenge())
    assert challenger.state.dice_left == (2, 2, 1)
    assert starter(challenger) == 2
    bidder = bid(rolled((2, 3), (4, 4), (5, 5)), (1, 6), (2, 6)).act(2, Challenge())
    assert bidder.state.dice_left == (2, 1, 2)
    assert starter(bidder) == 1


@pytest.mark.parametrize(("loser", "begins"), [(0, 1), (1, 3), (3, 0)])
def test_rule_2_if_it_has_no_dice_left_the_next_with_dice_begins(loser: int, begins: int) -> None:
    table = left_with((1, 1, 0, 1), starter=loser, dice=3)
    bid(roll(table, (5,), (5,), (5,)), (3, 6))
    table.act(table.awaits.seats[0], Challenge())
    assert table.state.dice_left[loser] == 0
    assert starter(table) == begins


def test_rule_2_after_an_exact_call_that_succeeded_the_caller_begins() -> None:
    table = bid(rolled((2, 3), (2, 4), exact_call=True), (2, 2)).act(1, Exact())
    assert starter(table) == 1
    table = bid(rolled((2, 3), (2, 4), exact_call=True), (1, 2)).act(1, Exact())
    assert starter(table) == 1, "the caller has lost a die"


# Rule 3: bids.


def test_rule_3_the_first_bid_is_any_up_to_the_number_of_dice() -> None:
    menu: Menu = (Offer("bid", {"count": Between(1, 4), "face": Between(1, 6)}),)
    assert rolled((1, 2), (3, 4)).menu(0) == menu
    for count in (1, 4):
        for face in (1, 6):
            table = rolled((1, 2), (3, 4))
            table.when(0, Bid(count, face)).then(BidPlaced(Placed(0, count, face)))


HIGHER = [((2, 3), (2, 4)), ((2, 3), (2, 6)), ((2, 3), (3, 1)), ((2, 6), (3, 1)), ((1, 1), (4, 6))]
NOT_HIGHER = [
    ((2, 3), (2, 3)),
    ((2, 3), (2, 2)),
    ((2, 3), (1, 6)),
    ((2, 1), (1, 6)),
    ((3, 6), (3, 1)),
]


@pytest.mark.parametrize(("last", "now"), HIGHER)
def test_rule_3_more_dice_or_as_many_of_a_higher_face(last: Any, now: Any) -> None:
    table = bid(rolled((1, 2), (3, 4)), last)
    bid(table, now).then(BidPlaced(Placed(1, *now)))


@pytest.mark.parametrize(("last", "now"), NOT_HIGHER)
def test_rule_3_anything_else_is_not_higher(last: Any, now: Any) -> None:
    bid(rolled((1, 2), (3, 4)), last).refused(1, Bid(*now), "not_higher")


@pytest.mark.parametrize("count", [0, -1])
def test_rule_3_a_bid_of_no_dice_is_not_higher(count: int) -> None:
    rolled((1, 2), (3, 4)).refused(0, Bid(count, 6), "not_higher")


def test_rule_3_a_bid_is_for_dice_that_are_in_play() -> None:
    table = left_with((1, 2), dice=2)
    roll(table, (1,), (2, 3)).refused(0, Bid(4, 1), "too_many_dice")
    bid(table, (3, 1)).refused(1, Bid(4, 6), "too_many_dice")


def test_rule_3_the_menu_after_a_bid() -> None:
    table = bid(rolled((1, 2), (3, 4)), (2, 4))
    assert table.menu(1) == (
        Offer("bid", {"count": Between(3, 4), "face": Between(1, 6)}),
        Offer("bid", {"count": OneOf((2,)), "face": Between(5, 6)}),
        Offer("challenge"),
    )
    assert [offer.type for offer in bid(table, (2, 6)).menu(0)] == ["bid", "challenge"]
    assert [offer.type for offer in bid(table, (4, 2)).menu(1)] == ["bid", "challenge"]
    assert bid(table, (4, 6)).offered(0) == {"challenge"}


def test_rule_3_it_is_one_seats_turn() -> None:
    table = rolled((1, 2), (3, 4), (5, 6))
    for seat in (1, 2):
        assert table.menu(seat) == ()
        for action in ANYTHING:
            table.refused(seat, action, "not_your_turn")
    bid(table, (1, 1)).refused(0, Bid(2, 2), "not_your_turn")


# Rule 6: the end.


def test_rule_6_a_seat_without_dice_is_out() -> None:
    table = left_with((1, 2, 1), dice=2)
    bid(roll(table, (2,), (3, 3), (4,)), (4, 6)).act(1, Challenge())
    assert table.state.dice_left == (0, 2, 1)
    assert table.draw.id == "round3/roll/1"
    roll(table, (3, 3), (4,))
    assert table.awaits.seats == (1,)
    table.refused(0, Bid(1, 1), "not_your_turn")
    assert table.menu(0) == ()


@pytest.mark.parametrize(("count", "winner"), [(1, 0), (3, 1)])
def test_rule_6_the_last_seat_with_dice_wins(count: int, winner: int) -> None:
    table = left_with((1, 1), dice=4)
    bid(roll(table, (3,), (3,)), (min(count, 2), 3 if count == 1 else 4)).act(1, Challenge())
    assert table.awaits == OVER
    scores = (1, 0) if winner == 0 else (0, 1)
    assert table.result == Result((winner,), (1 - winner,), False, scores)


def test_rule_6_the_scores_are_the_dice_left_and_all_others_lose() -> None:
    table = left_with((0, 3, 0, 1), starter=3, dice=3)
    bid(roll(table, (2, 2, 2), (4,)), (1, 5)).when(1, Challenge())
    (ended,) = table.new
    assert isinstance(ended, RoundEnded) and ended.starter is None
    assert table.result == Result((1,), (0, 2, 3), False, (0, 3, 0, 0))


# Rule 7: time.


def test_rule_7_every_turn_has_a_deadline_of_its_own() -> None:
    table = rolled((1, 2), (3, 4), turn_seconds=30)
    assert table.awaits.deadline == Deadline("round1/turn1", After(30))
    bid(table, (1, 1))
    assert table.awaits.deadline == Deadline("round1/turn2", After(30))
    roll(table.act(1, Challenge()), (1, 2), (3,))
    assert table.awaits.deadline == Deadline("round2/turn1", After(30))
    assert rolled((1, 2), (3, 4)).awaits.deadline is None


@pytest.mark.parametrize(
    ("last", "lowest"), [((1, 1), (1, 2)), ((2, 5), (2, 6)), ((2, 6), (3, 1)), ((4, 5), (4, 6))]
)
def test_rule_7_when_time_is_up_the_lowest_higher_bid_is_made(last: Any, lowest: Any) -> None:
    table = bid(rolled((1, 2), (3, 4), turn_seconds=30), last)
    table.expired().then(BidPlaced(Placed(1, *lowest)))


def test_rule_7_without_a_bid_the_lowest_is_a_one() -> None:
    table = rolled((1, 2), (3, 4), turn_seconds=30).expired()
    table.then(BidPlaced(Placed(0, 1, 1)))


def test_rule_7_where_no_bid_is_higher_it_is_a_challenge() -> None:
    table = bid(rolled((6, 6), (6, 2), turn_seconds=30), (4, 6)).expired()
    shown = Shown(((6, 6), (2, 6)), Placed(0, 4, 6), "challenge", 1, 3, 0, None)
    table.then(RoundEnded(shown, (1, 2), 0))
