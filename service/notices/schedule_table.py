"""The table of scheduled matches beside the log: what calendars show, and which deadlines are in
force. It is derived: rows follow from the log alone. All methods block."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from projections.schedule import ScheduledMatch
from service.event_store.bulk_sql import write_rows
from service.event_store.database import Database
from service.read_models.match_projection import listed_rows

POSITION_TABLE, TABLE = "arbiter_schedule_position", "arbiter_schedule"

TABLES = (
    f"CREATE TABLE IF NOT EXISTS {POSITION_TABLE} (id INTEGER PRIMARY KEY, position BIGINT)",
    f"INSERT INTO {POSITION_TABLE} VALUES (1, 0) ON CONFLICT DO NOTHING",  # noqa: S608
    f"CREATE TABLE IF NOT EXISTS {TABLE} (id {{text}} PRIMARY KEY, tournament {{text}},"
    " deadline BIGINT, scheduled {bytes}) {keyed}",
    f"CREATE INDEX IF NOT EXISTS {TABLE}_by_tournament ON {TABLE} (tournament, id)"
    " WHERE tournament IS NOT NULL",
    f"CREATE INDEX IF NOT EXISTS {TABLE}_in_force ON {TABLE} (deadline) WHERE deadline IS NOT NULL",
)

POSITION = f"SELECT position FROM {POSITION_TABLE} WHERE id = 1"  # noqa: S608  one of ours
_SELECT = f"SELECT scheduled FROM {TABLE}"  # noqa: S608

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(ScheduledMatch).decode


class ScheduleTable:
    """The scheduled matches of one store. Any thread may use it, and any number of instances."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def position(self) -> int:
        """How far the log has been followed."""
        ((position,),) = self._db.select(POSITION)
        return int(position)

    def matches(self, ids: Iterable[str]) -> dict[str, ScheduledMatch]:
        """These matches, by their ids."""
        with self._db.snapshot() as cursor:
            found = listed_rows(cursor, TABLE, ids, row="scheduled")
        return {match: _decode(row) for match, row in found.items()}

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

    def advance(self, position: int, reached: int, changed: Sequence[ScheduledMatch]) -> bool:
        """Writes matches and moves the position from `position` to `reached`. False if another
        instance has moved it already."""
        with self._db.transaction() as cursor:
            cursor.execute(POSITION + self._db.for_update)
            if cursor.fetchone()[0] != position:
                return False
            write_rows(
                cursor,
                f"INSERT INTO {TABLE} VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET "  # noqa: S608
                "deadline = excluded.deadline, scheduled = excluded.scheduled",
                list(map(_row, changed)),
            )
            cursor.execute(f"UPDATE {POSITION_TABLE} SET position = ? WHERE id = 1", (reached,))  # noqa: S608
        return True

    def _selected(self, sql: str, parameters: Sequence[Any]) -> list[ScheduledMatch]:
        return [_decode(row) for (row,) in self._db.select(sql, parameters)]


def _row(match: ScheduledMatch) -> tuple[Any, ...]:
    awaiting = match.in_force
    deadline = None if awaiting is None else awaiting.deadline
    return match.row.id, match.row.tournament, deadline, _encode(match)
