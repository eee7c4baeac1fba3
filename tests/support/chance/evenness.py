"""The probability that an even source deviates at least as far as the counts did, by Pearson's
chi-square."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from importlib import import_module
from typing import Any

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
