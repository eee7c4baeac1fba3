"""The coins of Dollar Prize, the lines they form, and what may be changed for what."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from domain.chance.draws import Face

Coin = Literal["penny", "nickel", "dime", "quarter"]
COINS: tuple[Coin, ...] = ("penny", "nickel", "dime", "quarter")
"""From the lowest to the highest."""

VALUE: dict[Coin, int] = {"penny": 1, "nickel": 5, "dime": 10, "quarter": 25}
"""In cents."""

Flips = tuple[tuple[Coin, Face], ...]
"""Coins that were flipped together, and their faces."""

Line = tuple[int, int, int, int]
"""How many pennies, nickels, dimes and quarters; as a change, a number may be negative."""

EMPTY: Line = (0, 0, 0, 0)
ONE: dict[Coin, Line] = {
    "penny": (1, 0, 0, 0),
    "nickel": (0, 1, 0, 0),
    "dime": (0, 0, 1, 0),
    "quarter": (0, 0, 0, 1),
}

Recipe = Literal[
    "five_pennies", "two_nickels", "nickel_and_two_dimes", "five_pennies_and_two_dimes"
]
RECIPES: dict[Recipe, Line] = {
    "five_pennies": (-5, 1, 0, 0),
    "two_nickels": (0, -2, 1, 0),
    "nickel_and_two_dimes": (0, -1, -2, 1),
    "five_pennies_and_two_dimes": (-5, 0, -2, 1),
}
"""The change that one application of each recipe makes to a line."""

DownConversion = Literal["any", "listed"]
Row = tuple[Coin, ...]
"""Coins one by one, ascending."""
_EACH: tuple[Row, ...] = tuple((coin,) for coin in COINS)


def plus(line: Line, change: Line) -> Line:
    pennies, nickels, dimes, quarters = line
    more_pennies, more_nickels, more_dimes, more_quarters = change
    return (
        pennies + more_pennies,
        nickels + more_nickels,
        dimes + more_dimes,
        quarters + more_quarters,
    )


def minus(line: Line, change: Line) -> Line:
    pennies, nickels, dimes, quarters = change
    return plus(line, (-pennies, -nickels, -dimes, -quarters))


def total(line: Line) -> int:
    """What a line is worth, in cents."""
    pennies, nickels, dimes, quarters = line
    return pennies + 5 * nickels + 10 * dimes + 25 * quarters


def line_of(coins: Sequence[Coin]) -> Line:
    """The line with these coins, in any order."""
    count = coins.count
    return (count("penny"), count("nickel"), count("dime"), count("quarter"))


@lru_cache(1024)
def laid_out(line: Line) -> Row:
    """The coins of a line as they lie, from the prize outwards.

    >>> laid_out((1, 0, 2, 0))
    ('penny', 'dime', 'dime')
    """
    pennies, nickels, dimes, quarters = line
    penny, nickel, dime, quarter = _EACH
    return penny * pennies + nickel * nickels + dime * dimes + quarter * quarters


def up_to_highest(*lines: Line) -> tuple[Coin, ...]:
    """Every coin up to the highest in these lines, ascending; a penny if they have no coin."""
    rank = next((rank for rank in (3, 2, 1) if any(line[rank] for line in lines)), 0)
    return COINS[: rank + 1]


def possible_recipes(line: Line) -> tuple[Recipe, ...]:
    """The recipes for which the line has the coins."""
    return tuple(recipe for recipe, change in RECIPES.items() if min(plus(line, change)) >= 0)


def ways_to_make(cents: int, coins: tuple[Coin, ...]) -> list[Row]:
    """Every choice of `coins` (given ascending) that is worth `cents`.

    >>> ways_to_make(10, ("penny", "nickel"))[1:]
    [('penny', 'penny', 'penny', 'penny', 'penny', 'nickel'), ('nickel', 'nickel')]
    """
    if not coins:
        return [()] if cents == 0 else []
    *lower, coin = coins
    return [
        way + (coin,) * count
        for count in range(cents // VALUE[coin] + 1)
        for way in ways_to_make(cents - count * VALUE[coin], tuple(lower))
    ]


EXCHANGES: dict[DownConversion, dict[Coin, tuple[Row, ...]]] = {
    "any": {
        coin: tuple(ways_to_make(VALUE[coin], COINS[:rank])) for rank, coin in enumerate(COINS)
    },
    "listed": {
        "penny": (),
        "nickel": (("penny",) * 5,),
        "dime": (("nickel", "nickel"),),
        "quarter": (("nickel", "dime", "dime"),),
    },
}
"""What a stolen coin may be exchanged for, by the option `down_conversion`."""
