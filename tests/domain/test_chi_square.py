"""The chi-square of the fairness tests against printed tables and closed forms."""

import math
from fractions import Fraction
from itertools import permutations
from random import Random

import pytest

from tests.domain.chi_square import evenness, places_even, rows_even, tail

PRINTED = [  # degrees of freedom, p, critical value to three places
    (1, 0.05, 3.841), (1, 0.01, 6.635), (1, 0.001, 10.828), (2, 0.05, 5.991), (3, 0.001, 16.266),
    (5, 0.95, 1.145), (5, 0.01, 15.086), (10, 0.99, 2.558), (10, 0.05, 18.307),
    (10, 0.001, 29.588), (30, 0.95, 18.493), (30, 0.01, 50.892), (100, 0.05, 124.342),
    (100, 0.001, 149.449),
]  # fmt: skip


@pytest.mark.parametrize(("freedom", "p", "critical"), PRINTED)
def test_the_tail_has_the_values_of_the_printed_tables(
    freedom: int, p: float, critical: float
) -> None:
    assert tail(critical - 0.0005, freedom) >= p >= tail(critical + 0.0005, freedom)


@pytest.mark.parametrize("freedom", [2, 8, 80, 576, 2600])
@pytest.mark.parametrize("tenths", [5, 9, 10, 11, 15, 20])
def test_the_tail_is_the_sum_of_poisson_for_even_freedom(freedom: int, tenths: int) -> None:
    """Q(k, x) = e^-x (1 + x + x^2/2! + ... + x^(k-1)/(k-1)!) for a whole k, summed exactly."""
    x = Fraction(tenths, 10) * freedom / 2
    term = total = Fraction(1)
    for j in range(1, freedom // 2):
        term = term * x / j
        total += term
    exact = math.exp(math.log(total.numerator) - math.log(total.denominator) - float(x))
    assert tail(float(2 * x), freedom) == pytest.approx(exact, rel=1e-9, abs=0)


@pytest.mark.parametrize("statistic", [0.01, 0.5, 1.0, 2.9, 3.1, 24.0, 60.0, 400.0])
def test_the_tail_is_that_of_the_bell_curve_for_one_degree(statistic: float) -> None:
    assert tail(statistic, 1) == pytest.approx(math.erfc(math.sqrt(statistic / 2)), rel=1e-9, abs=0)


def test_what_is_exactly_even_strays_nowhere() -> None:
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
def test_orders_have_the_covariance_that_the_places_are_weighed_by(n: int) -> None:
    orders = list(permutations(range(n)))
    for row, column, other_row, other_column in [(0, 0, 0, 0), (0, 0, 0, 1), (0, 0, 1, 1)]:
        both = sum(o[column] == row and o[other_column] == other_row for o in orders)
        covariance = Fraction(both, len(orders)) - Fraction(1, n * n)
        same_row = (row == other_row) - Fraction(1, n)
        same_column = (column == other_column) - Fraction(1, n)
        assert covariance == same_row * same_column / (n - 1)


def test_a_fair_source_is_found_fair_at_every_level() -> None:
    """p itself must be evenly spread: orders of another generator, 500 tables of places."""
    rng, found = Random(1), []
    for _ in range(500):
        table = [[0] * 5 for _ in range(5)]
        for _ in range(60):
            for place, item in enumerate(rng.sample(range(5), 5)):
                table[item][place] += 1
        found.append(int(places_even(table) * 10))
    assert evenness(found, 10) > 0.001
