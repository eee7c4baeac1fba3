"""Requirements on even chance. Each check gives p: the probability that even chance deviates as
far.

A check takes the chance to judge and the number of draws to make.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from importlib import import_module
from itertools import chain
from typing import Any, TypeVar

from tests.support.chance.chance_source import Chance, DrawPosition, Order, walk

Counts = Sequence[Sequence[int]]
LEAST_EXPECTED = 5
"""Expected count per cell below which chi-square says nothing."""


def evenness(seen: Iterable[Hashable], cells: int) -> float:
    """p of independent observations that fall into `cells` equally likely cells."""
    counted = list(Counter(seen).values())
    assert len(counted) <= cells
    tally = counted + [0] * (cells - len(counted))
    assert sum(tally) >= LEAST_EXPECTED * cells, "too few observations for chi-square"
    return float(_stats().chisquare(tally).pvalue)


def rows_even(table: Counts) -> float:
    """p of a table whose rows are independent, each with equally likely cells."""
    for row in table:
        assert sum(row) >= LEAST_EXPECTED * len(row), "too few observations for chi-square"
    strayed = _stats().chisquare(table, axis=1).statistic.sum()
    return float(_stats().chi2.sf(strayed, sum(len(row) - 1 for row in table)))


def places_even(table: Counts) -> float:
    """p of a square table of how often each item came to each position.

    Every order fills each row and each column once, so the cells depend on each other: for even
    orders of n items two cells have the covariance (d - 1/n)(e - 1/n) / (n - 1), where d and e are
    1 in the same row and in the same column, else 0. Pearson's sum is therefore n/(n-1) times a
    chi-square with (n-1)^2 degrees of freedom (R. L. Anderson, Biometrics 15, 1959).
    """
    n = len(table)
    assert sum(table[0]) >= LEAST_EXPECTED * n, "too few observations for chi-square"
    strayed = _stats().chisquare(table, axis=None).statistic
    return float(_stats().chi2.sf(strayed * (n - 1) / n, (n - 1) ** 2))


def _stats() -> Any:
    """SciPy's statistics. Loading them takes a second, so they are loaded on first use."""
    return import_module("scipy.stats")


FLIPS, NUMBERS, BLOCK = 16, 10, 8
"""Number of coins and numbers in a draw here, and number of words in a block."""
WIDE, THIRTEENTHS = 13 * 2**28, 13
"""With this bound a word mod n, without rejection, gives the first three thirteenths twice as often
as the others; numbers are counted by thirteenths, which are of one size."""

NEXT_DRAW, NEXT_EPOCH, NEXT_MATCH = (
    DrawPosition(0, 0, 1),
    DrawPosition(0, 1, 0),
    DrawPosition(1, 0, 0),
)

T = TypeVar("T")
Check = Callable[[Chance, int], float]


@lru_cache(maxsize=2)
def coins(chance: Chance, draws: int) -> dict[DrawPosition, list[int]]:
    return {position: chance.flips(position, FLIPS) for position in walk(draws)}


@lru_cache(maxsize=2)
def nines(chance: Chance, draws: int) -> dict[DrawPosition, list[Order]]:
    """Two shuffles of nine items in each draw; each uses up a block of words."""
    return {position: chance.orders(position, 9, 9) for position in walk(draws)}


def neighbours(
    sample: dict[DrawPosition, T], step: DrawPosition, phase: int
) -> Iterator[tuple[T, T]]:
    """Every other value drawn, paired with the one before it. No draw is in two pairs, because
    overlapping pairs would not be independent; the other phase has the remaining pairs."""
    (axis,) = (axis for axis, length in enumerate(step) if length)
    for position, found in sample.items():
        behind = DrawPosition(*(at + length for at, length in zip(position, step, strict=True)))
        if position[axis] % 2 == phase and behind in sample:
            yield found, sample[behind]


def faces(chance: Chance, draws: int) -> float:
    """Heads and tails of all coins."""
    return evenness(chain.from_iterable(coins(chance, draws).values()), 2)


def faces_by_place(chance: Chance, draws: int) -> float:
    """Heads and tails of the first coin of a draw, of the second, and so on."""
    flipped = coins(chance, draws).values()
    tails = [sum(column) for column in zip(*flipped, strict=True)]
    return rows_even([(len(flipped) - each, each) for each in tails])


