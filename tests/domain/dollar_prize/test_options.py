"""The options of Dollar Prize: their defaults, who moves first, and the clock."""

import pytest

from domain.games.dollar_prize.actions import ChooseSide, Convert, EndTurn, Place
from domain.games.dollar_prize.events import CoinPlaced, SideChosen, StealBegan, TurnBegan
from domain.games.dollar_prize.options import Options
from domain.match.deadlines import After, Deadline
from tests.support.tables.dollar_prize_positions import at_turn, lines, new

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


def test_option_turn_seconds_null_sets_no_deadline() -> None:
    table = new()
    assert table.awaits.deadline is None
    assert at_turn("p", "").awaits.deadline is None


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
