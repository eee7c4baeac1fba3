"""Records that are appended to a store without the rules, as the service would append them."""

from collections.abc import Iterable
from uuid import UUID

from domain.events import Event, Record
from service.event_store.integrity.digests import StoredRow, begin_digest, extend_digest
from service.event_store.recorder import Row
from service.event_store.store import Store, digest_row, rows


def append_records(store: Store, match: UUID, records: Iterable[Record[Event]]) -> None:
    """Appends records to a match, with its digest."""
    before = store.digest_head(match) or begin_digest(match)
    new = rows(match, before.length, records)
    digest = extend_digest(before, map(_digested, new))
    store.append(new, (), [digest_row(match, digest)])


def _digested(row: Row) -> StoredRow:
    return StoredRow(row.topic.encode(), row.state)
