"""A player of Dollar Prize: it wants the highest coins early, and stolen ones made hard to lose."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

from service.cli.any_action import any_action

VALUE = {"penny": 1, "nickel": 5, "dime": 10, "quarter": 25}
OPENS = {
    "nickel_and_two_dimes": 4,
    "five_pennies_and_two_dimes": 4,
    "two_nickels": 3,
    "five_pennies": 2,
}
"""The rank, from 1, of the coin that each recipe gives and so allows to be placed."""
WHIM = 0.1
"""Probability of a random allowed action."""


def choose(
    view: Mapping[str, Any], menu: Sequence[Mapping[str, Any]], seat: int, rng: random.Random
) -> dict[str, Any]:
    """One action of the menu, which must not be empty."""
    offers = {offer["type"]: offer for offer in menu}
    if rng.random() < WHIM:
        return any_action(view, menu, seat, rng)
    if "convert" in offers and (recipe := _recipe(view, offers, seat)):
        return {"type": "convert", "recipe": recipe}
    if "place" in offers:
        coins = offers["place"]["schema"]["properties"]["coin"]["enum"]
        return {"type": "place", "coin": max(coins, key=VALUE.__getitem__)}
    if "exchange" in offers:
        return _received(view, offers["exchange"], seat, rng)
    if "end_turn" in offers:
        return {"type": "end_turn"}
    return any_action(view, menu, seat, rng)


def _recipe(
    view: Mapping[str, Any], offers: Mapping[str, Mapping[str, Any]], seat: int
) -> str | None:
    """The recipe for the highest coin, if it is higher than any on the seat's own side.

    A conversion to a kind of coin that is there already would open nothing new.
    """
    recipes = offers["convert"]["schema"]["properties"]["recipe"]["enum"]
    best: str = max(recipes, key=OPENS.__getitem__)
    ranks = [list(VALUE).index(coin) + 1 for coin in view["lines"][seat]]
    return best if OPENS[best] > max(ranks, default=0) else None


def _received(
    view: Mapping[str, Any], offer: Mapping[str, Any], seat: int, rng: random.Random
) -> dict[str, Any]:
    """Keeps a coin that allows the seat to place more of its kind, and breaks up a spare one.

    Where the other side has more of a kind, the next steal gives a coin rather than takes one.
    """
    highest = max(map(VALUE.__getitem__, view["lines"][seat]))
    stolen = sum(VALUE[coin] for coin in offer["examples"][0]["coins"])
    own, other = (_count(view["lines"][at], stolen) for at in (seat, 1 - seat))
    if own <= other or (stolen == highest and own == 1):
        return {"type": "keep"}
    return dict(rng.choice(offer["examples"]))


def _count(line: Sequence[str], value: int) -> int:
    return sum(VALUE[coin] == value for coin in line)
