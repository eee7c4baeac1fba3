"""What can be agreed on before a game of Dollar Prize."""

from typing import Annotated

from msgspec import Meta, Struct

from domain.games.dollar_prize.coins import DownConversion
from domain.limits import between, taken_seat

MOST_REFLIPS = 10
LONGEST_TURN = 365 * 24 * 3600


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options of a game; the defaults are the usual game."""

    first_player: Annotated[
        int, taken_seat(2, "The seat that picks the side and moves first in every round.")
    ] = 0
    tie_reflips: Annotated[
        int,
        between(
            0, MOST_REFLIPS, "How many more steals may try to break a tie at a dollar or more."
        ),
    ] = 1
    down_conversion: Annotated[
        DownConversion,
        Meta(
            description="What a stolen coin may be exchanged for: any lower coins of its value, "
            "or one listed way for each coin."
        ),
    ] = "any"
    turn_seconds: Annotated[
        int | None,
        between(
            1,
            LONGEST_TURN,
            "How long a turn or another decision may take, in seconds, if the match runs on the "
            "clock of the rules; null for no limit.",
        ),
    ] = None
