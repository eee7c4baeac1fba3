"""Chance by `arbiter-rng/1` is even: proved exactly where words can be counted, by chi-square where
they are derived.

All words follow from fixed seeds, so the result never changes between runs. Seeds are small numbers
on purpose: any evenness then comes from the scheme and not from the seeds.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice, product
from operator import add

import pytest

from domain.chance import generator
from tests.support.effort import times

DRAWS = times("draws")
EPOCHS, DRAWS_OF_EPOCH = 4, 25
MOST = 373.0
"""Chi-square of 255 degrees of freedom; even words come above it once in a million times."""

Position = tuple[int, int, int]
"""A draw: its match, its epoch, and its number within the epoch."""

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
    assert generator._shuffle("a", iter(())) == ("a",)


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
    orders = [generator._shuffle(range(size), iter(row)) for row in choices]
    assert len(orders) == len(set(orders))
    assert {tuple(sorted(order)) for order in orders} == {tuple(range(size))}


@cache
def words() -> dict[Position, bytes]:
    """The first block of words of every draw."""
    return {
        position: b"".join(word.to_bytes(4) for word in islice(generator._words(key), 8))
        for match in range(DRAWS // (EPOCHS * DRAWS_OF_EPOCH))
        for position, key in keys(match)
    }


def keys(match: int) -> Iterator[tuple[Position, bytes]]:
    """Two matches share each seed, in all their epochs; in two of every four the seats gave
    seeds. None of this may show."""
    name, seed = f"0199aa00-0000-7000-8000-{match:012x}", (match // 2).to_bytes(32)
    clients = generator.clients({0: b"alice", 1: b"carol"} if match % 4 > 1 else {})
    for epoch in range(EPOCHS):
        committed = generator.commit(name, epoch, seed)
        heard = generator.transcript(name, epoch, committed, b"R" * 32, b"S" * 32, clients)
        master = generator.master(seed, heard)
        for draw in range(DRAWS_OF_EPOCH):
            drawn = generator.draw_name(epoch, f"r{draw + 1}/steal/1")
            yield (match, epoch, draw), generator.draw_key(master, drawn)


def chi_square(seen: Iterable[int]) -> float:
    """How far bytes deviate from equally many of each."""
    counted = Counter(seen)
    expected = counted.total() / 256
    return sum((counted[byte] - expected) ** 2 for byte in range(256)) / expected


@pytest.mark.parametrize("place", range(32))
def test_each_byte_of_a_block_is_even(place: int) -> None:
    assert chi_square(block[place] for block in words().values()) < MOST


@pytest.mark.parametrize("step", [(0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 1, 1)])
def test_neighbours_do_not_depend_on_each_other(step: Position) -> None:
    """The words of two draws, of two epochs, and of two matches of one seed."""
    differences = (
        one ^ other
        for position, block in words().items()
        if (next_to := tuple(map(add, position, step))) in words()
        for one, other in zip(block, words()[next_to], strict=True)
    )
    assert chi_square(differences) < MOST


def test_words_of_a_draw_do_not_depend_on_each_other() -> None:
    for distance in (1, 4, 16):
        differences = (
            one ^ other
            for block in words().values()
            for one, other in zip(block, block[distance:], strict=False)
        )
        assert chi_square(differences) < MOST
