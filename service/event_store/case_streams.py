"""The streams of cases: one for each case, and for each audience of a match or a tournament the
list of the cases that it can read. To these lists a player of a tournament is as a seat of a match.

Each list is read by itself, so what a reader costs says nothing of cases that are hidden from them.
Like those of a match, the rows of these streams have a digest.
"""

from operator import itemgetter
from typing import NamedTuple
from uuid import UUID

from msgspec import Struct

from domain.cases.state import Case, CaseListed, fold_case
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, name_audience
from service.event_store.alongside import Alongside, end_of, following
from service.event_store.integrity.checked_records import CheckedRecords, read_checked
from service.event_store.store import Store
from service.event_store.stream_ids import hidden_id


class StoredCase(Struct, frozen=True):
    """A case as it is on record."""

    id: UUID
    case: Case
    read: CheckedRecords


class CaseLists(NamedTuple):
    """The lists of the cases of a match or a tournament, whose streams no one can name without the
    key of its log: that there is one tells that someone has opened a case."""

    subject: UUID
    key: bytes

    def of(self, viewer: Viewer) -> UUID:
        """The stream of the list of an audience. That of moderators has every case."""
        return hidden_id(self.key, f"cases of {name_audience(viewer)}")


def list_cases(store: Store, lists: CaseLists, viewer: Viewer) -> list[UUID]:
    """The ids of the cases that an audience can read, in the order in which it could first do so.
    Blocks; raises RecordAltered."""
    entries = list[tuple[int, str]]()
    # For seats the list of the public, too.
    for each_viewer in dict.fromkeys((viewer, viewer if viewer == MODERATOR else PUBLIC_VIEWER)):
        for record in read_checked(store, lists.of(each_viewer)).records:
            assert isinstance(record.event, CaseListed), "a list has nothing else"
            entries.append((record.at, record.event.case))
    in_order = sorted(entries, key=itemgetter(0))
    return [UUID(case) for case in dict.fromkeys(case for _, case in in_order)]


def stored_case(store: Store, case_id: UUID) -> StoredCase:
    """A case that is on record. Blocks; raises RecordAltered."""
    records_read = read_checked(store, case_id)
    return StoredCase(case_id, fold_case(records_read.records), records_read)


def listing(store: Store, lists: CaseLists, viewer: Viewer, case_id: UUID, now: int) -> Alongside:
    """The row that puts a case on the list of an audience. Blocks; raises RecordAltered."""
    stream = lists.of(viewer)
    event = CaseListed(str(lists.subject), str(case_id))
    return following(stream, end_of(store, stream), [event], now)
