"""Small named values next to the log, overwritten in place.

They are of the store, not of a match: a value is written often or by several instances, and only
the last one counts. What has to stay on record is an event in a stream instead.
"""

from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

import msgspec
from eventsourcing.persistence import PersistenceError
from msgspec import Struct

from service.event_store.database import Database
from service.event_store.store import Store

TABLE = "arbiter_properties"

TABLES = (
    f"CREATE TABLE IF NOT EXISTS {TABLE}"
    " (name {text} PRIMARY KEY, value {bytes} NOT NULL) {keyed}",
)

SELECT = f"SELECT value FROM {TABLE} WHERE name = ?"  # noqa: S608  the table's name

UPSERT = (
    f"INSERT INTO {TABLE} VALUES (?, ?)"  # noqa: S608  the table's name
    " ON CONFLICT (name) DO UPDATE SET value = excluded.value"
)


class Properties:
    """The properties of one store. All methods block, and any thread may call them."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def get(self, name: str) -> bytes | None:
        """The value with this name; None if there is none."""
        for (value,) in self._db.select(SELECT, (name,)):
            return bytes(value)
        return None

    def set(self, name: str, value: bytes) -> None:
        """Replaces the value with this name.

        In the embedded store a power failure may undo it for as long as nothing has been appended
        to the log since: a commit of the log brings all earlier ones to disk.
        """
        with self._db.transaction() as cursor:
            cursor.execute(UPSERT, (name, value))

    def change(self, name: str, to: Callable[[bytes | None], bytes]) -> bytes:
        """Replaces the value with this name by what `to` makes of it, and returns the new one.
        Another instance that changes it at the same moment waits, except for the first value."""
        with self._db.transaction() as cursor:
            cursor.execute(SELECT + self._db.for_update, (name,))
            row = cursor.fetchone()
            value = to(None if row is None else bytes(row[0]))
            cursor.execute(UPSERT, (name, value))
        return value

    def select_committed(self, name: str, sql: str, parameters: Sequence[Any]) -> list[Any]:
        """What is selected, from any table of the store, in a transaction that writes the property
        of this name and was committed: a server that takes no commits raises an error instead."""
        with self._db.transaction() as cursor:
            cursor.execute(UPSERT, (name, b""))
            cursor.execute(sql, parameters)
            return cursor.fetchall()

    def close(self) -> None:
        """Closes the table; it must not be used afterwards."""
        self._db.close()


def open_properties(store: Store) -> Properties:
    """The properties of a store."""
    return Properties(store.open_database(TABLES, (TABLE,)))


BACKED_UP = "backed-up"
"""When the last backup was made, in decimal microseconds since 1970."""


# The number of the store's format.

FORMAT = 1
"""The format that this release writes, and the highest that it reads. A release that stores what
earlier ones cannot read, as an event under a new name, has the next number. Older releases refuse
the store by it."""

FORMAT_NAME = "format"


class NewerStore(PersistenceError):
    """The store is in a format that this release does not know."""

    def __init__(self, theirs: "StoreFormat", own: "StoreFormat") -> None:
        super().__init__(
            f"this store is in format {theirs.number}, of Arbiter {theirs.release}; this is Arbiter"
            f" {own.release}, which knows format {own.number}. Run that release, or a newer one"
        )


class StoreFormat(Struct, frozen=True):
    """The number of a format, and the first release that wrote this store in it."""

    number: int
    release: str


_decoder = msgspec.msgpack.Decoder(StoreFormat)


def this_release() -> StoreFormat:
    """What this release writes."""
    return StoreFormat(FORMAT, version("arbiter"))


def record_format(properties: Properties, own: StoreFormat | None = None) -> None:
    """Puts the number of this release's format into the store. Raises NewerStore, and changes
    nothing, if the store has a higher one. Blocks."""
    own = own or this_release()
    format_ = known_format(properties, own)
    if format_ is None or format_.number < own.number:
        properties.set(FORMAT_NAME, msgspec.msgpack.encode(own))


def known_format(properties: Properties, own: StoreFormat | None = None) -> StoreFormat | None:
    """The format of a store; None if nothing has been stored in it yet. Raises NewerStore if its
    number is higher than that of this release. Blocks."""
    own, state = own or this_release(), properties.get(FORMAT_NAME)
    format_ = None if state is None else _decoder.decode(state)
    if format_ is not None and format_.number > own.number:
        raise NewerStore(format_, own)
    return format_
