"""Roots of trees that the page computes are those of RFC 6962, as the domain computes them."""

from random import Random

import pytest

from domain.proof.merkle import leaf_hash, root_of
from tests.support.web.verifier_script import page_answers

MOST = 70


def leaves(count: int) -> list[bytes]:
    luck = Random(count)
    return [luck.randbytes(luck.choice((0, 1, 54, 55, 56, 63, 64, 65, 200))) for _ in range(count)]


def roots(leaves: list[bytes], sizes: list[int]) -> list[str]:
    (found,) = page_answers(
        [{"ask": "roots", "leaves": [leaf.hex() for leaf in leaves], "sizes": sizes}]
    )
    assert found.error is None, found
    answer: list[str] = found.answer
    return answer


def expected(leaves: list[bytes], size: int) -> str:
    return root_of(map(leaf_hash, leaves[:size])).hex()


def test_the_root_of_every_beginning_is_the_known_one() -> None:
    every, sizes = leaves(MOST), list(range(MOST + 1))
    assert roots(every, sizes) == [expected(every, size) for size in sizes]


@pytest.mark.parametrize("size", [1, 2, 3, 127, 128, 1_000])
def test_the_root_of_many_leaves_is_the_known_one(size: int) -> None:
    every = leaves(size)
    assert roots(every, [size]) == [expected(every, size)]


def test_sizes_may_repeat() -> None:
    every = leaves(9)
    assert roots(every, [3, 3, 9]) == [expected(every, size) for size in (3, 3, 9)]


def test_the_root_of_no_leaves_is_the_hash_of_nothing() -> None:
    assert roots([], [0]) == ["e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"]
