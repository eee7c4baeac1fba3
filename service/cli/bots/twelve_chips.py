"""A bot for 12 Chips: it keeps what brings its own four chips close to 21."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

TARGET = 21
WHIM = 1.5
"""How much, in points of a sum, the bot's preferences vary from move to move."""


def choose(
    view: Mapping[str, Any], menu: Sequence[Mapping[str, Any]], seat: int, rng: Random
) -> dict[str, Any]:
    """One action of the menu, by what the seat sees: its hand, the centre and its front."""
    schema = menu[0]["schema"]["properties"]
    kind, chips = schema["type"]["const"], schema["chip"]["enum"]
    total = sum(view["hand"]) + sum(view["fronts"][seat])
    if kind == "take":
        wants = {chip: _take_value(total + chip) for chip in chips}
    else:
        wants = {chip: _play_value(total - chip, view, chip) for chip in chips}
    best = max(chips, key=lambda chip: wants[chip] + rng.uniform(-WHIM, WHIM))
    return {"type": kind, "chip": best}


def _take_value(total: int) -> float:
    """The closer to 21 the better; over 21 is worse than any sum below."""
    return total - TARGET if total <= TARGET else -total


def _play_value(left: int, view: Mapping[str, Any], chip: int) -> float:
    """Three chips should leave room for one that the bot is likely to get: a red chip of the centre
    if there is one, else a middling one. The winner of the trick chooses first, so a high chip is
    worth a bit."""
    centre: list[int] = [played["chip"] for played in view["centre"]]
    reds = [other for other in (*centre, chip) if 4 <= other <= 9]
    likely = sum(reds) / len(reds) if reds else 6.5
    first = 1.0 if not centre or chip > max(centre) else 0.0
    return first - abs(TARGET - left - likely)
