"""RFC 6962, section 2.1: known answers, valid proofs, and rejected proofs."""

from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.proof.merkle import (
    EMPTY,
    Tree,
    consistency_proof,
    extends,
    grown,
    includes,
    inclusion_proof,
    leaf_hash,
    node_hash,
    root_of,
)

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

HASHES = [leaf_hash(bytes([n])) for n in range(40)]


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
    tree = grown(grown(Tree(), hashes[:cut]), hashes[cut:])
    assert tree.size == len(hashes)
    assert tree.root == by_definition(hashes)
    assert len(tree.peaks) == tree.size.bit_count()


def test_every_leaf_of_every_tree_can_be_proven() -> None:
    for size in range(1, len(HASHES)):
        hashes = HASHES[:size]
        for index, hashed in enumerate(hashes):
            proof = inclusion_proof(hashes, index)
            assert includes(root_of(hashes), size, index, hashed, proof)


def test_every_tree_extends_every_beginning_of_it() -> None:
    for size in range(1, len(HASHES)):
        for old in range(1, size + 1):
            proof = consistency_proof(HASHES[:size], old)
            assert extends(root_of(HASHES[:old]), old, root_of(HASHES[:size]), size, proof)


A, B, C, D, E = HASHES[:5]
AB, CD = node_hash(A, B), node_hash(C, D)


@pytest.mark.parametrize(
    ("size", "index", "proof"),
    [
        (1, 0, ()),
        (2, 0, (B,)),
        (2, 1, (A,)),
        (3, 1, (A, C)),
        (3, 2, (AB,)),
        (5, 0, (B, CD, E)),
        (5, 3, (C, AB, E)),
        (5, 4, (node_hash(AB, CD),)),
    ],
)
def test_the_proof_of_a_leaf_is_the_roots_beside_its_path(
    size: int, index: int, proof: tuple[bytes, ...]
) -> None:
    assert inclusion_proof(HASHES[:size], index) == proof


@pytest.mark.parametrize(
    ("size", "old", "proof"),
    [
        (1, 1, ()),
        (2, 1, (B,)),
        (3, 2, (C,)),
        (4, 2, (CD,)),
        (4, 3, (C, D, AB)),
        (5, 3, (C, D, AB, E)),
        (5, 4, (E,)),
        (5, 5, ()),
    ],
)
def test_the_proof_of_a_beginning_is_what_the_verifier_lacks(
    size: int, old: int, proof: tuple[bytes, ...]
) -> None:
    assert consistency_proof(HASHES[:size], old) == proof


@pytest.mark.parametrize("size", range(1, 40))
def test_an_empty_proof_shows_that_a_tree_extends_itself_and_no_other(size: int) -> None:
    root = root_of(HASHES[:size])
    for old in range(1, size):
        assert not extends(root_of(HASHES[:old]), old, root, size, ())
        assert not extends(root, old, root, size, ())
    assert extends(root, size, root, size, ())
    assert not extends(root_of(HASHES[1 : size + 1]), size, root, size, ())
    assert not extends(root, size, root_of(HASHES[1 : size + 1]), size, ())
    assert not extends(root, size, root, size, (root,))


@pytest.mark.parametrize("size", range(1, 40))
def test_an_empty_proof_shows_the_only_leaf_of_a_tree(size: int) -> None:
    for index in range(size):
        assert includes(HASHES[index], size, index, HASHES[index], ()) == (size == 1)


def test_there_is_no_empty_beginning_and_no_leaf_before_the_first() -> None:
    assert not extends(EMPTY, 0, EMPTY, 0, ())
    assert not extends(A, 0, A, 1, ())
    assert not extends(A, -1, A, 1, ())
    assert not includes(A, 1, -1, A, ())
    assert not includes(A, 0, 0, A, ())
    assert not includes(B, 1, 1, B, ())


