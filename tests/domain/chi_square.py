"""Pearson's chi-square: how likely a fair source strays at least as far as was counted."""

import math
from collections.abc import Hashable, Iterable, Sequence
from itertools import count

Table = Sequence[Sequence[int]]


def tail(statistic: float, freedom: int) -> float:
    """The chance that chi-square with `freedom` degrees of freedom is `statistic` or more.

    This is the upper regularised incomplete gamma function Q(freedom/2, statistic/2).
    """
    a, x = freedom / 2, statistic / 2
    if x <= 0:
        return 1.0
    weight = math.exp(a * math.log(x) - x - math.lgamma(a))  # x^a e^-x / Gamma(a)
    return 1 - weight * _series(a, x) if x < a + 1 else weight * _fraction(a, x)


def _series(a: float, x: float) -> float:
    """The power series of the lower function (DLMF 8.7.1), quick where x is below a + 1."""
    term = total = 1 / a
    for n in count(1):
        term *= x / (a + n)
        total += term
        if term < total * 1e-16:
            break
    return total


def _fraction(a: float, x: float) -> float:
    """The continued fraction of the upper function (DLMF 8.9.2, its even part), from the front
    by Lentz's method; quick where x is above a + 1."""
    b = x + 1 - a
    front, back = math.inf, 1 / b
    total = back
    for n in count(1):
        step = n * (a - n)
        b += 2
        front = b + step / front
        back = 1 / (b + step * back)
        total *= front * back
        if abs(front * back - 1) < 1e-15:
            break
    return total


def evenness(seen: Iterable[Hashable], cells: int) -> float:
    """p of independent observations that fall into `cells` equally likely cells."""
    tally: dict[Hashable, int] = {}
    for observation in seen:
        tally[observation] = tally.get(observation, 0) + 1
    assert len(tally) <= cells
    expected = sum(tally.values()) / cells
    assert expected >= 5, "too few observations for chi-square"
    strayed = sum((times - expected) ** 2 for times in tally.values())
    strayed += (cells - len(tally)) * expected**2
    return tail(strayed / expected, cells - 1)


def rows_even(table: Table) -> float:
    """p of a table whose rows are independent, each with equally likely cells."""
    total = 0.0
    for row in table:
        expected = sum(row) / len(row)
        assert expected >= 5, "too few observations for chi-square"
        total += sum((times - expected) ** 2 for times in row) / expected
    return tail(total, sum(len(row) - 1 for row in table))


def places_even(table: Table) -> float:
    """p of a square table of how often each item came to lie in each place.

    Every order fills each row and each column once, so the cells hang together: for even orders
    of n items two cells have the covariance (d - 1/n)(e - 1/n) / (n - 1), where d and e are 1 in
    the same row and in the same column, else 0. Pearson's sum is therefore n/(n-1) times a
    chi-square with (n-1)^2 degrees of freedom (R. L. Anderson, Biometrics 15, 1959).
    """
    n = len(table)
    expected = sum(table[0]) / n
    assert expected >= 5, "too few observations for chi-square"
    strayed = sum((times - expected) ** 2 for row in table for times in row) / expected
    return tail(strayed * (n - 1) / n, (n - 1) ** 2)
