"""The match projection: folds a page of the log, then writes the rows that have changed."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from msgspec import UNSET, Struct
from msgspec.structs import replace

from domain.events import Event
from domain.match.events import MatchEnded, SeatNamed
from domain.names import person_of
from domain.proof.log_events import CheckpointSigned
from domain.rulings.events import (
    MatchConfirmed,
    MatchVoided,
    RulingLapsed,
    RulingOrdered,
    RulingProposed,
    RulingWithdrawn,
)
from domain.tournament.events import MatchCorrected, MatchSettled
from projections.audience.matches import SCHEDULED, MatchRow, ScheduledMatch, schedule_match
from service.event_store.database import Cursor, chunks, select_from, write_rows
from service.event_store.store import paired_stream
from service.read_models.follower import LogRecord
from service.read_models.sealed_rows import decoder_of, sealed

KINDS = (
    *SCHEDULED, CheckpointSigned, MatchSettled,
    RulingProposed, RulingWithdrawn, RulingLapsed, RulingOrdered,
)  # fmt: skip
"""The events that change the tables of matches."""


IDLE_TABLE = 7 * 24 * 3_600 * 1_000_000
"""After so many microseconds without anything that happens an open table is void."""


class IndexedMatch(Struct, frozen=True, omit_defaults=True):
    """A match in the index: as it is scheduled, when it was created, the end of its protest window,
    when its pending rulings lapse, and whether it counts in its tournament and its whole log is
    signed. Instants are in microseconds."""

    scheduled: ScheduledMatch
    created: int
    protests_until: int | None = None
    lapses: Mapping[str, int] = {}
    settled: bool = False
    signed: bool = False

    @property
    def row(self) -> MatchRow:
        """Its public row."""
        return self.scheduled.row

    @property
    def due(self) -> int | None:
        """The first instant at which its deadline, its protest window or a ruling ends."""
        ends = (self.scheduled.until, self.protests_until, *self.lapses.values())
        return min((end for end in ends if end is not None), default=None)

    @property
    def over(self) -> bool:
        """Whether the match is over, and its result final."""
        return self.row.status in ("ended", "void") and self.protests_until is None

    @property
    def idle(self) -> int | None:
        """When an open table is void if nothing more happens that everyone sees."""
        changed = self.scheduled.revised
        return changed + IDLE_TABLE if self.row.open_table and not self.over else None

    def columns(self) -> tuple[Any, ...]:
        """Its row of the table."""
        row, over = self.row, self.over
        unsettled = over and row.tournament is not None and not self.settled
        to_do = int(unsettled), int(over and not self.signed)
        lasting = row.id, row.game, row.status, row.tournament, self.created
        return *lasting, self.due, self.idle, *to_do, sealed(self)


decode_match = decoder_of(IndexedMatch)


def apply_page(cursor: Cursor, page: Sequence[LogRecord]) -> None:
    """Applies a page of the log to the tables of matches."""
    about = [
        (_match_of(log_record), log_record)
        for log_record in page
        if isinstance(log_record.record.event, KINDS)
    ]
    rows = listed_rows(cursor, "arbiter1_matches", {match for match, _ in about})
    before = {match: decode_match(row) for match, (row,) in rows.items()}
    after = dict(before)
    for match, log_record in about:
        # Without a row its creation could not be read: the record is closed.
        if (indexed := _index_record(match, after.get(match), log_record)) is not None:
            after[match] = indexed
    write_rows(
        cursor,
        "INSERT INTO arbiter1_matches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) "
        "DO UPDATE SET status = excluded.status, due = excluded.due, idle = excluded.idle, "
        "unsettled = excluded.unsettled, unsigned = excluded.unsigned, listed = excluded.listed",
        [
            match_after.columns()
            for match, match_after in after.items()
            if match_after != before.get(match)
        ],
    )
    # The names that its seats have or had are public.
    events = ((match, log_record.record.event) for match, log_record in about if match in after)
    names = [
        (person_of(event.name), after[match].created, match)
        for match, event in events
        if isinstance(event, SeatNamed)
    ]
    write_rows(cursor, "INSERT INTO arbiter1_seats VALUES (?, ?, ?) ON CONFLICT DO NOTHING", names)


def _match_of(log_record: LogRecord) -> str:
    """The match that a record is about."""
    event = log_record.record.event
    if isinstance(event, MatchSettled | MatchCorrected):
        return event.match
    checkpoint = isinstance(event, CheckpointSigned)
    return str(paired_stream(UUID(log_record.stream))) if checkpoint else log_record.stream


def _index_record(
    match: str, before: IndexedMatch | None, log_record: LogRecord
) -> IndexedMatch | None:
    """The match after a record; None before it was created."""
    event, scheduled = log_record.record.event, None if before is None else before.scheduled
    if isinstance(event, SCHEDULED):
        scheduled = schedule_match(match, scheduled, log_record.record)
    if scheduled is None:
        return None
    if before is None:
        return IndexedMatch(scheduled, log_record.record.at)
    return _after(replace(before, scheduled=scheduled), event)


def _after(match: IndexedMatch, event: Event) -> IndexedMatch:
    match event:
        case MatchEnded() if event.protests_until is not UNSET:
            return replace(match, protests_until=event.protests_until)
        case MatchEnded() | MatchVoided() | MatchConfirmed():
            return replace(match, protests_until=None, lapses={})
        case RulingProposed():
            return replace(match, lapses={**match.lapses, event.id: event.lapses})
        case RulingWithdrawn() | RulingLapsed() | RulingOrdered():
            lapses = {ruling: due for ruling, due in match.lapses.items() if ruling != event.id}
            return replace(match, lapses=lapses)
        case MatchSettled():
            return replace(match, settled=True)
        case CheckpointSigned():
            return replace(match, signed=match.signed or event.over)
    return match


def listed_rows(
    cursor: Cursor, table: str, ids: Iterable[str], columns: str = "listed"
) -> dict[str, tuple[Any, ...]]:
    """These columns of the stored rows of these ids."""
    rows: dict[str, tuple[Any, ...]] = {}
    for batch in chunks(sorted(ids)):
        marks = ",".join("?" * len(batch))
        query = f"SELECT id, {columns} FROM {table} WHERE id IN ({marks})"  # noqa: S608
        rows.update((row[0], tuple(row[1:])) for row in select_from(cursor, query, batch))
    return rows
