"""What a seat can ask for in Dollar Prize."""

from typing import Annotated

from msgspec import Meta, Struct

from domain.chance.draws import Face
from domain.games.dollar_prize.coins import Coin, Recipe


class ChooseSide(Struct, frozen=True, tag="choose_side", forbid_unknown_fields=True):
    """The first player's pick; the other seat has the opposite side."""

    side: Annotated[Face, Meta(description="The side of the coins that the seat has.")]


class Place(Struct, frozen=True, tag="place", forbid_unknown_fields=True):
    """Puts a coin from the bank on the seat's own side."""

    coin: Annotated[
        Coin, Meta(description="Worth at most as much as the highest coin of the seat's side.")
    ]


class Convert(Struct, frozen=True, tag="convert", forbid_unknown_fields=True):
    """Changes the seat's own coins for one higher coin."""

    recipe: Annotated[Recipe, Meta(description="Which coins are changed, and for which.")]


class EndTurn(Struct, frozen=True, tag="end_turn", forbid_unknown_fields=True):
    """Ends a turn without the conversion that is still possible."""


class Keep(Struct, frozen=True, tag="keep", forbid_unknown_fields=True):
    """Keeps a stolen coin."""


class Exchange(Struct, frozen=True, tag="exchange", forbid_unknown_fields=True):
    """Exchanges a stolen coin for lower ones, in any order."""

    coins: Annotated[
        tuple[Coin, ...],
        Meta(max_length=64, description="Lower coins that are together worth the stolen one."),
    ]


Action = ChooseSide | Place | Convert | EndTurn | Keep | Exchange
