"""Follows the log from a position of its own, and addresses what is public to whoever asked."""

from collections.abc import Iterable, Iterator, Sequence

from domain.events import stored_name
from domain.match_events import AwaitingChanged, MatchPaused
from projections.matches import ENDS, MatchRow
from service.event_store.recorder import Log
from service.notices.notices import KINDS, OF_MATCHES, Notice, notice_of, reminder_of
from service.notices.public_records import PublicRecord, decoded
from service.notices.schedule_reader import ScheduleReader
from service.notices.schedule_table import ScheduleTable
from service.notices.webhook_table import WebhookTable
from service.notices.webhooks import Addressed, Webhook
from service.read_models.index import Index

PAGE = 1_000
"""Maximum public records that are read and addressed in one transaction."""

FAR = 1_000
"""How far the log may grow without a record for anybody before the position is written: so that
not every hidden event costs a transaction."""

_TOPICS = [stored_name(kind) for kind in KINDS]


class NoticeReader:
    """Reads one store's log for its webhooks. All methods block."""

    def __init__(self, log: Log, index: Index, table: WebhookTable) -> None:
        self._log = log
        self._index = index
        self._table = table
        self._schedule = ScheduleReader(log, table.schedule)

    def follow(self) -> None:
        """Addresses everything public up to the present end of the log. Raises FarBehind while the
        index is behind, and PersistenceError."""
        # The lists first: they name the players of what is read next.
        self._index.follow()
        new = self._table.new()
        end = self._log.max_notification_id() or 0
        while self._follow_page(end):
            pass
        self._remind(new)

    def _remind(self, new: Sequence[Webhook]) -> None:
        """Adds the reminders of the deadlines in force for webhooks that are new. The schedule is
        followed only where somebody needs it: who has no calendar and no webhook pays nothing."""
        if not (new or self._table.calendars.any()) or not self._schedule.follow():
            return
        for webhook in new:
            self._table.remind(webhook, list(standing_reminders(webhook, self._table.schedule)))

    def _follow_page(self, end: int) -> bool:
        """Addresses a page. True if there may be more."""
        position = self._table.position()
        if end <= position:
            return False
        webhooks = self._table.all()
        stored = self._log.select_log(position, end, _TOPICS, PAGE) if webhooks else []
        if not stored and end - position <= FAR:
            return False
        page, full = decoded(stored), len(stored) == PAGE
        reached = stored[-1][0] if full else end
        rows = self._index.rows(
            {read.stream for read in page if isinstance(read.record.event, OF_MATCHES)}
        )
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
                yield from _reminder(event, row, read.record.at, webhook)


def standing_reminders(webhook: Webhook, schedule: ScheduleTable) -> Iterator[Addressed]:
    """The reminders for a webhook of deadlines that had been set before it was registered. There
    is none of a deadline that was nearer then than that."""
    for match in schedule.in_force(match=webhook.match, tournament=webhook.tournament):
        if match.in_force is not None:
            yield from _reminder(match.in_force, match.row, match.revised, webhook)


def _reminder(
    event: AwaitingChanged, row: MatchRow, set_at: int, webhook: Webhook
) -> Iterator[Addressed]:
    """The reminder of a deadline to a webhook that asked for it. There is none if the deadline is
    nearer than that when it is set."""
    found = reminder_of(row.id, event, row, webhook.remind)
    if found is None or found[0] <= set_at:
        return
    due, notice = found
    if _wants(webhook, notice, row) and (webhook.seat is None or webhook.seat in event.seats):
        named = webhook.notice_id("reminder", row.id, event.deadline or 0, *event.seats)
        yield Addressed(webhook.id, named, notice, due, event.deadline)


def _wants(webhook: Webhook, notice: Notice, row: MatchRow | None) -> bool:
    tournament = None if row is None else row.tournament
    return webhook.wants(notice.kind, notice.subject, tournament, notice.at)


def _settled(page: Iterable[PublicRecord]) -> dict[str, PublicRecord]:
    """The matches whose deadline before this page is no longer in force, with what says last which
    one is."""
    moved = (AwaitingChanged, MatchPaused, *ENDS)
    return {read.stream: read for read in page if isinstance(read.record.event, moved)}
