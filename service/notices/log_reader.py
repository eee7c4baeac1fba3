"""Follows the log, and addresses what is public to those who asked.

Notices for one seat alone, of what no one else may know, have a follower of their own: what public
notices cost, and when they come, depends on nothing hidden.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from uuid import UUID

from domain.events import stored_name
from domain.match.events import AwaitingChanged, MatchPaused, SubmissionInvalid
from domain.rulings.events import SeatReplaced
from domain.tournament.events import MatchAdded
from projections.audience.matches import ENDS, MatchRow, ScheduledMatch
from service.event_store.database import Cursor
from service.event_store.recorder import FollowedLog
from service.event_store.store import Store
from service.notices.notices import (
    KINDS,
    OF_MATCHES,
    Notice,
    invalid_notice,
    notice_of,
    own_notice_of,
    reminder_of,
)
from service.notices.registrations import NAME, OWN, Addressed, Webhook
from service.notices.round_ends import ROUND_ENDS, round_reminders
from service.notices.webhook_table import WebhookTable, add_notices
from service.read_models.follower import LogRecord, Projection
from service.read_models.index import Index

_TOPICS = list(dict.fromkeys(stored_name(kind) for kind in (*KINDS, *ROUND_ENDS)))


class NoticeReader:
    """Reads one store's log for its webhooks. All methods block."""

    def __init__(self, log: FollowedLog, index: Index, table: WebhookTable) -> None:
        self._log = log
        self._index = index
        self._table = table
        self.follower = table.follower(
            log, Projection(NAME, self._topics, self._changes, lazily=True)
        )

    def follow(self) -> None:
        """Addresses everything public up to the present end of the log. Raises FarBehind while the
        index is behind, and PersistenceError."""
        end = self._log.max_notification_id() or 0
        # The lists beyond that: they name the players of what is read next.
        self._index.follow()
        new = self._table.new()
        for _ in self.follower.pages(end):
            pass
        for webhook in new:
            self._table.remind(webhook, list(standing_reminders(webhook, self._index)))

    def rename(self, subject: UUID, names: Collection[str], placeholder: str) -> None:
        """Has `placeholder` in place of these names in the notices about a match or tournament, up
        to the present end of the log. Raises the same."""
        self.follow()
        self._table.rename(str(subject), names, placeholder)

    def _topics(self) -> Sequence[str]:
        return _TOPICS if self._table.all() else ()

    def _changes(self, page: Sequence[LogRecord]) -> Callable[[Cursor], None]:
        scheduled = self._index.scheduled(
            log_record.stream
            for log_record in page
            if isinstance(log_record.record.event, OF_MATCHES)
        )
        rows = {match: match_scheduled.row for match, match_scheduled in scheduled.items()}
        webhooks = self._table.all()
        notices = list(addressed(page, rows, webhooks))
        changed = {
            log_record.stream
            for log_record in page
            if isinstance(log_record.record.event, ROUND_ENDS)
        }
        for tournament in sorted(changed):
            for end in self._index.round_ends(tournament):
                for webhook in webhooks:
                    notices += round_reminders(tournament, end, webhook)
        settled = [*_settled(page), *changed]
        return lambda cursor: add_notices(cursor, notices, settled)


def addressed(
    page: Sequence[LogRecord], rows: dict[str, MatchRow], webhooks: Sequence[Webhook]
) -> Iterator[Addressed]:
    """What of a page goes to which webhook, in the order of the log. Only the last deadline that a
    page sets for a match has a reminder."""
    last = _settled(page)
    for log_record in page:
        row = rows.get(log_record.stream)
        notice = notice_of(log_record.stream, log_record.record, row)
        own = own_notice_of(log_record.stream, log_record.record)
        for webhook in webhooks:
            if notice is not None and _wants(webhook, notice, row) and _rings(webhook, log_record):
                notice_id = webhook.notice_id(log_record.position)
                yield Addressed(webhook.id, notice_id, notice, notice.at)
            if own is not None and webhook.player in own[1] and _wants(webhook, own[0], row):
                notice_id = webhook.notice_id("own", log_record.position)
                yield Addressed(webhook.id, notice_id, own[0], own[0].at)
            event = log_record.record.event
            if (
                row is not None
                and isinstance(event, AwaitingChanged)
                and log_record in last.values()
            ):
                yield from _reminder(event, row, log_record.record.at, webhook)


def standing_reminders(webhook: Webhook, index: Index) -> Iterator[Addressed]:
    """The reminders for a webhook of deadlines that had been set before it was registered, the
    earliest first, and then of ends of rounds. There is none of what was nearer then than that."""
    for match in sorted(
        _possible(webhook, index), key=lambda match_: (match_.until or 0, match_.row.id)
    ):
        if match.in_force is not None:
            yield from _reminder(match.in_force, match.row, match.revised, webhook)
    if webhook.match is None:
        match_ = webhook.tournament
        for tournament in map(str, index.due_tournaments()) if match_ is None else [match_]:
            for end in index.round_ends(tournament):
                yield from round_reminders(tournament, end, webhook)


