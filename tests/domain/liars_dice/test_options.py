"""The options of Liar's Dice: their defaults, and what each of them changes."""

from typing import Any

import msgspec
import pytest

from domain.games.liars_dice import GAME, Options
from tests.domain.liars_dice.liars_dice_tables import new


def test_options_have_the_defaults_of_the_rules() -> None:
    assert msgspec.to_builtins(Options()) == {
        "dice": 5,
        "wild_ones": True,
        "exact_call": False,
        "first_player": 0,
        "turn_seconds": None,
    }


def test_two_to_six_can_play() -> None:
    assert list(GAME.seats) == [2, 3, 4, 5, 6]


@pytest.mark.parametrize("face", [0, 7, -1, "6", 1.5])
def test_a_die_has_six_faces(face: Any) -> None:
    """A bid on another one is no action at all."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"type": "bid", "count": 1, "face": face}, GAME.Action)


@pytest.mark.parametrize("dice", range(1, 7))
def test_dice_is_how_many_each_seat_begins_with(dice: int) -> None:
    table = new(3, dice=dice)
    assert table.state.dice_left == (dice,) * 3
    assert len(table.draw.parts) == dice
