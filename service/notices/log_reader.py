"""Follows the log from a position of its own, and addresses what is public to whoever asked."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from eventsourcing.persistence import ApplicationRecorder

from domain.encoding import decode_all
from domain.events import Event, Record, stored_name
from domain.match_events import AwaitingChanged, MatchPaused
from projections.matches import ENDS, MatchRow
from service.notices.notices import KINDS, OF_MATCHES, Notice, notice_of, reminder_of
from service.notices.webhook_table import WebhookTable
from service.notices.webhooks import Addressed, Webhook
from service.read_models.index import Index
from service.read_models.log_pages import select_log

PAGE = 1_000
"""Maximum public records that are read and addressed in one transaction."""

FAR = 1_000
"""How far the log may grow without a record for anybody before the position is written: so that
not every hidden event costs a transaction."""

_TOPICS = [stored_name(kind) for kind in KINDS]


class PublicRecord(NamedTuple):
    """A public record of a stream, at its position in the log."""

    position: int
    stream: str
    record: Record[Event]


class NoticeReader:
    """Reads one store's log for its webhooks. All methods block."""

    def __init__(self, recorder: ApplicationRecorder, index: Index, table: WebhookTable) -> None:
        self._recorder = recorder
        self._index = index
        self._table = table

    def follow(self) -> None:
        """Addresses everything public up to the present end of the log. Raises FarBehind while the
        index is behind, and PersistenceError."""
        # The lists first: they name the players of what is read next.
        self._index.follow()
        end = self._recorder.max_notification_id() or 0
        while self._follow_page(end):
            pass

    def _follow_page(self, end: int) -> bool:
        """Addresses a page. True if there may be more."""
        position = self._table.position()
        if end <= position:
            return False
        webhooks = self._table.all()
        stored = select_log(self._recorder, position, end, _TOPICS, PAGE) if webhooks else []
        if not stored and end - position <= FAR:
            return False
        page, full = _decoded(stored), len(stored) == PAGE
        reached = stored[-1][0] if full else end
        rows = self._index.rows({read.stream for read in page if _is_match(read)})
        notices = list(addressed(page, rows, webhooks))
        # Another instance that was faster leaves the rest to be read again.
        return not self._table.advance(position, reached, notices, list(_settled(page))) or full


def addressed(
    page: Sequence[PublicRecord], rows: dict[str, MatchRow], webhooks: Sequence[Webhook]
) -> Iterator[Addressed]:
    """What of a page goes to which webhook, in the order of the log. Only the last deadline that a
    page sets for a match has a reminder."""
    last = _settled(page)
    for read in page:
        row = rows.get(read.stream)
        notice = notice_of(read.stream, read.record, row)
        for webhook in webhooks:
            if notice is not None and _wants(webhook, notice, row):
                named = webhook.notice_id(read.position)
                yield Addressed(webhook.id, named, notice, notice.at)
            event = read.record.event
            if row is not None and isinstance(event, AwaitingChanged) and read in last.values():
                yield from _reminder(read, event, row, webhook)


def _reminder(
    read: PublicRecord, event: AwaitingChanged, row: MatchRow, webhook: Webhook
) -> Iterator[Addressed]:
    """The reminder of a deadline to a webhook that asked for it. There is none if the deadline is
    nearer than that when it is set."""
    found = reminder_of(read.stream, event, row, webhook.remind)
    if found is None or found[0] <= read.record.at:
        return
    due, notice = found
    if _wants(webhook, notice, row) and (webhook.seat is None or webhook.seat in event.seats):
        named = webhook.notice_id("reminder", read.stream, event.deadline or 0, *event.seats)
        yield Addressed(webhook.id, named, notice, due)


def _wants(webhook: Webhook, notice: Notice, row: MatchRow | None) -> bool:
    tournament = None if row is None else row.tournament
    return webhook.wants(notice.kind, notice.subject, tournament, notice.at)


def _is_match(read: PublicRecord) -> bool:
    return isinstance(read.record.event, OF_MATCHES)


def _settled(page: Iterable[PublicRecord]) -> dict[str, PublicRecord]:
    """The matches whose deadline before this page is no longer in force, with what says last which
    one is."""
    moved = (AwaitingChanged, MatchPaused, *ENDS)
    return {read.stream: read for read in page if isinstance(read.record.event, moved)}


def _decoded(page: Sequence[tuple[int, str, bytes]]) -> list[PublicRecord]:
    """The records of a page. One that cannot be decoded is left out, and reported by the index."""
    try:
        records = decode_all([state for _, _, state in page])
    except Exception:  # noqa: BLE001  an upcaster may raise anything
        middle = len(page) // 2
        return [*_decoded(page[:middle]), *_decoded(page[middle:])] if middle else []
    return [
        PublicRecord(at, stream, record)
        for (at, stream, _), record in zip(page, records, strict=True)
    ]
