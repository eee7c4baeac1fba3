"""Calendars: addresses at which a calendar program reads when matches take place. They lie beside
the log: in no event, in no backup and in no copy. Only hashes of their tokens are stored."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from msgspec import Struct

from service.auth.key_form import KeyReference
from service.event_store.database import Database

TABLE = "arbiter_calendars"
COLUMNS = "id, token_hash, match_id, tournament, player, slot, ring, key_hash, since"

TABLES = (
    f"CREATE TABLE IF NOT EXISTS {TABLE} (id {{text}} PRIMARY KEY, token_hash {{bytes}},"
    " match_id {text}, tournament {text}, player BIGINT, slot {text}, ring {text},"
    " key_hash {bytes}, since BIGINT) {keyed}",
    f"CREATE UNIQUE INDEX IF NOT EXISTS {TABLE}_by_token ON {TABLE} (token_hash)",
)

_ALL = f"SELECT {COLUMNS} FROM {TABLE}"  # noqa: S608  one of ours


class Calendar(Struct, frozen=True):
    """A calendar of one match, of a tournament, or of a `player` of it. `since` is in
    microseconds."""

    id: str
    token_hash: bytes
    match: str | None
    tournament: str | None
    player: int | None
    key: KeyReference
    since: int


class CalendarTable:
    """The calendars of one store. All methods block; any thread may use it, and any number of
    instances."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def add(self, calendar: Calendar) -> None:
        """Adds a calendar; it is on disk when this returns."""
        with self._db.transaction() as cursor:
            cursor.execute(
                f"INSERT INTO {TABLE} ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
                _row(calendar),
            )

    def remove(self, calendar: str) -> None:
        """Removes a calendar: its address is good for nothing any more."""
        with self._db.transaction() as cursor:
            cursor.execute(f"DELETE FROM {TABLE} WHERE id = ?", (calendar,))  # noqa: S608

    def find(self, calendar: str) -> Calendar | None:
        """The calendar with this id."""
        return next(iter(self._selected("WHERE id = ?", (calendar,))), None)

    def by_token(self, token_hash: bytes) -> Calendar | None:
        """The calendar whose token has this hash."""
        return next(iter(self._selected("WHERE token_hash = ?", (token_hash,))), None)

    def all(self) -> list[Calendar]:
        """All calendars, in the order in which they were made."""
        return self._selected("ORDER BY since, id", ())

    def any(self) -> bool:
        """Whether there is one."""
        return bool(self._selected("LIMIT 1", ()))

    def _selected(self, behind: str, parameters: Sequence[Any]) -> list[Calendar]:
        return list(map(_calendar, self._db.select(f"{_ALL} {behind}", parameters)))


def _row(calendar: Calendar) -> tuple[Any, ...]:
    key = calendar.key
    return (
        calendar.id, calendar.token_hash, calendar.match, calendar.tournament, calendar.player,
        key.slot, str(key.ring), key.key_hash, calendar.since,
    )  # fmt: skip


def _calendar(row: Sequence[Any]) -> Calendar:
    id_, token_hash, match, tournament, player, slot, ring, key_hash, since = row
    key = KeyReference(slot, UUID(ring), bytes(key_hash))
    return Calendar(id_, bytes(token_hash), match, tournament, player, key, since)
