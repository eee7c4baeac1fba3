"""RFC 6962, section 2.1: known answers, and the roots of any leaves."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.proof.merkle import EMPTY, Tree, add_leaves, leaf_hash, node_hash, root_of

INPUTS = [
    bytes.fromhex(text)
    for text in (
        "", "00", "10", "2021", "3031", "40414243", "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]  # fmt: skip
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
"""The roots of the first 1 to 8 inputs, as implementations of certificate transparency compute
them."""


def by_definition(hashes: list[bytes]) -> bytes:
    """MTH of RFC 6962, word for word."""
    if not hashes:
        return sha256(b"").digest()
    if len(hashes) == 1:
        return hashes[0]
    k = max(2**i for i in range(len(hashes)) if 2**i < len(hashes))
    return node_hash(by_definition(hashes[:k]), by_definition(hashes[k:]))


@pytest.mark.parametrize("size", range(1, 9))
def test_the_known_roots(size: int) -> None:
    assert root_of(map(leaf_hash, INPUTS[:size])).hex() == ROOTS[size - 1]


def test_the_root_of_nothing() -> None:
    assert Tree().root == EMPTY == sha256(b"").digest()


@given(st.lists(st.binary(max_size=4), max_size=70), st.integers(0, 70))
def test_a_tree_that_grows_has_the_root_of_its_definition(leaves: list[bytes], cut: int) -> None:
    hashes = list(map(leaf_hash, leaves))
    tree = add_leaves(add_leaves(Tree(), hashes[:cut]), hashes[cut:])
    assert tree.size == len(hashes)
    assert tree.root == by_definition(hashes)
    assert len(tree.peaks) == tree.size.bit_count()


def test_a_leaf_is_no_node() -> None:
    one, other = leaf_hash(b"a"), leaf_hash(b"b")
    assert leaf_hash(one + other) != node_hash(one, other) == sha256(b"\x01" + one + other).digest()
    assert leaf_hash(b"leaf") == sha256(b"\x00leaf").digest()
