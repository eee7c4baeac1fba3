"""Signed notes, parsed and written: text for people with signatures for programs (C2SP signed-note,
<https://c2sp.org/signed-note>). Signing and checking are elsewhere."""

import re
from base64 import b64decode, b64encode
from hashlib import sha256

from msgspec import Struct

ED25519 = b"\x01"
"""The only kind of signature used here."""

DASH = "— "
KEY_ID_BYTES = 4
MOST_SIGNATURES = 16
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f]")
KEY_NAME = re.compile(r"[^\s+]+")


class Malformed(ValueError):
    """The text is not a signed note, or not a verifier key."""


class Signature(Struct, frozen=True):
    """One signature line: the key's name and id, and the signature over the text."""

    name: str
    key_id: bytes
    raw: bytes


class SignedNote(Struct, frozen=True):
    """The text, which ends in a newline, and its signatures. Nothing in it can be trusted until a
    signature of a trusted key has been checked."""

    text: str
    signatures: tuple[Signature, ...]


class VerifierKey(Struct, frozen=True):
    """A public key that checks signatures: its name, and 32 bytes of Ed25519."""

    name: str
    public: bytes

    @property
    def key_id(self) -> bytes:
        """The first four bytes of SHA-256 over the name, a newline, the kind and the key."""
        return sha256(self.name.encode() + b"\n" + ED25519 + self.public).digest()[:KEY_ID_BYTES]

    def __str__(self) -> str:
        return f"{self.name}+{self.key_id.hex()}+{b64encode(ED25519 + self.public).decode()}"


def verifier_key(text: str) -> VerifierKey:
    """The key in the form `<name>+<id>+<base64>`. Raises Malformed."""
    # The base64 may contain plus signs; a name does not.
    name, _, rest = text.partition("+")
    hexed, _, key_text = rest.partition("+")
    raw = decode_base64(key_text)
    if not KEY_NAME.fullmatch(name) or raw[:1] != ED25519 or len(raw) != 33:
        raise Malformed("not a verifier key")
    key = VerifierKey(name, raw[1:])
    if key.key_id.hex() != hexed:
        raise Malformed("the verifier key does not have the id that it says")
    return key


def format_note(note: SignedNote) -> str:
    """The note as it is sent and stored."""
    lines = [
        f"{DASH}{signature.name} {b64encode(signature.key_id + signature.raw).decode()}\n"
        for signature in note.signatures
    ]
    return f"{note.text}\n{''.join(lines)}"


def read(note: str) -> SignedNote:
    """The parts of a signed note. Raises Malformed."""
    if CONTROL.search(note):
        raise Malformed("a control character")
    text, blank, signatures = note.rpartition("\n\n")
    if not blank or not signatures.endswith("\n"):
        raise Malformed("no signatures after a blank line")
    lines = signatures[:-1].split("\n")
    if len(lines) > MOST_SIGNATURES:
        raise Malformed("too many signatures")
    return SignedNote(f"{text}\n", tuple(map(_signature, lines)))


def _signature(line: str) -> Signature:
    name, _, body = line.removeprefix(DASH).partition(" ")
    raw = decode_base64(body)
    if not line.startswith(DASH) or not KEY_NAME.fullmatch(name) or len(raw) <= KEY_ID_BYTES:
        raise Malformed("not a signature line")
    return Signature(name, raw[:KEY_ID_BYTES], raw[KEY_ID_BYTES:])


def decode_base64(text: str) -> bytes:
    """Decodes standard base64 in its canonical form; any other form is refused."""
    try:
        raw = b64decode(text, validate=True)
    except ValueError:
        raise Malformed("not base64") from None
    if b64encode(raw).decode() != text:
        raise Malformed("base64 that could be written otherwise")
    return raw
