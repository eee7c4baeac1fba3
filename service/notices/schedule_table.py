"""The table of scheduled matches next to the log: what calendars show, and which deadlines are in
force. It is derived: rows follow from the log alone. All methods block."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from domain.events import stored_name
from projections.audience.matches import SCHEDULED, ScheduledMatch, schedule_match
from service.event_store.bulk_sql import write_rows
from service.event_store.database import Cursor, Database
from service.event_store.recorder import FollowedLog
from service.read_models.follower import Follower, LogRecord, Projection, statements
from service.read_models.match_projection import listed_rows

NAME = "schedule"
"""The name under which the schedule follows the log."""

TABLE = "arbiter_schedule"

TABLES = (
    *statements(NAME),
    f"CREATE TABLE IF NOT EXISTS {TABLE} (id {{text}} PRIMARY KEY, tournament {{text}},"
    " deadline BIGINT, scheduled {bytes}) {keyed}",
    f"CREATE INDEX IF NOT EXISTS {TABLE}_by_tournament ON {TABLE} (tournament, id)"
    " WHERE tournament IS NOT NULL",
    f"CREATE INDEX IF NOT EXISTS {TABLE}_in_force ON {TABLE} (deadline) WHERE deadline IS NOT NULL",
)

_UPSERT = (
    f"INSERT INTO {TABLE} VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET "  # noqa: S608
    "deadline = excluded.deadline, scheduled = excluded.scheduled"
)
_SELECT = f"SELECT scheduled FROM {TABLE}"  # noqa: S608

_TOPICS = [stored_name(kind) for kind in SCHEDULED]

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(ScheduledMatch).decode


class ScheduleTable:
    """The scheduled matches of one store. Any thread may use it, and any number of instances."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def follower(self, log: FollowedLog) -> Follower:
        """What fills the table from the log."""
        return Follower(self._db, log, Projection(NAME, lambda: _TOPICS, self.changes, lazily=True))

    def changes(self, page: Sequence[LogRecord]) -> Callable[[Cursor], None]:
        """What a page of the log changes."""
        rows = list(map(_row, changed(page, self.matches({read.stream for read in page}))))
        return lambda cursor: write_rows(cursor, _UPSERT, rows)

    def matches(self, ids: Iterable[str]) -> dict[str, ScheduledMatch]:
        """These matches, by their ids."""
        with self._db.snapshot() as cursor:
            found = listed_rows(cursor, TABLE, ids, "scheduled")
        return {match: _decode(row) for match, (row,) in found.items()}

    def of_tournament(self, tournament: str) -> list[ScheduledMatch]:
        """The matches of a tournament, in the order of their ids."""
        return self._selected(f"{_SELECT} WHERE tournament = ? ORDER BY id", (tournament,))

    def in_force(
        self, *, match: str | None = None, tournament: str | None = None
    ) -> list[ScheduledMatch]:
        """The matches that have a deadline in force, by that: one, those of a tournament, or
        all."""
        wanted = {"id": match, "tournament": tournament}
        given = {column: value for column, value in wanted.items() if value is not None}
        more = "".join(f" AND {column} = ?" for column in given)
        where = f"WHERE deadline IS NOT NULL{more} ORDER BY deadline, id"
        return self._selected(f"{_SELECT} {where}", tuple(given.values()))

    def _selected(self, sql: str, parameters: Sequence[Any]) -> list[ScheduledMatch]:
        return [_decode(row) for (row,) in self._db.select(sql, parameters)]


def _row(match: ScheduledMatch) -> tuple[Any, ...]:
    awaiting = match.in_force
    deadline = None if awaiting is None else awaiting.deadline
    return match.row.id, match.row.tournament, deadline, _encode(match)


def changed(page: Sequence[LogRecord], known: Mapping[str, ScheduledMatch]) -> list[ScheduledMatch]:
    """The matches that a page of the log changes, as they are after it."""
    after = dict(known)
    for read in page:
        match = schedule_match(read.stream, after.get(read.stream), read.record)
        # Without one its creation could not be read: the record is closed.
        if match is not None:
            after[read.stream] = match
    return [match for name, match in after.items() if match is not known.get(name)]
