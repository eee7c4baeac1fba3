"""The idempotency index: tens of thousands of answers of a long match, without an object each."""

from bisect import bisect_left
from hashlib import sha256
from struct import Struct as Layout

from msgspec import Struct

from projections.submissions import Answered, Answers, Superseded

_ENTRY = Layout("<16sqIIIHHB32s")
"""Digest, time, position, end, start of its text, lengths of its code and of its phase, flags,
fingerprint."""

SIZE = _ENTRY.size
DIGEST = 16
"""Bytes of the SHA-256 that identify a seat and its key. A seat that finds two of its keys with
equal digests, after 2**64 attempts, deceives only itself."""

NO_TEXT = 0xFFFF
"""The length of a code or phase that is None."""

REFUSED, HAS_FINGERPRINT = 1, 2
SUPERSEDES: dict[Superseded | None, int] = {None: 0, "a": 4, "b": 8}
"""The flag of what a submission supersedes."""
_SUPERSEDED = {flag: kind for kind, flag in SUPERSEDES.items()}


class IdempotencyIndex(Struct, frozen=True):
    """Answers by seat and idempotency key: entries of `SIZE` bytes, sorted by digest, and the codes
    and phases in `texts`."""

    entries: bytes = b""
    texts: bytes = b""

    def __len__(self) -> int:
        return len(self.entries) // SIZE

    @property
    def size(self) -> int:
        """The size in bytes."""
        return len(self.entries) + len(self.texts)

    def find(self, seat: int, key: str) -> Answered | None:
        """The answer to a seat's key; None if it is not in the index."""
        if not self.entries:
            return None
        digest = digest_of(seat, key)
        at = self.rank(digest) * SIZE
        if self.entries[at : at + DIGEST] != digest:
            return None
        return self._decoded(self.entries[at : at + SIZE])

    def rank(self, digest: bytes) -> int:
        """The number of entries with a smaller digest."""
        return bisect_left(range(len(self)), digest, key=self._digest_at)

    def _digest_at(self, rank: int) -> bytes:
        return self.entries[rank * SIZE : rank * SIZE + DIGEST]

    def _decoded(self, entry: bytes) -> Answered:
        _, at, position, end, start, code_size, phase_size, flags, fingerprint = _ENTRY.unpack(
            entry
        )
        code = self._text(start, code_size)
        return Answered(
            at,
            position,
            end,
            code,
            bool(flags & REFUSED),
            self._text(start + len((code or "").encode()), phase_size),
            _SUPERSEDED[flags & sum(SUPERSEDES.values())],
            fingerprint if flags & HAS_FINGERPRINT else None,
        )

    def _text(self, start: int, size: int) -> str | None:
        return None if size == NO_TEXT else self.texts[start : start + size].decode()


def digest_of(seat: int, key: str) -> bytes:
    """The digest that identifies a seat and its key."""
    return sha256(f"{seat} {key}".encode()).digest()[:DIGEST]


def with_answers(before: IdempotencyIndex, answers: Answers) -> IdempotencyIndex:
    """The index `before` with later answers added, in the order of the record. An answer that is
    already there under a key stays. The result does not depend on the number of steps.

    Raises ValueError or struct.error for an answer that does not fit into an entry.
    """
    texts = bytearray(before.texts)
    fresh: list[tuple[bytes, bytes]] = []
    for (seat, key), answer in answers.items():
        digest = digest_of(seat, key)
        at = before.rank(digest) * SIZE
        if before.entries[at : at + DIGEST] != digest:
            fresh.append((digest, _entry(digest, answer, texts)))
    return IdempotencyIndex(_merged(before, sorted(fresh)), bytes(texts))


def _merged(before: IdempotencyIndex, fresh: list[tuple[bytes, bytes]]) -> bytes:
    """All entries by digest. The entries between two fresh ones are copied in one piece."""
    pieces, upto = [], 0
    for digest, entry in fresh:
        at = before.rank(digest) * SIZE
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
    flags |= SUPERSEDES[answer.supersedes]
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