def _possible(webhook: Webhook, index: Index) -> Iterable[ScheduledMatch]:
    """The matches whose notices a webhook may get, those with a deadline among them."""
    if webhook.tournament is not None:
        return index.scheduled_in(webhook.tournament)
    match_id = webhook.match
    ids = [str(match) for match, _ in index.deadlines()] if match_id is None else [match_id]
    return index.scheduled(ids).values()


def _reminder(
    event: AwaitingChanged, row: MatchRow, set_at: int, webhook: Webhook
) -> Iterator[Addressed]:
    """The reminder of a deadline to a webhook that asked for it. There is none if the deadline is
    nearer than that when it is set."""
    reminder = reminder_of(row.id, event, row, webhook.remind)
    if reminder is None or reminder[0] <= set_at:
        return
    due, notice = reminder
    if _wants(webhook, notice, row) and (webhook.seat is None or webhook.seat in event.seats):
        notice_id = webhook.notice_id("reminder", row.id, event.deadline or 0, *event.seats)
        yield Addressed(webhook.id, notice_id, notice, due, event.deadline)


def _rings(webhook: Webhook, log_record: LogRecord) -> bool:
    """Whether it is the turn of a browser's seat now; true for what is no browser's."""
    event = log_record.record.event
    return not (webhook.push and isinstance(event, AwaitingChanged)) or webhook.seat in event.seats


def _wants(webhook: Webhook, notice: Notice, row: MatchRow | None) -> bool:
    tournament = None if row is None else row.tournament
    return webhook.wants(notice.kind, notice.subject, tournament, notice.at)


def _settled(page: Iterable[LogRecord]) -> dict[str, LogRecord]:
    """The matches whose deadline before this page is no longer in force, with what says last which
    one is."""
    moved = (AwaitingChanged, MatchPaused, *ENDS)
    return {
        log_record.stream: log_record
        for log_record in page
        if isinstance(log_record.record.event, moved)
    }


KIND = "submission_invalid"


class OwnNoticeReader:
    """Reads the log for the webhooks of seats and players. All methods block."""

    def __init__(self, store: Store, index: Index, table: WebhookTable) -> None:
        self._store = store
        self._index = index
        self._table = table
        projection = Projection(OWN, self._topics, self._changes, lazily=True)
        self.follower = table.follower(store.recorder, projection)

    def follow(self) -> None:
        """Addresses everything new. Raises FarBehind while the index is behind, and
        PersistenceError."""
        self._index.follow()
        for _ in self.follower.pages():
            pass

    def _topics(self) -> Sequence[str]:
        return [stored_name(SubmissionInvalid)] if self._wanting() else ()

    def _wanting(self) -> list[Webhook]:
        """The webhooks of seats and of players that want such notices."""
        return [
            webhook
            for webhook in self._table.all()
            if KIND in webhook.kinds
            and (webhook.player is not None or webhook.key.slot.startswith("s"))
        ]

    def _changes(self, page: Sequence[LogRecord]) -> Callable[[Cursor], None]:
        scheduled = self._index.scheduled({log_record.stream for log_record in page})
        webhooks, players_of = self._wanting(), cache(self._players)
        notices = [
            notice
            for log_record in page
            if log_record.stream in scheduled
            for notice in addressed_to_seat(
                log_record, scheduled[log_record.stream].row, webhooks, players_of
            )
        ]
        return lambda cursor: add_notices(cursor, notices, ())

    def _players(self, row: MatchRow) -> dict[int, int]:
        """The players of a match by their seats, but for seats that another person has taken
        over."""
        if row.tournament is None:
            return {}
        added = (event.event for event in self._store.read(UUID(row.tournament)))
        additions = (
            event for event in added if isinstance(event, MatchAdded) and event.match == row.id
        )
        players = dict(enumerate(next((event.players for event in additions), ())))
        for record in self._store.read(UUID(row.id)):
            if isinstance(record.event, SeatReplaced):
                players.pop(record.event.seat, None)
        return players


def addressed_to_seat(
    log_record: LogRecord,
    row: MatchRow,
    webhooks: Sequence[Webhook],
    players_of: Callable[[MatchRow], dict[int, int]],
) -> Iterator[Addressed]:
    """What of a record goes to which webhook: those of its seat, and of the player who has it."""
    event = log_record.record.event
    assert isinstance(event, SubmissionInvalid), "no other event is asked for"
    notice = invalid_notice(log_record.record.at, row, event)
    for webhook in webhooks:
        if not webhook.wants(notice.kind, row.id, row.tournament, notice.at):
            continue
        if webhook.player is None:
            own = (str(webhook.key.ring), webhook.key.slot) == (row.id, f"s{event.seat}")
        else:
            plays = str(webhook.key.ring) == row.tournament
            own = plays and players_of(row).get(event.seat) == webhook.player
        if own:
            notice_id = webhook.notice_id("own", log_record.position)
            yield Addressed(webhook.id, notice_id, notice, notice.at)
