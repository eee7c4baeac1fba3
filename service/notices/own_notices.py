"""Notices for one seat alone, of what no one else may know. They have a follower of their own: what
public notices cost, and when they come, depends on nothing hidden."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from uuid import UUID

from domain.events import stored_name
from domain.match.events import SubmissionInvalid
from domain.rulings.events import SeatReplaced
from domain.tournament.events import MatchAdded
from projections.audience.matches import MatchRow
from service.event_store.database import Cursor
from service.event_store.store import Store
from service.notices.notices import invalid_notice
from service.notices.webhook_table import WebhookTable, add_notices
from service.notices.webhooks import OWN, Addressed, Webhook
from service.read_models.follower import LogRecord, Projection
from service.read_models.index import Index

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
            one
            for one in self._table.all()
            if KIND in one.kinds and (one.player is not None or one.key.slot.startswith("s"))
        ]

    def _changes(self, page: Sequence[LogRecord]) -> Callable[[Cursor], None]:
        found = self._index.scheduled({read.stream for read in page})
        webhooks, players_of = self._wanting(), cache(self._players)
        notices = [
            one
            for read in page
            if read.stream in found
            for one in addressed_to_seat(read, found[read.stream].row, webhooks, players_of)
        ]
        return lambda cursor: add_notices(cursor, notices, ())

    def _players(self, row: MatchRow) -> dict[int, int]:
        """The players of a match by their seats, but for seats that another person has taken
        over."""
        if row.tournament is None:
            return {}
        added = (one.event for one in self._store.read(UUID(row.tournament)))
        found = (one for one in added if isinstance(one, MatchAdded) and one.match == row.id)
        players = dict(enumerate(next((one.players for one in found), ())))
        for record in self._store.read(UUID(row.id)):
            if isinstance(record.event, SeatReplaced):
                players.pop(record.event.seat, None)
        return players


def addressed_to_seat(
    read: LogRecord,
    row: MatchRow,
    webhooks: Sequence[Webhook],
    players_of: Callable[[MatchRow], dict[int, int]],
) -> Iterator[Addressed]:
    """What of a record goes to which webhook: those of its seat, and of the player who has it."""
    event = read.record.event
    assert isinstance(event, SubmissionInvalid), "no other event is asked for"
    notice = invalid_notice(read.record.at, row, event)
    for webhook in webhooks:
        if not webhook.wants(notice.kind, row.id, row.tournament, notice.at):
            continue
        if webhook.player is None:
            own = (str(webhook.key.ring), webhook.key.slot) == (row.id, f"s{event.seat}")
        else:
            plays = str(webhook.key.ring) == row.tournament
            own = plays and players_of(row).get(event.seat) == webhook.player
        if own:
            named = webhook.notice_id("own", read.position)
            yield Addressed(webhook.id, named, notice, notice.at)
