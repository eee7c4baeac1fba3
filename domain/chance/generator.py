"""Chance that can be checked afterwards: the scheme `arbiter-rng/1`, SHA-256 and HMAC alone.

Every function is pure; the seed comes from outside and is revealed when the match is over. Anyone
with the seed and the public facts of a match derives the same outcomes.
"""

import hmac
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import count
from typing import TypeVar

from domain.chance.draws import Draw, Flip, Outcome, PartOutcome, Roll

SCHEME = "arbiter-rng/1"
WORD = 2**32

T = TypeVar("T")


def lp(*parts: bytes | str) -> bytes:
    """Each part as its length (u32, big-endian) and its bytes; strings are UTF-8."""
    pieces = []
    for part in parts:
        raw = part.encode() if isinstance(part, str) else part
        pieces += [len(raw).to_bytes(4, "big"), raw]
    return b"".join(pieces)


def digest(*parts: bytes | str) -> bytes:
    """H of the scheme: SHA-256 over the length-prefixed parts."""
    return sha256(lp(*parts)).digest()


def keyed(key: bytes, *parts: bytes | str) -> bytes:
    """F of the scheme: HMAC-SHA-256 over the length-prefixed parts."""
    return hmac.new(key, lp(*parts), "sha256").digest()


def u32(number: int) -> bytes:
    return number.to_bytes(4, "big")


def u64(number: int) -> bytes:
    return number.to_bytes(8, "big")


def commit(match_id: str, epoch: int, seed: bytes) -> bytes:
    """The commitment to a seed, published before the match starts."""
    return digest("arbiter-rng/1/commit", match_id, u32(epoch), seed)


def clients(seeds: Mapping[int, bytes]) -> bytes:
    """The seeds given by seats, in the order of their seats; seats without one are left out."""
    return digest("arbiter-rng/1/clients", *(u32(seat) + seeds[seat] for seat in sorted(seeds)))


def rules_hash(game: str, rules_version: int, options_json: str) -> bytes:
    """The rules a match is played by; the options are compact JSON with sorted keys."""
    return digest("arbiter-rng/1/rules", game, str(rules_version), options_json)


def roster_hash(salted_names: Sequence[tuple[bytes, str]]) -> bytes:
    """The hash of the players, seat by seat, each name under a salt of 16 bytes that only its seat
    knows."""
    return digest("arbiter-rng/1/roster", *(digest(salt, name) for salt, name in salted_names))


def transcript(
    match_id: str, epoch: int, commitment: bytes, rules: bytes, roster: bytes, client_seeds: bytes
) -> bytes:
    """All that is fixed before the first draw. There is no beacon: its chain and its signature are
    empty, its round is 0."""
    return digest(
        "arbiter-rng/1/transcript",
        match_id,
        u32(epoch),
        commitment,
        rules,
        roster,
        client_seeds,
        "",
        u64(0),
        "",
    )


def master(seed: bytes, transcript_hash: bytes) -> bytes:
    """The key of all draws of one epoch."""
    return keyed(seed, "arbiter-rng/1/master", transcript_hash)


def draw_name(epoch: int, draw_id: str) -> str:
    return f"e{epoch}/{draw_id}"


def draw_key(master_key: bytes, name: str) -> bytes:
    """The key of one draw; `name` is `e<epoch>/<draw id>`. The late beacon is empty."""
    return keyed(master_key, "arbiter-rng/1/draw", name, "")


def key_commit(name: str, key: bytes) -> bytes:
    """The commitment to a draw's key, published with its outcome."""
    return digest("arbiter-rng/1/key-commit", name, key)


def outcome(draw: Draw, key: bytes) -> Outcome:
    """The outcome of a draw under its key; the parts share one stream, in order."""
    words = _words(key)
    answers: list[PartOutcome] = []
    for part in draw.parts:
        if isinstance(part, Flip):
            answers.append("tails" if _below(2, words) else "heads")
        elif isinstance(part, Roll):
            answers.append(1 + _below(part.sides, words))
        else:
            answers.append(_shuffle(part.items, words))
    return tuple(answers)


def _words(key: bytes) -> Iterator[int]:
    """The stream: 32-bit words, big-endian, eight from each block."""
    for number in count():
        block = keyed(key, "arbiter-rng/1/block", u64(number))
        for start in range(0, 32, 4):
            yield int.from_bytes(block[start : start + 4], "big")


def _below(n: int, words: Iterator[int]) -> int:
    """A uniform number in 0..n-1; words past the last whole multiple of n are rejected."""
    if n == 1:
        return 0
    limit = WORD - WORD % n
    return next(word for word in words if word < limit) % n


def _shuffle(items: Sequence[T], words: Iterator[int]) -> tuple[T, ...]:
    """Fisher-Yates shuffle, from the last position down."""
    order = list(items)
    for last in range(len(order) - 1, 0, -1):
        other = _below(last + 1, words)
        order[last], order[other] = order[other], order[last]
    return tuple(order)
