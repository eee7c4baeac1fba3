"""A second implementation of `arbiter-rng/1`, to compare with the first.

It was written from the text of the scheme alone, shares no line with the domain's code and depends
only on SHA-256: even HMAC is spelled out (RFC 2104). It is slow and plain on purpose.
"""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple, TypeVar

T = TypeVar("T")
WORDS = 2**32  # number of values a word can have
SCHEME = b"arbiter-rng/1/"


class Terms(NamedTuple):
    """The inputs of an epoch's chance."""

    match_id: str
    epoch: int
    seed: bytes
    rules_hash: bytes
    roster_hash: bytes
    client_seeds: Mapping[int, bytes]


def lp(parts: Sequence[bytes]) -> bytes:
    """Each part after its length, so that no two lists of parts encode alike."""
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def hmac_sha256(key: bytes, message: bytes) -> bytes:
    """RFC 2104, section 2, for SHA-256, its blocks of 64 bytes and the scheme's keys of 32."""
    assert len(key) == 32
    padded = key + bytes(32)
    inner = sha256(bytes(byte ^ 0x36 for byte in padded) + message).digest()
    return sha256(bytes(byte ^ 0x5C for byte in padded) + inner).digest()


def hashed(label: bytes, *parts: bytes) -> bytes:
    """H of the scheme, under one of its labels."""
    return sha256(lp([SCHEME + label, *parts])).digest()


def keyed(key: bytes, label: bytes, *parts: bytes) -> bytes:
    """F of the scheme, under one of its labels."""
    return hmac_sha256(key, lp([SCHEME + label, *parts]))


def commit(terms: Terms) -> bytes:
    """The commitment that is published before the start."""
    return hashed(
        b"commit", terms.match_id.encode("utf-8"), terms.epoch.to_bytes(4, "big"), terms.seed
    )


def clients(terms: Terms) -> bytes:
    """The seeds that the seats added, lowest seat first."""
    given = sorted(terms.client_seeds.items())
    return hashed(b"clients", *(seat.to_bytes(4, "big") + seed for seat, seed in given))


def transcript(terms: Terms) -> bytes:
    """Everything that was fixed before the first draw."""
    return hashed(
        b"transcript",
        terms.match_id.encode("utf-8"),
        terms.epoch.to_bytes(4, "big"),
        commit(terms),
        terms.rules_hash,
        terms.roster_hash,
        clients(terms),
        b"",
        bytes(8),
        b"",
    )


def master(terms: Terms) -> bytes:
    """The key from which all draw keys of the epoch are derived."""
    return keyed(terms.seed, b"master", transcript(terms))


def label(terms: Terms, draw_id: str) -> bytes:
    """How the scheme names a draw."""
    return b"e%d/%s" % (terms.epoch, draw_id.encode("utf-8"))


def draw_key(terms: Terms, draw_id: str) -> bytes:
    """The key of one draw."""
    return keyed(master(terms), b"draw", label(terms, draw_id), b"")


def key_commit(terms: Terms, draw_id: str) -> bytes:
    """The commitment to the key, published before the key is opened."""
    return hashed(b"key-commit", label(terms, draw_id), draw_key(terms, draw_id))


def words(key: bytes) -> Iterator[int]:
    """The endless words of a draw: eight from every block."""
    count = 0
    while True:
        block = keyed(key, b"block", (count // 8).to_bytes(8, "big"))
        at = count % 8 * 4
        yield int.from_bytes(block[at : at + 4], "big")
        count += 1


def below(n: int, stream: Iterator[int]) -> int:
    """A number from 0 to n-1; the words of the last, incomplete round of n are discarded."""
    if n == 1:
        return 0
    while True:
        word = next(stream)
        if word < WORDS - WORDS % n:
            return word % n


def flips(count: int, stream: Iterator[int]) -> list[str]:
    """Coins in order."""
    return [["heads", "tails"][below(2, stream)] for _ in range(count)]


def rolled(sides: int, stream: Iterator[int]) -> int:
    """The side that a die shows; its sides are counted from 1."""
    return below(sides, stream) + 1


def shuffled(items: Sequence[T], stream: Iterator[int]) -> list[T]:
    """The items in a new order, settled from the last position down to the second."""
    order = list(items)
    place = len(order) - 1
    while place >= 1:
        other = below(place + 1, stream)
        held = order[place]
        order[place] = order[other]
        order[other] = held
        place -= 1
    return order
