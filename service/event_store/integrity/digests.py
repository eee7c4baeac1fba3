"""The running digest of a record: one hash of all its rows, in order, from the first one on.

It is stored next to the rows in the transaction that appends them, and computed again whenever the
rows are read. It finds damage, not deceit: it has no secret, so that someone who edits a store on
purpose can compute it anew. For that there are signed checkpoints.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import islice
from struct import Struct as Layout
from typing import NamedTuple
from uuid import UUID

from domain.proof.withholding import withheld
from service.observability import logs

TOPIC = "store.digest.1"
"""The stored name of a digest. Its row is that of a stream: the version is the number of rows that
it covers, the state is the digest."""

UNDIGESTED_STREAMS = (b"tournament.", b"log.")
"""How the stored names of the events of streams without a digest begin."""

NAME = b"arbiter-digest/1\n"

_HEAD = Layout(">32sQI")
"""The digest before, the position, and the length of the stored name."""

UNDIGESTED = "it has no digest"
DIFFERS = "its rows are not those of its digest"
MISSING = "its last rows are missing"
UNREADABLE = "it cannot be decoded"
NEWER = "it was written by a newer release"
DOES_NOT_FOLLOW = "an event does not follow from those before it"
ROW_CHANGED = "a row has changed or is missing since the record was read as a whole"


class RecordAltered(logs.OperatorError):
    """The record of a match is damaged, was changed, or needs a newer release. `what` is wrong with
    it, a sentence for the operator; `position` is where that was found, if it is known."""

    def __init__(self, match: UUID, what: str, position: int | None = None) -> None:
        place = "" if position is None else f", found at its row {position}"
        super().__init__(f"the record of match {match}: {what}{place}")
        self.match = match
        self.what = what
        self.position = position


class RowAltered(logs.OperatorError):
    """A row that belongs to no record of a match is damaged. The message is for the operator."""


class StoredRow(NamedTuple):
    """The content of a row: the stored name of its event as UTF-8, which damage may have made
    something else, and the encoded record."""

    topic: bytes
    state: bytes


class Digest(NamedTuple):
    """The digest of the first `length` rows of a stream."""

    length: int
    value: bytes


class StoredRows(NamedTuple):
    """Rows of a stream in order, and the digest stored of the stream at the moment at which they
    were read; None if there is none."""

    rows: list[StoredRow]
    head: Digest | None


def from_selected(rows_selected: Sequence[tuple[int, bytes, bytes]]) -> StoredRows:
    """Rows as recorders select them: number, stored name and state of each, and first of all, under
    its length as a negative number, the stored digest."""
    if not rows_selected or rows_selected[0][0] > 0:
        return StoredRows([StoredRow(topic, state) for _, topic, state in rows_selected], None)
    length, _, value = rows_selected[0]
    rows = [StoredRow(topic, state) for _, topic, state in islice(rows_selected, 1, None)]
    return StoredRows(rows, Digest(-length, value))


def has_digest(first: StoredRow) -> bool:
    """Whether a stream that begins with this row has a digest: all do but tournaments and signed
    checkpoints."""
    return not first.topic.startswith(UNDIGESTED_STREAMS)


def begin_digest(stream: UUID) -> Digest:
    """The digest of a stream without rows."""
    return Digest(0, sha256(NAME + stream.bytes).digest())


def extend_digest(digest: Digest, rows: Iterable[StoredRow]) -> Digest:
    """The digest after more rows: for each the SHA-256 of the digest before it, its position as 8
    bytes and the length of its stored name as 4 bytes (big-endian), the name, and the SHA-256 of
    the state, which a row keeps in which a name is withheld."""
    position, value = digest
    for position, (topic, state) in enumerate(rows, digest.length + 1):
        value = sha256(_HEAD.pack(value, position, len(topic)) + topic + content_of(state)).digest()
    return Digest(position, value)


def content_of(state: bytes) -> bytes:
    """The SHA-256 of a row's state, as it was before a name in it was withheld."""
    original = withheld(state)
    return sha256(state).digest() if original is None else original.content


def check_rows(match: UUID, since: Digest, rows_read: StoredRows) -> Digest:
    """The digest after all rows found, which are those after the first `since.length` to the end.

    Raises RecordAltered unless it is the stored digest.
    """
    rows, head = rows_read
    digest = extend_digest(since, rows)
    digested = since.length > 0 or (bool(rows) and has_digest(rows[0]))
    compare(match, digest, head, digested=digested)
    return digest


def compare(match: UUID, digest: Digest, head: Digest | None, *, digested: bool) -> None:
    """Raises RecordAltered unless the digest of all rows is the stored one, which all streams have
    that are `digested`."""
    if head is None:
        if digested:
            raise RecordAltered(match, UNDIGESTED)
    elif head.length > digest.length:
        raise RecordAltered(match, MISSING, digest.length + 1)
    elif digest != head:
        raise RecordAltered(match, DIFFERS, head.length)
