"""Records that are appended to a store without the rules, as the service would append them."""

from collections.abc import Iterable
from uuid import UUID

from domain.events import Event, Record
from service.event_store.digests import Digest, StoredRow, begun, extended
from service.event_store.store import Row, Store, digest_row, rows


def append_records(store: Store, match: UUID, records: Iterable[Record[Event]]) -> None:
    """Appends records to a match, with its digest."""
    before = store.digest_head(match) or begun(match)
    new = rows(match, before.length, records)
    digest = extended(before, map(_digested, new))
    store.append(new, (), [digest_row(match, digest)])


def digests_of(page: Iterable[Row], so_far: dict[UUID, Digest]) -> list[Row]:
    """The digests of the matches of which rows are on a page, which follow those that are in
    `so_far`; it is brought up to date."""
    grown = set()
    for row in page:
        match = UUID(row.stream)
        grown.add(match)
        so_far[match] = extended(so_far.get(match) or begun(match), [_digested(row)])
    return [digest_row(match, so_far[match]) for match in grown]


def _digested(row: Row) -> StoredRow:
    return StoredRow(row.topic.encode(), row.state)
