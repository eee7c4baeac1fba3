"""What can be agreed on before a game of Dollar Prize."""

from typing import Annotated

from msgspec import Meta, Struct

from domain.game import Refused
from domain.games.dollar_prize.coins import DownConversion

MOST_REFLIPS = 10
LONGEST_TURN = 365 * 24 * 3600

FirstPlayer = Annotated[
    int,
    Meta(
        extra_json_schema={
            "minimum": 0,
            "maximum": 1,
            "description": "The seat that picks the side and moves first in every round.",
        }
    ),
]
TieReflips = Annotated[
    int,
    Meta(
        extra_json_schema={
            "minimum": 0,
            "maximum": MOST_REFLIPS,
            "description": "How many more steals may try to break a tie at a dollar or more.",
        }
    ),
]
DownConversionRule = Annotated[
    DownConversion,
    Meta(
        extra_json_schema={
            "description": "What a stolen coin may be exchanged for: any lower coins of its value, "
            "or one listed way for each coin."
        }
    ),
]
TurnSeconds = Annotated[
    int | None,
    Meta(
        extra_json_schema={
            "minimum": 1,
            "maximum": LONGEST_TURN,
            "description": "How long a turn or another decision may take, in seconds, if the "
            "match runs on the clock of the rules; null for no limit.",
        }
    ),
]


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options of a game; the defaults are the usual game."""

    first_player: FirstPlayer = 0
    tie_reflips: TieReflips = 1
    down_conversion: DownConversionRule = "any"
    turn_seconds: TurnSeconds = None


def check(options: Options, seats: int) -> None:
    """Raises Refused if no game can be played with these options."""
    if seats != 2:
        raise _not_allowed(f"Dollar Prize is for 2 seats, not {seats}.")
    if options.first_player not in (0, 1):
        raise _not_allowed("first_player is a seat, 0 or 1.")
    if not 0 <= options.tie_reflips <= MOST_REFLIPS:
        raise _not_allowed(f"tie_reflips is a number from 0 to {MOST_REFLIPS}.")
    if options.turn_seconds is not None and not 1 <= options.turn_seconds <= LONGEST_TURN:
        raise _not_allowed(f"turn_seconds is null or a number from 1 to {LONGEST_TURN}.")


def _not_allowed(text: str) -> Refused:
    return Refused("options_not_allowed", text)
