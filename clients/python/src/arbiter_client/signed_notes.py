"""Signed notes, and by whom they are signed.

Signed notes: <https://c2sp.org/signed-note>, with Ed25519.
"""

import re
from base64 import b64decode, b64encode
from collections.abc import Iterable
from hashlib import sha256

try:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
except ImportError:
    CAN_CHECK = False
else:
    CAN_CHECK = True

RECEIPTS = "receipts"
"""What keys of receipts and creation notes sign: the last part of their names."""

ED25519 = b"\x01"
DASH = "— "
KEY_ID_BYTES = 4
MOST_SIGNATURES = 16
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f]")


class SignaturesNotChecked(UserWarning):
    """Signatures are not checked, because the package `cryptography` is not installed."""


def is_signed(note: str, keys: Iterable[str]) -> bool:
    """Whether one of the keys of receipts among `keys` has signed the note."""
    text, signatures = _read(note)
    return any(
        name == signer and _holds(name, public, text, signature)
        for signer, public in map(_key, keys)
        for name, signature in signatures
        if signer.rpartition("/")[2] == RECEIPTS
    )


def _read(note: str) -> tuple[bytes, list[tuple[str, bytes]]]:
    """The text of a note, and its signatures, each with the name of its key; none if it is not
    spelt as a signed note is."""
    head, _, below = note.rpartition("\n\n")
    lines = below.removesuffix("\n").split("\n")
    signatures = [
        (name, _decoded(encoded))
        for name, _, encoded in (line.removeprefix(DASH).partition(" ") for line in lines)
    ]
    whole = below.endswith("\n") and all(line.startswith(DASH) for line in lines)
    if not whole or len(lines) > MOST_SIGNATURES or CONTROL.search(note):
        return b"", []
    return f"{head}\n".encode(), signatures


def _key(text: str) -> tuple[str, bytes]:
    """The name of a verifier key, and its kind and key."""
    # The base64 may contain plus signs; a name does not.
    name, _, rest = text.partition("+")
    return name, _decoded(rest.partition("+")[2])


def _holds(name: str, public: bytes, text: bytes, signature: bytes) -> bool:
    """Whether a signature, which begins with the id of its key, is by this kind and key."""
    key_id = sha256(name.encode() + b"\n" + public).digest()[:KEY_ID_BYTES]
    if public[:1] != ED25519 or signature[:KEY_ID_BYTES] != key_id:
        return False
    try:
        key = Ed25519PublicKey.from_public_bytes(public[1:])
        key.verify(signature[KEY_ID_BYTES:], text)
    except (InvalidSignature, ValueError):
        return False
    return True


def _decoded(encoded: str) -> bytes:
    """Standard base64 in its one spelling; nothing of any other."""
    try:
        raw = b64decode(encoded, validate=True)
    except ValueError:
        return b""
    return raw if b64encode(raw).decode() == encoded else b""
