"""The setup, the turn and the options of Dollar Prize, rule by rule."""

from typing import Any

import pytest

from domain.chance.draws import Draw, Face, Flip
from domain.events import PUBLIC
from domain.game import Awaits
from domain.games.dollar_prize.actions import ChooseSide, Convert, EndTurn, Exchange, Keep, Place
from domain.games.dollar_prize.coins import RECIPES, Flips, Recipe
from domain.games.dollar_prize.events import (
    CoinPlaced,
    CoinsConverted,
    PenniesDealt,
    SideChosen,
    StealBegan,
    TurnBegan,
)
from domain.games.dollar_prize.options import Options
from domain.match.deadlines import After, Deadline
from domain.menu import OneOf, Value
from tests.domain.dollar_prize.dollar_prize_positions import at_steal, at_turn, coins, lines, new
from tests.support.tables.game_table import Table

HHHTT: tuple[Face, ...] = ("heads", "heads", "heads", "tails", "tails")


def placeable(table: Table, seat: int) -> tuple[Value, ...]:
    field = next(offer.fields["coin"] for offer in table.menu(seat) if offer.type == "place")
    assert isinstance(field, OneOf)
    return field.values


# Rule 1: the setup.


def test_rule_1_1_the_first_player_picks_a_side() -> None:
    table = new()
    assert table.events == []
    assert table.awaits == Awaits((0,))
    assert table.offered(0) == {"choose_side"}
    assert table.menu(1) == ()
    table.when(0, ChooseSide("tails")).then(SideChosen(0, "tails"))


def test_rule_1_2_five_pennies_are_drawn_in_public() -> None:
    table = new().act(0, ChooseSide("heads"))
    assert table.draw == Draw("setup", (Flip("penny"),) * 5, PUBLIC)
    assert table.awaits.seats == ()


@pytest.mark.parametrize(
    ("first", "side", "pennies"),
    [(0, "heads", (3, 2)), (0, "tails", (2, 3)), (1, "heads", (2, 3)), (1, "tails", (3, 2))],
)
def test_rule_1_2_each_seat_takes_the_pennies_of_its_side(
    first: int, side: Any, pennies: tuple[int, int]
) -> None:
    table = new(first_player=first).act(first, ChooseSide(side)).drawn(*HHHTT)
    flips: Flips = tuple(("penny", face) for face in HHHTT)
    table.then(PenniesDealt(flips, pennies), TurnBegan(1, first))
    assert lines(table) == ("p" * pennies[0], "p" * pennies[1])


def test_rule_1_3_nothing_is_converted_or_stolen_in_the_setup() -> None:
    table = new().refused(0, Convert("five_pennies"), "wrong_phase")
    table.refused(0, Place("penny"), "wrong_phase").act(0, ChooseSide("heads"))
    for seat in (0, 1):
        assert table.menu(seat) == ()
        table.refused(seat, Convert("five_pennies"), "wrong_phase")
    table.drawn(*["heads"] * 5)
    assert table.awaits == Awaits((0,))
    assert lines(table) == ("ppppp", "")


def test_rule_1_3_the_side_is_picked_once() -> None:
    table = new().act(0, ChooseSide("heads")).refused(0, ChooseSide("tails"), "wrong_phase")
    table.drawn(*HHHTT).refused(0, ChooseSide("tails"), "wrong_phase")


# Rule 2: a turn.


def test_rule_2_the_first_player_moves_then_the_other_then_the_round_ends() -> None:
    table = at_turn("p", "pp", round=1)
    table.act(0, Place("penny")).then(CoinPlaced(0, "penny"), TurnBegan(1, 1))
    table.refused(0, Place("penny"), "not_your_turn")
    assert table.menu(0) == ()
    table.act(1, Place("penny")).then(CoinPlaced(1, "penny"), TurnBegan(2, 0))