def coins_of_a_draw(distance: int, first: int, chance: Chance, draws: int) -> float:
    """Pairs of coins at this distance in one draw, from the first coin on."""
    starts = [at for at in range(first, FLIPS - distance) if (at - first) // distance % 2 == 0]
    flipped = coins(chance, draws).values()
    return evenness(((row[at], row[at + distance]) for row in flipped for at in starts), 4)


def coins_of_neighbours(step: DrawPosition, phase: int, chance: Chance, draws: int) -> float:
    """The coins at the same position of two draws."""
    rows = neighbours(coins(chance, draws), step, phase)
    return evenness(chain.from_iterable(zip(a, b, strict=True) for a, b in rows), 4)


def numbers(n: int, cells: int, chance: Chance, draws: int) -> float:
    """Numbers below n, in cells of n / cells neighbours each."""
    width, rest = divmod(n, cells)
    assert rest == 0
    drawn = (chance.numbers(position, n, NUMBERS) for position in walk(draws))
    return evenness((number // width for number in chain.from_iterable(drawn)), cells)


def rolls(sides: int, chance: Chance, draws: int) -> float:
    """The sides of all dice."""
    drawn = (chance.rolls(position, sides, NUMBERS) for position in walk(draws))
    return evenness(chain.from_iterable(drawn), sides)


def numbers_of_a_draw(n: int, chance: Chance, draws: int) -> float:
    """Pairs of consecutive numbers below n in a draw."""
    drawn = (chance.numbers(position, n, NUMBERS) for position in walk(draws))
    pairs = (zip(row[::2], row[1::2], strict=True) for row in drawn)
    return evenness(chain.from_iterable(pairs), n * n)


def orders(size: int, cells: int, chance: Chance, draws: int) -> float:
    """All orders of a shuffle."""
    return evenness((chance.orders(position, size)[0] for position in walk(draws)), cells)


def places(size: int, chance: Chance, draws: int) -> float:
    """How often each item comes to each position."""
    columns = zip(*(chance.orders(at, size)[0] for at in walk(draws)), strict=True)
    counted = [Counter(column) for column in columns]
    return places_even([[column[item] for item in range(size)] for column in counted])


def two_orders(size: int, cells: int, chance: Chance, draws: int) -> float:
    """All orders of the two shuffles of one draw, taken together."""
    return evenness((tuple(chance.orders(at, size, size)) for at in walk(draws)), cells**2)


def two_items(at: int, chance: Chance, draws: int) -> float:
    """The items in the same position of the two shuffles of one draw."""
    dealt = nines(chance, draws).values()
    return evenness(((one[at], two[at]) for one, two in dealt), 81)


def items_of_neighbours(step: DrawPosition, phase: int, chance: Chance, draws: int) -> float:
    """The items in the last position of the first shuffle of two draws."""
    pairs = neighbours(nines(chance, draws), step, phase)
    return evenness(((one[0][-1], two[0][-1]) for one, two in pairs), 81)


CHECKS: dict[str, Check] = {
    "faces": faces,
    "faces by place": faces_by_place,
    "coins 1-2, 3-4": partial(coins_of_a_draw, 1, 0),
    "coins 2-3, 4-5": partial(coins_of_a_draw, 1, 1),
    "coins a block apart": partial(coins_of_a_draw, BLOCK, 0),
    "coins of draws 1-2, 3-4": partial(coins_of_neighbours, NEXT_DRAW, 0),
    "coins of draws 2-3, 4-5": partial(coins_of_neighbours, NEXT_DRAW, 1),
    "coins of epochs 0-1, 2-3": partial(coins_of_neighbours, NEXT_EPOCH, 0),
    "coins of epochs 1-2": partial(coins_of_neighbours, NEXT_EPOCH, 1),
    "coins of matches of one seed": partial(coins_of_neighbours, NEXT_MATCH, 0),
    "below 3": partial(numbers, 3, 3),
    "below 6": partial(numbers, 6, 6),
    "below 7": partial(numbers, 7, 7),
    "below 100": partial(numbers, 100, 100),
    "below 1000": partial(numbers, 1000, 1000),
    "below 13 * 2^28": partial(numbers, WIDE, THIRTEENTHS),
    "rolls of 6": partial(rolls, 6),
    "two numbers below 6": partial(numbers_of_a_draw, 6),
    "orders of 5": partial(orders, 5, 120),
    "places of 12": partial(places, 12),
    "places of 52": partial(places, 52),
    "two orders of 4": partial(two_orders, 4, 24),
    "first items of two orders": partial(two_items, 0),
    "last items of two orders": partial(two_items, -1),
    "last items of draws 1-2, 3-4": partial(items_of_neighbours, NEXT_DRAW, 0),
    "last items of draws 2-3, 4-5": partial(items_of_neighbours, NEXT_DRAW, 1),
}
