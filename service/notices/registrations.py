"""What somebody asked for with a key, webhooks and calendars: a row of a table beside the log.
It ends with the key."""

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar
from uuid import UUID

from msgspec.structs import astuple

from service.auth.key_form import KeyReference
from service.event_store.database import Cursor, Database
from service.notices.calendars import Calendar
from service.notices.webhooks import Webhook

T = TypeVar("T", Webhook, Calendar)


class Registrations(Generic[T]):
    """The webhooks, or the calendars, of one store: rows of a table with these columns, from which
    `made` makes them; the last columns are their key and their time. All methods block; any thread
    may use it, and any number of instances."""

    counters: tuple[str, ...] = ()
    """More columns, which begin at 0."""

    def __init__(
        self, database: Database, made: Callable[..., T], table: str, columns: str
    ) -> None:
        self._db = database
        self._made: Callable[..., T] = made
        self._table = table
        self._columns = columns

    def add(self, one: T) -> None:
        """Adds one; it is on disk when this returns. One with this id stays as it is."""
        row = (*to_row(one), *(0 for _ in self.counters))
        columns, marks = ", ".join((self._columns, *self.counters)), ", ".join("?" * len(row))
        with self._db.transaction() as cursor:
            cursor.execute(
                f"INSERT INTO {self._table} ({columns}) VALUES ({marks}) "  # noqa: S608
                "ON CONFLICT DO NOTHING",
                row,
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

    def _selected(self, behind: str, parameters: Sequence[Any] = ()) -> list[T]:
        found = f"SELECT {self._columns} FROM {self._table} {behind}"  # noqa: S608  one of ours
        return [of_row(self._made, row) for row in self._db.select(found, parameters)]

    def _added(self, cursor: Cursor, name: str) -> None:
        """In the transaction in which one is added."""

    def _removed(self, cursor: Cursor, name: str) -> None:
        """In the transaction in which one is removed."""


def to_row(one: Webhook | Calendar) -> tuple[Any, ...]:
    """One as it is stored."""
    *own, key, since = astuple(one)
    plain = (" ".join(value) if isinstance(value, tuple) else value for value in own)
    return (*plain, key.slot, str(key.ring), key.key_hash, since)


def of_row(made: Callable[..., T], row: Sequence[Any]) -> T:
    """The one in a row."""
    *own, slot, ring, key_hash, since = row
    return made(*own, KeyReference(slot, UUID(ring), key_hash), since)
