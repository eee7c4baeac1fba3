"""A Merkle tree over a list of leaves: RFC 6962, section 2.1.

The tree of n leaves is split at the largest power of two below n.
"""

from collections.abc import Iterable
from hashlib import sha256

from msgspec import Struct

LEAF, NODE = b"\x00", b"\x01"
"""The prefixes of a leaf's and a node's hash, so that neither can be mistaken for the other."""

EMPTY = sha256(b"").digest()
"""The root of a tree without leaves."""


def leaf_hash(leaf: bytes) -> bytes:
    return sha256(LEAF + leaf).digest()


def node_hash(first: bytes, second: bytes) -> bytes:
    return sha256(NODE + first + second).digest()


class Tree(Struct, frozen=True):
    """A tree that only grows: its size, and the roots of its full subtrees, the largest first. Its
    memory is logarithmic in its size."""

    size: int = 0
    peaks: tuple[bytes, ...] = ()

    @property
    def root(self) -> bytes:
        """The root (Merkle Tree Hash) of all leaves so far."""
        if not self.peaks:
            return EMPTY
        root = self.peaks[-1]
        for peak in self.peaks[-2::-1]:
            root = node_hash(peak, root)
        return root


def add_leaves(tree: Tree, hashes: Iterable[bytes]) -> Tree:
    """The tree with more leaves, given by their hashes."""
    size, peaks = tree.size, list(tree.peaks)
    for leaf in hashes:
        peaks.append(leaf)
        size += 1
        # Each trailing zero bit of the size closes a pair of equal subtrees.
        for _ in range((size & -size).bit_length() - 1):
            right = peaks.pop()
            peaks[-1] = node_hash(peaks[-1], right)
    return Tree(size, tuple(peaks))


def root_of(hashes: Iterable[bytes]) -> bytes:
    """The root of a tree with these leaf hashes."""
    return add_leaves(Tree(), hashes).root
