"""The leaves of a match's log, scheme `arbiter-log/1`.

A public event is in its leaf; a private one is committed to under its own salt. Every function is
pure. A leaf is hashed as the bytes that were stored; nothing is serialised again.
"""

from base64 import b64decode, b64encode
from hashlib import sha256

import msgspec

from domain.chance.generator import lp
from domain.events import PUBLIC, Event, Record
from domain.proof.merkle import leaf_hash
from domain.proof.withholding import withheld

COMMITTED = b"arbiter-log/1/commit\n"
SALT_BYTES = 32
NO_SALT = bytes(SALT_BYTES)
"""The salt under which a receipt commits to a public event."""

SALTED = lp("arbiter-log/1/salt", bytes(8))[:-8]
"""The start of the bytes hashed for a salt: the label and the length of the index, a u64."""

BLINDED = lp("arbiter-names/1/blind", bytes(8))[:-8]
BLIND_BYTES = 16

VERSION = 1

_INNER, _OUTER = (bytes(byte ^ pad for byte in range(256)) for pad in (0x36, 0x5C))
_BLOCK = 64


def mac(key: bytes, message: bytes) -> bytes:
    """HMAC-SHA-256 (RFC 2104) under a key of at most a block. When a match is opened each event
    needs two: the standard library's takes twice as long for so little."""
    padded = key.ljust(_BLOCK, b"\0")
    inner = sha256(padded.translate(_INNER) + message).digest()
    return sha256(padded.translate(_OUTER) + inner).digest()


def salt(log_key: bytes, index: int) -> bytes:
    """The salt of the event at `index`. Without the key of the log it looks random, and it need not
    be stored."""
    return mac(log_key, SALTED + index.to_bytes(8, "big"))


def blind(log_key: bytes, index: int) -> bytes:
    """What blinds the name in the event at `index`. Without the key of the log it looks random."""
    return mac(log_key, BLINDED + index.to_bytes(8, "big"))[:BLIND_BYTES]


def public_leaf(match: str, index: int, at: int, state: bytes) -> bytes:
    """The leaf of an event that everyone may see: when it was recorded, in microseconds, and its
    bytes as they are stored. `index` counts all events of the match from 0."""
    return _header({"m": match, "n": index, "p": _text(state), "t": at, "v": VERSION})


def private_leaf(match: str, index: int, proof: bytes) -> bytes:
    """The leaf of an event that not everyone may see: type, seat, time and content are hidden in
    the commitment."""
    return _header({"c": _text(proof), "m": match, "n": index, "v": VERSION})


def withheld_leaf(index: int, proof: bytes) -> bytes:
    """What is shown of the leaf of a name that is withheld: its RFC 6962 hash."""
    return _header({"h": _text(proof), "n": index})


def hash_of_leaf(leaf: bytes) -> bytes:
    """The RFC 6962 hash of a leaf, or that by which it is given."""
    if leaf[:6] == b'{"h":"':
        return b64decode(msgspec.json.decode(leaf)["h"])
    return leaf_hash(leaf)


def leaf_of(match: str, index: int, record: Record[Event], state: bytes, key: bytes) -> bytes:
    """The leaf of the event at an index of a log with this key, by its stored bytes."""
    row = withheld(state)
    if record.event.audience != PUBLIC:
        proof = commitment(salt(key, index), state) if row is None else row.proof
        return private_leaf(match, index, proof)
    if row is not None:
        return withheld_leaf(index, row.proof)
    return public_leaf(match, index, record.at, state)


def commitment_in(state: bytes, index: int, key: bytes) -> bytes:
    """The commitment in the leaf of the private event at an index."""
    row = withheld(state)
    return commitment(salt(key, index), state) if row is None else row.proof


def commitment(salt: bytes, state: bytes) -> bytes:
    """The commitment to an event's stored bytes, which reveals nothing of them: HMAC-SHA-256 under
    a fresh salt of 32 bytes."""
    assert len(salt) == SALT_BYTES
    return mac(salt, COMMITTED + state)


def _header(fields: dict[str, str | int]) -> bytes:
    """Compact JSON with sorted keys; all of it is ASCII."""
    header = msgspec.json.encode(fields, order="sorted")
    assert header.isascii()
    return header


def _text(raw: bytes) -> str:
    return b64encode(raw).decode()
