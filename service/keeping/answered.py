"""Idempotency keys of a long match, packed: tens of thousands of answers without an object each."""

from hashlib import sha256
from struct import Struct as Layout

from msgspec import Struct

from projections.answers import Answered, Answers

_ENTRY = Layout("<16sqIIIHHB32s")
"""Digest, time, position, end, where its text begins, the lengths of its code and its phase,
flags, fingerprint."""

SIZE = _ENTRY.size
DIGEST = 16
"""So many bytes of a SHA-256 stand for a seat and its key. A seat that found two of its keys that
share them, after 2**64 attempts, would have taken in nobody but itself."""

NO_TEXT = 0xFFFF
REFUSED, HAS_FINGERPRINT = 1, 2


class Packed(Struct, frozen=True):
    """Answers, each an entry of `SIZE` bytes, sorted by digest; `texts` holds what they say."""

    entries: bytes = b""
    texts: bytes = b""

    def __len__(self) -> int:
        return len(self.entries) // SIZE

    @property
    def size(self) -> int:
        """In bytes."""
        return len(self.entries) + len(self.texts)

    def find(self, seat: int, key: str) -> Answered | None:
        """What a seat was answered under a key, if that is here."""
        wanted = digest_of(seat, key)
        at = self.place(wanted) * SIZE
        if self.entries[at : at + DIGEST] != wanted:
            return None
        return self._unpacked(self.entries[at : at + SIZE])

    def place(self, wanted: bytes) -> int:
        """The number of entries with a lesser digest."""
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self.entries[middle * SIZE : middle * SIZE + DIGEST] < wanted:
                low = middle + 1
            else:
                high = middle
        return low

    def _unpacked(self, entry: bytes) -> Answered:
        _, at, position, end, begin, code, phase, flags, fingerprint = _ENTRY.unpack(entry)
        said = self._text(begin, code)
        return Answered(
            at,
            fingerprint if flags & HAS_FINGERPRINT else None,
            position,
            end,
            said,
            bool(flags & REFUSED),
            self._text(begin + len((said or "").encode()), phase),
        )

    def _text(self, begin: int, length: int) -> str | None:
        return None if length == NO_TEXT else self.texts[begin : begin + length].decode()


def digest_of(seat: int, key: str) -> bytes:
    """What stands for a seat and its key."""
    return sha256(f"{seat} {key}".encode()).digest()[:DIGEST]


def packed(before: Packed, answers: Answers) -> Packed:
    """The answers of `before` and the later ones, in the order of the record; what is there under a
    key stays. The same bytes come of it in however many parts it is done.

    Raises ValueError or struct.error for an answer that does not fit into an entry.
    """
    texts = bytearray(before.texts)
    fresh: list[tuple[bytes, bytes]] = []
    for (seat, key), answer in answers.items():
        digest = digest_of(seat, key)
        at = before.place(digest) * SIZE
        if before.entries[at : at + DIGEST] != digest:
            fresh.append((digest, _entry(digest, answer, texts)))
    return Packed(_merged(before, sorted(fresh)), bytes(texts))


def _merged(before: Packed, fresh: list[tuple[bytes, bytes]]) -> bytes:
    """All entries by digest; what lies between two fresh ones is copied in one piece."""
    pieces, upto = [], 0
    for digest, entry in fresh:
        at = before.place(digest) * SIZE
        pieces += [before.entries[upto:at], entry]
        upto = at
    return b"".join([*pieces, before.entries[upto:]])


def _entry(digest: bytes, answer: Answered, texts: bytearray) -> bytes:
    code, phase = _bytes(answer.code), _bytes(answer.phase)
    text = (code or b"") + (phase or b"")
    if not texts.endswith(text):
        texts += text
    fingerprint = answer.fingerprint
    if fingerprint is not None and len(fingerprint) != 32:
        raise ValueError("a fingerprint is a SHA-256")
    flags = REFUSED * answer.refused | HAS_FINGERPRINT * (fingerprint is not None)
    return _ENTRY.pack(
        digest,
        answer.at,
        answer.position,
        answer.end,
        len(texts) - len(text),
        NO_TEXT if code is None else len(code),
        NO_TEXT if phase is None else len(phase),
        flags,
        fingerprint or b"",
    )


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode()