@pytest.mark.parametrize(
    ("line", "allowed"), [("", "p"), ("p", "p"), ("ppn", "pn"), ("d", "pnd"), ("pq", "pndq")]
)
def test_rule_2_2_a_coin_up_to_the_highest_is_placed(line: str, allowed: str) -> None:
    table = at_turn(line, "qqq")
    assert placeable(table, 0) == coins(allowed)
    for letter in "pndq":
        (coin,) = coins(letter)
        if letter in allowed:
            at_turn(line, "").act(0, Place(coin))
        else:
            table.refused(0, Place(coin), "coin_too_high")


def test_rule_2_2_a_coin_must_be_placed_and_only_one() -> None:
    table = at_turn("pppp", "").refused(0, EndTurn(), "not_placed")
    table.act(0, Place("penny")).then(CoinPlaced(0, "penny"))
    table.refused(0, Place("penny"), "already_placed")
    assert table.offered(0) == {"convert", "end_turn"}


@pytest.mark.parametrize(
    ("recipe", "before", "after"),
    [
        ("five_pennies", "pppppp", "pn"),
        ("two_nickels", "pnnn", "pnd"),
        ("nickel_and_two_dimes", "pnnddd", "pndq"),
        ("five_pennies_and_two_dimes", "ppppppdd", "pq"),
    ],
)
def test_rule_2_1_a_recipe_changes_own_coins_for_a_higher_one(
    recipe: Recipe, before: str, after: str
) -> None:
    table = at_turn(before, "").when(0, Convert(recipe)).then(CoinsConverted(0, recipe))
    assert lines(table) == (after, "")
    assert table.offered(0) == {"place"}


@pytest.mark.parametrize(
    ("line", "possible"),
    [
        ("pppp", set()),
        ("ppppp", {"five_pennies"}),
        ("n", set()),
        ("nn", {"two_nickels"}),
        ("nd", set()),
        ("dd", set()),
        ("ndd", {"nickel_and_two_dimes"}),
        ("ppppdd", set()),
        ("pppppd", {"five_pennies"}),
        ("pppppdd", {"five_pennies", "five_pennies_and_two_dimes"}),
        ("dddqqqq", set()),
    ],
)
def test_rule_2_1_a_recipe_needs_all_its_coins(line: str, possible: set[Recipe]) -> None:
    table = at_turn(line, "pppppnnddd")
    offered = [offer.fields["recipe"] for offer in table.menu(0) if offer.type == "convert"]
    assert offered == ([OneOf(tuple(r for r in RECIPES if r in possible))] if possible else [])
    for recipe in RECIPES:
        if recipe not in possible:
            table.refused(0, Convert(recipe), "coins_missing")


def test_rule_2_1_the_coin_converted_for_may_be_placed_in_the_same_turn() -> None:
    table = at_turn("ppppp", "").refused(0, Place("nickel"), "coin_too_high")
    table.act(0, Convert("five_pennies"), Place("nickel"))
    table.then(CoinPlaced(0, "nickel"), TurnBegan(3, 1))
    assert lines(table) == ("nn", "")


def test_rule_2_1_one_conversion_a_turn() -> None:
    table = at_turn("p" * 10, "").act(0, Convert("five_pennies"))
    table.refused(0, Convert("five_pennies"), "already_converted")
    table.refused(0, EndTurn(), "not_placed")


def test_rule_2_3_a_conversion_after_placing_ends_the_turn() -> None:
    table = at_turn("pppp", "").act(0, Place("penny"))
    table.act(0, Convert("five_pennies")).then(CoinsConverted(0, "five_pennies"), TurnBegan(3, 1))


def test_rule_2_3_the_seat_may_end_the_turn_instead_of_converting() -> None:
    table = at_turn("ppppp", "", round=5).act(0, Place("penny"), EndTurn())
    table.then(TurnBegan(5, 1)).refused(0, EndTurn(), "not_your_turn")