def test_a_path_longer_than_the_tree_is_deep_proves_nothing_even_if_it_ends_at_the_root() -> None:
    assert not includes(node_hash(B, A), 1, 0, A, (B,))
    assert not includes(node_hash(E, AB), 2, 1, B, (A, E))
    three, four = node_hash(AB, C), node_hash(AB, CD)
    assert extends(three, 3, four, 4, (C, D, AB))
    assert not extends(node_hash(E, three), 3, node_hash(E, four), 4, (C, D, AB, E))


def test_a_leaf_is_no_node() -> None:
    assert leaf_hash(A + B) != AB == sha256(b"\x01" + A + B).digest()
    assert leaf_hash(b"leaf") == sha256(b"\x00leaf").digest()


@pytest.mark.parametrize("size", range(1, 18))
def test_a_proof_for_a_tree_of_one_size_is_none_for_another(size: int) -> None:
    """Verifiers must use up the whole proof, and end at the root."""
    root = root_of(HASHES[:size])
    for index in range(size):
        proof = inclusion_proof(HASHES[:size], index)
        for beside in proof:
            assert not includes(root, size, index, HASHES[index], (*proof, beside))
        for other in range(1, 18):
            same = other == size or path_shape(other, index) == path_shape(size, index)
            assert includes(root, other, index, HASHES[index], proof) == same


def path_shape(size: int, index: int) -> str | None:
    """On which sides the hashes next to a leaf's path are, from the leaf upwards."""
    if not index < size:
        return None
    if size == 1:
        return ""
    k = max(2**i for i in range(size) if 2**i < size)
    if index < k:
        return f"{path_shape(k, index)}r"
    return f"{path_shape(size - k, index - k)}l"


sizes = st.integers(1, 39)


def spoilt(proof: tuple[bytes, ...], way: int) -> list[tuple[bytes, ...]]:
    """The proof with a hash changed, dropped, doubled or added, or two exchanged."""
    at = way % len(proof) if proof else 0
    changed = [(*proof[:at], sha256(proof[at]).digest(), *proof[at + 1 :])] if proof else []
    dropped = [(*proof[:at], *proof[at + 1 :])] if proof else []
    doubled = [(*proof[:at], proof[at], *proof[at:])] if proof else []
    return [*changed, *dropped, *doubled, (*proof, HASHES[0]), (HASHES[0], *proof)]


@settings(max_examples=200)
@given(sizes, st.integers(0, 38), st.integers(0, 38), st.integers(0, 9))
def test_no_other_leaf_index_size_or_proof_is_accepted(
    size: int, index: int, other: int, way: int
) -> None:
    hashes, index, other = HASHES[:size], index % size, other % size
    root, proof = root_of(hashes), inclusion_proof(hashes, index)
    for wrong in spoilt(proof, way):
        assert not includes(root, size, index, hashes[index], wrong)
    if other != index:
        assert not includes(root, size, index, hashes[other], proof)
    assert not includes(root, size, size + index, hashes[index], proof)
    assert not includes(root, size, -1, hashes[index], proof)
    assert not includes(sha256(root).digest(), size, index, hashes[index], proof)


@settings(max_examples=200)
@given(sizes, sizes, st.integers(0, 9))
def test_no_other_beginning_or_proof_is_accepted(size: int, old: int, way: int) -> None:
    old = 1 + old % size
    roots = root_of(HASHES[:old]), root_of(HASHES[:size])
    proof = consistency_proof(HASHES[:size], old)
    for wrong in spoilt(proof, way):
        assert not extends(roots[0], old, roots[1], size, wrong)
    rewritten = root_of([*HASHES[: old - 1], leaf_hash(b"another")])
    assert not extends(rewritten, old, roots[1], size, proof)
    assert not extends(roots[0], 0, roots[1], size, proof)
    assert not extends(roots[0], size + 1, roots[1], size, proof)


@pytest.mark.parametrize("index", [-1, 3, 99])
def test_there_is_no_proof_of_a_missing_leaf(index: int) -> None:
    with pytest.raises(IndexError, match=f"^{index}$"):
        inclusion_proof(HASHES[:3], index)
    with pytest.raises(IndexError, match=f"^{index + 1}$"):
        consistency_proof(HASHES[:3], index + 1)
