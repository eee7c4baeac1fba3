"""Who signed a note: keys come from the verifier's side, each for one purpose."""

from collections.abc import Iterable

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from domain.notes import Note, Signature, VerifierKey

LOG, RECEIPTS = "log", "receipts"
"""Purposes of keys: the last part of their names."""


def purpose(key: VerifierKey) -> str:
    """What a key signs."""
    return key.name.rpartition("/")[2]


def has_signed(key: VerifierKey, note: Note) -> bool:
    """Whether one of the note's signatures is by this key, over this text."""
    return any(
        signed.name == key.name
        and signed.key_id == key.key_id
        and _is_valid(key, note.text, signed)
        for signed in note.signatures
    )


def signed_for(wanted: str, keys: Iterable[VerifierKey], note: Note) -> bool:
    """Whether a key of this purpose among `keys` has signed the note."""
    return any(purpose(key) == wanted and has_signed(key, note) for key in keys)


def _is_valid(key: VerifierKey, text: str, signed: Signature) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(key.public).verify(signed.raw, text.encode())
    except (InvalidSignature, ValueError):
        return False
    return True