def test_rule_2_3_a_turn_ends_by_itself_once_nothing_can_follow() -> None:
    at_turn("ppp", "").when(0, Place("penny")).then(CoinPlaced(0, "penny"), TurnBegan(3, 1))
    table = at_turn("p" * 10, "").act(0, Convert("five_pennies"))
    table.act(0, Place("penny")).then(CoinPlaced(0, "penny"), TurnBegan(3, 1))


def test_rule_2_the_next_turn_may_convert_again() -> None:
    table = at_turn("p" * 5, "p" * 5, round=1).act(0, Convert("five_pennies"), Place("penny"))
    table.act(1, Convert("five_pennies"), Place("penny"))
    table.then(CoinPlaced(1, "penny"), StealBegan(1, 1))


def test_rule_2_actions_of_another_phase_are_refused() -> None:
    table = at_turn("ppppp", "")
    for seat in (0, 1):
        table.refused(seat, Keep(), "wrong_phase")
        table.refused(seat, Exchange(coins("ppppp")), "wrong_phase")
    steal = at_steal("ppppp", "")
    for seat in (0, 1):
        assert steal.menu(seat) == ()
        steal.refused(seat, Place("penny"), "wrong_phase")
        steal.refused(seat, EndTurn(), "wrong_phase")


# The options: their defaults, who moves first, and the clock.

HHHTT = ("heads", "heads", "heads", "tails", "tails")


def test_option_defaults() -> None:
    options = Options()
    assert options.first_player == 0
    assert options.tie_reflips == 1
    assert options.down_conversion == "any"
    assert options.turn_seconds is None


@pytest.mark.parametrize("first", [0, 1])
def test_option_first_player_picks_the_side_and_moves_first(first: int) -> None:
    table = new(first_player=first).refused(1 - first, ChooseSide("heads"), "not_your_turn")
    table.act(first, ChooseSide("heads")).drawn(*HHHTT)
    assert table.awaits.seats == (first,)
    table.act(first, Place("penny")).then(CoinPlaced(first, "penny"), TurnBegan(1, 1 - first))
    table.act(1 - first, Place("penny"))
    assert table.new[-1] == TurnBegan(2, first)


def test_option_turn_seconds_on_expiry_heads_is_chosen() -> None:
    table = new(turn_seconds=30, first_player=1)
    assert table.awaits.deadline == Deadline("setup/side", After(30))
    table.expired().then(SideChosen(1, "heads"))
    assert table.awaits.deadline is None


def test_option_turn_seconds_names_one_deadline_a_turn() -> None:
    table = at_turn("p" * 10, "", round=4, turn_seconds=30)
    deadline = table.awaits.deadline
    assert deadline == Deadline("r4/turn/0", After(30))
    assert table.act(0, Place("penny")).awaits.deadline == deadline
    assert table.act(0, EndTurn()).awaits.deadline == Deadline("r4/turn/1", After(30))
    assert new().awaits.deadline is at_turn("p", "").awaits.deadline is None, "by default"


def test_option_turn_seconds_on_expiry_a_penny_is_placed_and_the_turn_ended() -> None:
    table = at_turn("ppppq", "", turn_seconds=30).expired()
    table.then(CoinPlaced(0, "penny"), TurnBegan(3, 1))
    table.expired().then(CoinPlaced(1, "penny"), StealBegan(3, 1))


def test_option_turn_seconds_on_expiry_a_conversion_stands() -> None:
    table = at_turn("p" * 5, "", turn_seconds=30).act(0, Convert("five_pennies")).expired()
    table.then(CoinPlaced(0, "penny"), TurnBegan(3, 1))
    assert lines(table) == ("pn", "")


def test_option_turn_seconds_on_expiry_after_placing_only_the_turn_ends() -> None:
    table = at_turn("p" * 5, "", turn_seconds=30).act(0, Place("penny")).expired()
    table.then(TurnBegan(3, 1))
