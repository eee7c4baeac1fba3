"""Rows of streams next to a match, which are recorded with its own or not at all."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from domain.events import Event, batch
from service.event_store.integrity.checked_records import CheckedRecords, read_checked
from service.event_store.integrity.digests import StoredRow, extend_digest
from service.event_store.recorder import Row
from service.event_store.store import Store, digest_row, rows


class Alongside(NamedTuple):
    """Rows, and the digests of their streams after them."""

    rows: tuple[Row, ...] = ()
    digests: tuple[Row, ...] = ()

    def joined(self, other: "Alongside") -> "Alongside":
        """Both together."""
        return Alongside((*self.rows, *other.rows), (*self.digests, *other.digests))


def end_of(store: Store, stream: UUID) -> CheckedRecords:
    """The end of a stream, enough to append to it: its last record, if any, and the digest after
    it. What this costs does not depend on the length. Blocks; raises RecordAltered."""
    head = store.digest_head(stream)
    if head is None:
        return read_checked(store, stream)
    behind = read_checked(store, stream, head)
    last = store.read(stream, head.length - 1, head.length)
    return CheckedRecords([*last, *behind.records], behind.states, behind.digest)


def following(stream: UUID, end: CheckedRecords, events: Sequence[Event], now: int) -> Alongside:
    """The next rows of a stream of which at least the end has been read; its times never
    decrease."""
    at = max(now, end.records[-1].at) if end.records else now
    new = rows(stream, end.digest.length, batch(events, at))
    after = extend_digest(end.digest, (StoredRow(row.topic.encode(), row.state) for row in new))
    return Alongside(tuple(new), (digest_row(stream, after),)) if new else Alongside()
