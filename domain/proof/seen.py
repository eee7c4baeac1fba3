"""What an audience has been told, as one chain of hashes over the leaves of its events, scheme
`arbiter-seen/1`.

A receipt has the end of the chain of its receiver, so that it binds all that came before it. It is
of leaves, not of contents: nothing can be proven with it to a buyer. It is blinded until the key of
the match is shown: the leaf of an event says how many hidden ones were before it.
"""

from functools import lru_cache
from hashlib import sha256

from domain.chance.generator import digest, keyed, lp
from domain.proof.commitments import mac

SCHEME = "arbiter-seen/1"
KEY_BYTES = 32

# Every action needs these: what is hashed for all of them alike is made once.
_CHAINED = lp(SCHEME, bytes(32))[:-32]
_HASH = lp(bytes(32))[:-32]
_NONCE = lp(f"{SCHEME}/nonce", bytes(8))[:-8]


def begin_chain(match: str, audience: str) -> bytes:
    """The chain of an audience that has been told nothing."""
    return digest(SCHEME, match, audience)


def extend_chain(chain: bytes, leaf_hash: bytes) -> bytes:
    """The chain after one more event, the leaf of which has this hash."""
    return sha256(_CHAINED + chain + _HASH + leaf_hash).digest()


def chain_proof(key: bytes, nonce: bytes, chain: bytes) -> bytes:
    """What a receipt says of a chain: under the key of the match, which is shown when it is
    over."""
    return mac(key, _HASH + nonce + _HASH + chain)


@lru_cache(maxsize=1_024)
def seen_key(log_key: bytes) -> bytes:
    """The key of the match: it says nothing about the key of its log."""
    return keyed(log_key, f"{SCHEME}/key")


def nonce_of(log_key: bytes, index: int) -> bytes:
    """The nonce of the receipt for the event at `index`: a repeat has the same. Without the key of
    the log it looks random."""
    return mac(log_key, _NONCE + index.to_bytes(8, "big"))
