"""The counting of the fairness checks: chi-square itself is SciPy's."""

import math
from fractions import Fraction
from itertools import permutations
from random import Random

import pytest

from tests.support.chance.evenness import evenness, places_even, rows_even


def test_an_exactly_even_count_has_no_deviation() -> None:
    assert evenness([0, 1, 2] * 10, 3) == 1
    assert rows_even([[10, 10], [20, 20]]) == 1
    assert places_even([[10, 10], [10, 10]]) == 1


def test_a_cell_that_never_comes_counts() -> None:
    """(10^2 + 10^2 + 20^2) / 20 = 30; two degrees of freedom have the tail e^(-x/2)."""
    assert evenness([0, 1] * 30, 3) == pytest.approx(math.exp(-30 / 2))


def test_rows_add_up() -> None:
    """Each row gives (20^2 + 20^2) / 50 = 16; two degrees of freedom have the tail e^(-x/2)."""
    assert rows_even([[70, 30], [30, 70]]) == pytest.approx(math.exp(-32 / 2))


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_orders_have_the_covariance_by_which_the_positions_are_weighted(n: int) -> None:
    orders = list(permutations(range(n)))
    for row, column, other_row, other_column in [(0, 0, 0, 0), (0, 0, 0, 1), (0, 0, 1, 1)]:
        both = sum(o[column] == row and o[other_column] == other_row for o in orders)
        covariance = Fraction(both, len(orders)) - Fraction(1, n * n)
        same_row = (row == other_row) - Fraction(1, n)
        same_column = (column == other_column) - Fraction(1, n)
        assert covariance == same_row * same_column / (n - 1)


def test_a_fair_source_is_found_fair_at_every_level() -> None:
    """p itself must be evenly distributed: orders of another generator, 500 tables of positions."""
    rng, found = Random(1), []
    for _ in range(500):
        table = [[0] * 5 for _ in range(5)]
        for _ in range(60):
            for place, item in enumerate(rng.sample(range(5), 5)):
                table[item][place] += 1
        found.append(int(places_even(table) * 10))
    assert evenness(found, 10) > 0.001
