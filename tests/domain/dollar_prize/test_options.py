"""The options of Dollar Prize: their bounds, who moves first, and the clock."""

from typing import Any

import msgspec
import pytest

from domain.deadlines import After, Deadline
from domain.game import Refused
from domain.games.dollar_prize.actions import ChooseSide, Convert, EndTurn, Place
from domain.games.dollar_prize.events import CoinPlaced, SideChosen, StealBegan, TurnBegan
from domain.games.dollar_prize.options import LONGEST_TURN, Options
from domain.games.dollar_prize.rules import GAME
from tests.support.tables.dollar_prize_positions import at_turn, lines, new

HHHTT = ("heads", "heads", "heads", "tails", "tails")


def test_option_defaults() -> None:
    options = Options()
    assert options.first_player == 0
    assert options.tie_reflips == 1
    assert options.down_conversion == "any"
    assert options.turn_seconds is None


@pytest.mark.parametrize(
    "allowed",
    [
        {"first_player": 1},
        {"tie_reflips": 0},
        {"tie_reflips": 10},
        {"turn_seconds": 1},
        {"turn_seconds": LONGEST_TURN},
        {"down_conversion": "listed"},
    ],
)
def test_option_at_its_bounds_is_allowed(allowed: dict[str, Any]) -> None:
    GAME.check(msgspec.convert(allowed, Options), 2)


@pytest.mark.parametrize(
    "wrong",
    [
        {"first_player": -1},
        {"first_player": 2},
        {"tie_reflips": -1},
        {"tie_reflips": 11},
        {"turn_seconds": 0},
        {"turn_seconds": LONGEST_TURN + 1},
    ],
)
def test_option_beyond_its_bounds_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(Refused) as refusal:
        GAME.check(msgspec.convert(wrong, Options), 2)
    assert refusal.value.code == "options_not_allowed"
    assert next(iter(wrong)) in str(refusal.value.text)


@pytest.mark.parametrize("seats", [1, 3])
def test_option_seats_are_two(seats: int) -> None:
    assert list(GAME.seats) == [2]
    with pytest.raises(Refused) as refusal:
        GAME.check(Options(), seats)
    assert refusal.value.code == "options_not_allowed"


def test_option_schema_documents_every_bound() -> None:
    (schema,) = msgspec.json.schema_components([Options])[1].values()
    fields = schema["properties"]
    assert all(field["description"] for field in fields.values())
    assert (fields["tie_reflips"]["minimum"], fields["tie_reflips"]["maximum"]) == (0, 10)
    assert (fields["first_player"]["minimum"], fields["first_player"]["maximum"]) == (0, 1)


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


def test_option_turn_seconds_a_past_deadline_does_nothing() -> None:
    table = at_turn("p", "", turn_seconds=30)
    bygone = table.awaits.deadline
    assert bygone is not None
    table.expired()
    assert GAME.expire(table.state, bygone) == ()
