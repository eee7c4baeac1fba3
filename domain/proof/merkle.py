"""A Merkle tree over a list of leaves, and proofs about it: RFC 6962, section 2.1.

The tree of n leaves is split at the largest power of two below n. A proof is a list of hashes; with
it and the root no one needs the other leaves. Verifying follows RFC 9162, 2.1.3.2 and 2.1.4.2.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256

from msgspec import Struct

LEAF, NODE = b"\x00", b"\x01"
"""The prefixes of a leaf's and a node's hash, so that neither can be mistaken for the other."""

EMPTY = sha256(b"").digest()
"""The root of a tree without leaves."""

Proof = tuple[bytes, ...]


def leaf_hash(leaf: bytes) -> bytes:
    return sha256(LEAF + leaf).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return sha256(NODE + left + right).digest()


class Tree(Struct, frozen=True):
    """A tree that only grows: its size, and the roots of its full subtrees, the largest first. Its
    memory is logarithmic in its size."""

    size: int = 0
    peaks: Proof = ()

    @property
    def root(self) -> bytes:
        """The root (Merkle Tree Hash) of all leaves so far."""
        if not self.peaks:
            return EMPTY
        root = self.peaks[-1]
        for peak in self.peaks[-2::-1]:
            root = node_hash(peak, root)
        return root


def grown(tree: Tree, hashes: Iterable[bytes]) -> Tree:
    """The tree with more leaves, given by their hashes."""
    size, peaks = tree.size, list(tree.peaks)
    for added in hashes:
        peaks.append(added)
        size += 1
        # Each trailing zero bit of the size closes a pair of equal subtrees.
        for _ in range((size & -size).bit_length() - 1):
            right = peaks.pop()
            peaks[-1] = node_hash(peaks[-1], right)
    return Tree(size, tuple(peaks))


def root_of(hashes: Iterable[bytes]) -> bytes:
    """The root of a tree with these leaf hashes."""
    return grown(Tree(), hashes).root


# Proofs.


def inclusion_proof(hashes: Sequence[bytes], index: int) -> Proof:
    """The proof that the leaf at `index`, counted from 0, is in the tree: the roots next to its
    path upwards. Raises IndexError if there is no such leaf."""
    if not 0 <= index < len(hashes):
        raise IndexError(index)
    return tuple(_path(hashes, index, 0, len(hashes)))


def _path(hashes: Sequence[bytes], index: int, start: int, end: int) -> Iterator[bytes]:
    if end - start == 1:
        return
    middle = start + _split(end - start)
    if index < middle:
        yield from _path(hashes, index, start, middle)
        yield root_of(hashes[middle:end])
    else:
        yield from _path(hashes, index, middle, end)
        yield root_of(hashes[start:middle])


def consistency_proof(hashes: Sequence[bytes], size: int) -> Proof:
    """The proof that the tree of the first `size` leaves is a prefix of this one. Raises IndexError
    unless 0 < size <= the number of leaves."""
    if not 0 < size <= len(hashes):
        raise IndexError(size)
    return tuple(_beginning(hashes, size, 0, len(hashes), whole=True))


def _beginning(
    hashes: Sequence[bytes], size: int, start: int, end: int, *, whole: bool
) -> Iterator[bytes]:
    """The proof within hashes[start:end]; `whole` means that the verifier has the old root
    already."""
    if size == end - start:
        if not whole:
            yield root_of(hashes[start:end])
        return
    middle = start + _split(end - start)
    if size <= middle - start:
        yield from _beginning(hashes, size, start, middle, whole=whole)
        yield root_of(hashes[middle:end])
    else:
        yield from _beginning(hashes, size - (middle - start), middle, end, whole=False)
        yield root_of(hashes[start:middle])


def _split(size: int) -> int:
    """The largest power of two below `size`."""
    return 1 << ((size - 1).bit_length() - 1)


# Verifying proofs.


def includes(root: bytes, size: int, index: int, hashed: bytes, proof: Proof) -> bool:
    """Whether the proof shows that the leaf with this hash is at `index` of the tree."""
    if not 0 <= index < size:
        return False
    at, last, found = index, size - 1, hashed
    for beside in proof:
        if last == 0:
            return False
        if at & 1 or at == last:
            found = node_hash(beside, found)
            while at and not at & 1:
                at, last = at >> 1, last >> 1
        else:
            found = node_hash(found, beside)
        at, last = at >> 1, last >> 1
    return last == 0 and found == root


def extends(old_root: bytes, old_size: int, root: bytes, size: int, proof: Proof) -> bool:
    """Whether the proof shows that the tree of `old_size` leaves is a prefix of the other."""
    if not 0 < old_size <= size:
        return False
    if old_size == size:
        return not proof and old_root == root
    # A full old tree is the first hash of its own proof.
    steps = proof if old_size & (old_size - 1) else (old_root, *proof)
    if not steps:
        return False
    at, last = old_size - 1, size - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    before = after = steps[0]
    for beside in steps[1:]:
        if last == 0:
            return False
        if at & 1 or at == last:
            before, after = node_hash(beside, before), node_hash(beside, after)
            while at and not at & 1:
                at, last = at >> 1, last >> 1
        else:
            after = node_hash(after, beside)
        at, last = at >> 1, last >> 1
    return last == 0 and before == old_root and after == root
