"""What someone asked for with a key, webhooks and calendars: a row of a table next to the log. It
ends with the key."""

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from msgspec import Struct, msgpack

from service.auth.key_form import KeyReference
from service.event_store.database import Cursor, Database
from service.notices.webhooks import Webhook

CALENDAR_TABLE = "arbiter_calendars"


class Calendar(Struct, frozen=True):
    """An address at which a calendar program reads when matches take place: those of one match, of
    a tournament, or of a `player` of it. `since` is in microseconds. Only the hash of its token is
    stored."""

    id: str
    token_hash: bytes
    match: str | None
    tournament: str | None
    player: int | None
    key: KeyReference
    since: int


T = TypeVar("T", Webhook, Calendar)

_encode = msgpack.Encoder().encode


class Registrations(Generic[T]):
    """The webhooks, or the calendars, of one store: rows of a table of the form
    `registration_table`. All methods block; any thread may use it, and any number of instances."""

    def __init__(self, database: Database, table: str, decode: Callable[[bytes], T]) -> None:
        self._db = database
        self._table = table
        self._decode: Callable[[bytes], T] = decode

    def add(self, one: T) -> None:
        """Adds one; it is on disk when this returns. One with this id stays as it is."""
        token = one.token_hash if isinstance(one, Calendar) else None
        with self._db.transaction() as cursor:
            cursor.execute(
                f"INSERT INTO {self._table} VALUES (?, ?, ?, ?, ?, 0, 0, NULL, 0) "  # noqa: S608
                "ON CONFLICT DO NOTHING",
                (one.id, one.since, one.key.owner, token, _encode(one)),
            )
            self._added(cursor, one.id)

    def remove(self, name: str) -> None:
        """Removes the one with this id, and what belongs to it."""
        with self._db.transaction() as cursor:
            self._removed(cursor, name)
            cursor.execute(f"DELETE FROM {self._table} WHERE id = ?", (name,))  # noqa: S608

    def find(self, name: str) -> T | None:
        """The one with this id."""
        return next(iter(self._selected("WHERE id = ?", (name,))), None)

    def all(self) -> list[T]:
        """All of them, in the order in which they were made."""
        return self._selected("ORDER BY since, id")

    def by_token(self, token_hash: bytes) -> T | None:
        """The one whose token has this hash."""
        return next(iter(self._selected("WHERE token = ?", (token_hash,))), None)

    def _selected(self, behind: str, parameters: Sequence[Any] = ()) -> list[T]:
        found = f"SELECT registered FROM {self._table} {behind}"  # noqa: S608  one of ours
        return [self._decode(bytes(row)) for (row,) in self._db.select(found, parameters)]

    def _added(self, cursor: Cursor, name: str) -> None:
        """In the transaction in which one is added."""

    def _removed(self, cursor: Cursor, name: str) -> None:
        """In the transaction in which one is removed."""
