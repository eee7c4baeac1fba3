"""Chance by `arbiter-rng/1` is even: proved exactly where words can be counted, by chi-square where
they are derived.

All draws follow from fixed seeds, so p never changes between runs.
"""

from collections import Counter
from itertools import product

import pytest

from domain.chance import generator
from tests.support.chance.chance_source import Chance
from tests.support.chance.fairness_checks import CHECKS
from tests.support.effort import times

DRAWS = times("draws")
"""Number of draws of each check; fewer leave too little in the cells of the largest table."""
SIGNIFICANCE = 1e-6
"""Chance with a p below this is uneven. With 26 checks a fair scheme would fail one set of seeds in
38,000; with these seeds it passes or fails forever."""

SCHEME = Chance()
WORD = 2**32
UNEVEN = [3, 5, 6, 7, 12, 52, 1000, 2**31 - 1, 2**31 + 1, 13 * 2**28, 2**32 - 1]
EVEN = [2, 4, 256, 2**31, 2**32]


@pytest.mark.parametrize("n", UNEVEN)
def test_words_behind_the_last_whole_round_are_rejected(n: int) -> None:
    limit = WORD - WORD % n
    words = iter([limit, WORD - 1, limit + (WORD - limit) // 2, limit - 1, 0, n - 1, 5])
    assert generator._below(n, words) == n - 1, "the last word of the last whole round"
    assert [generator._below(n, words) for _ in range(3)] == [0, n - 1, 5 % n]
    assert next(words, None) is None


@pytest.mark.parametrize("n", EVEN)
def test_no_word_is_rejected_where_the_rounds_are_whole(n: int) -> None:
    words = iter([WORD - 1, 0, n - 1, WORD - n])
    assert [generator._below(n, words) for _ in range(4)] == [n - 1, 0, n - 1, 0]


def test_one_possibility_uses_no_word() -> None:
    assert generator._below(1, iter(())) == 0
    assert generator._shuffled("a", iter(())) == ("a",)


def test_equally_many_words_give_each_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted for words of 8 bits, where the rule is the same."""
    monkeypatch.setattr(generator, "WORD", 256)
    for n in range(2, 257):
        rounds, words = 256 // n, iter(range(255, -1, -1))
        given = Counter(generator._below(n, words) for _ in range(rounds * n))
        assert given == dict.fromkeys(range(n), rounds)
        assert next(words, None) is None


@pytest.mark.parametrize("size", [2, 3, 5, 7])
def test_every_order_comes_of_exactly_one_row_of_choices(size: int) -> None:
    choices = product(*(range(11 * n, 12 * n) for n in range(size, 1, -1)))
    orders = [generator._shuffled(range(size), iter(row)) for row in choices]
    assert len(orders) == len(set(orders))
    assert {tuple(sorted(order)) for order in orders} == {tuple(range(size))}


@pytest.mark.parametrize("name", CHECKS)
def test_chance_is_even(name: str) -> None:
    assert CHECKS[name](SCHEME, DRAWS) >= SIGNIFICANCE
