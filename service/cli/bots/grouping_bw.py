"""A player of Grouping Black & White: it bets on what the tiles in play can still be.

Nobody sees a tile, but its colour and the numbers shown before in the same pass leave few
possibilities.
"""

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any

View = Mapping[str, Any]
Menu = Sequence[Mapping[str, Any]]
Action = dict[str, Any]

NUMBERS = range(9)
BLUFF = 0.12
"""Probability of betting on a weak tile as on a strong one."""
BOLD, WORTH = 0.62, 0.4
"""Minimum chance of winning to raise, and to call."""
HIGH_STAKES = 6
"""Minimum chips in the pot for a peek."""


def choose(view: View, menu: Menu, seat: int, rng: Random) -> Action:
    """One action of the menu, which must not be empty."""
    offers = {offer["type"]: offer for offer in menu}
    if "name_starter" in offers:
        return {"type": "name_starter", "seat": 1 - seat}
    if "group" in offers:
        return _group(view, offers["group"], seat, rng)
    if "fold" not in offers:
        return {"type": "peek"}
    chance = _chance(view, seat)
    close = WORTH < chance < BOLD
    if "peek" in offers and view["pot"] >= HIGH_STAKES and close:
        return {"type": "peek"}
    return _bet(view, offers, seat, chance, rng)


def _group(view: View, offer: Mapping[str, Any], seat: int, rng: Random) -> Action:
    """Some allowed groups. The order is used as soon as the seat has it, and the seat with more
    chips wants a higher ante."""
    fields = offer["schema"]["properties"]
    own, other = view["stacks"][seat], view["stacks"][1 - seat]
    raises = "anyOf" in fields["ante_increase"] and own > other and rng.random() < 0.5
    return {
        **rng.choice(offer["examples"]),
        "use_order": True in fields["use_order"]["enum"],
        "ante_increase": 1 if raises or _must_end(view, fields) else None,
    }


def _must_end(view: View, fields: Mapping[str, Any]) -> bool:
    """After many sets both seats want a higher ante."""
    return "anyOf" in fields["ante_increase"] and view["set"] > 10


def _bet(
    view: View, offers: Mapping[str, Mapping[str, Any]], seat: int, chance: float, rng: Random
) -> Action:
    """Raises with a good chance or as a bluff, calls what is worth it, else folds."""
    to_call = view["bets"][1 - seat] - view["bets"][seat]
    confident = chance + rng.uniform(-0.08, 0.08)
    bluffs = rng.random() < BLUFF and to_call <= 2
    if "raise" in offers and (confident > BOLD or bluffs or (to_call == 0 and confident > WORTH)):
        return {"type": "raise", "by": _by(offers["raise"], confident, rng)}
    if "call" in offers and confident >= _price(view, to_call):
        return {"type": "call"}
    return {"type": "fold"}


def _price(view: View, to_call: int) -> float:
    """The minimum chance for a call, by its cost and the pot; folding loses the seat's own bet."""
    return min(WORTH, to_call / max(1, view["pot"] + to_call)) if to_call else 0.0


def _by(offer: Mapping[str, Any], confident: float, rng: Random) -> int:
    """More with a better chance, and never quite predictable."""
    most: int = offer["schema"]["properties"]["by"]["maximum"]
    wanted = 1 + round(max(0.0, confident - WORTH) * 12) + rng.randrange(2)
    return max(1, min(most, wanted))


def _chance(view: View, seat: int) -> float:
    """The probability that the seat's own tile is the higher one, ties counted half, by everything
    in the view."""
    own, other = _possible(view, seat, seat), _possible(view, 1 - seat, seat)
    pairs = [(mine, theirs) for mine in own for theirs in other]
    wins = sum((mine > theirs) + 0.5 * (mine == theirs) for mine, theirs in pairs)
    return wins / len(pairs)


def _possible(view: View, whose: int, seat: int) -> Sequence[int]:
    """The numbers that the tile in play of `whose` may have."""
    if whose == seat and view.get("own_tile") is not None:
        return [view["own_tile"]]
    if whose != seat and (known := _peeked_number(view)) is not None:
        return [known]
    colour = view["colours"][whose] if view["colours"] else None
    coloured = [n for n in NUMBERS if ("white" if n % 2 else "black") == colour]
    gone = set(_gone(view, whose, seat))
    left = [number for number in coloured if number not in gone]
    return left or coloured or list(NUMBERS)


def _peeked_number(view: View) -> int | None:
    """The other seat's number, if a peek has shown it in this round."""
    here = [view["set"], view["pass"], view["round"]]
    for known in view["told"]:
        if [known["set"], known["pass"], known["round"]] == here:
            number: int = known["number"]
            return number
    return None


def _gone(view: View, whose: int, seat: int) -> Iterable[int]:
    """Tiles of this pass that are known to have been played."""
    here = (view["set"], view["pass"])
    for ended in view["history"][-len(NUMBERS) :]:
        if (ended["set"], ended["pass"]) != here:
            continue
        if ended["numbers"] is not None:
            yield ended["numbers"][whose]
        if ended["folded_8"] and ended["folder"] == whose:
            yield 8
    if whose != seat:
        yield from (t["number"] for t in view["told"] if (t["set"], t["pass"]) == here)
