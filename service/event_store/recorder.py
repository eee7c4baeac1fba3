"""What our recorders do besides the library's contract: whole transactions of rows with the digests
of their streams, and reads of the stored bytes."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol
from uuid import UUID

from eventsourcing.persistence import ApplicationRecorder, StoredEvent

from service.event_store.database import Database, SQLiteDatabase
from service.event_store.integrity.digests import StoredRows, from_selected

LOG, SECRETS, KEYRINGS, DIGESTS = "events", "secrets", "keys", "digests"
"""Endings of the names of the tables; but for that of the digests, the library gives them."""

NO_LIMIT = 2**62
"""A version and a position after the end of every stream and log."""


class Row(NamedTuple):
    """A record as it is stored. `stream` is the stream's id in hexadecimal, `topic` the stored
    name of the event, `state` the encoded record."""

    stream: str
    version: int
    topic: str
    state: bytes


Length = tuple[str, int]
"""The id of a stream in hexadecimal, and its number of events."""

REPLACE_STATE = "UPDATE {} SET state = ? WHERE originator_id = ? AND originator_version = ?"

LogRow = tuple[int, str, bytes]
"""A record in the log: its position, the id of its stream, and its stored bytes."""


class Dialect(NamedTuple):
    """What differs between the tables of the databases: the `prefix` of their names, and the SQL of
    columns. `listed` says that a version is in a JSON list. Casts are for damage: SQLite returns a
    value of any type from any column."""

    prefix: str
    position: str
    topic: str
    state: str
    listed: str

    def table(self, name: str) -> str:
        """The name of one of the store's tables in the database."""
        return self.prefix + name


SQLITE = Dialect(
    "stored_",
    "rowid",
    "CAST(topic AS BLOB)",
    "COALESCE(CAST(state AS BLOB), x'')",
    "IN (SELECT value FROM json_each(?))",
)
POSTGRES = Dialect(
    "arbiter_",
    "notification_id",
    "convert_to(topic, 'UTF8')",
    "COALESCE(state, '')",
    "= ANY(translate(?::text, '[]', '{}')::bigint[])",
)


class LogTables:
    """Reads the rows of the log in SQL that both databases understand. All methods block."""

    dialect: Dialect

    def selected(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        """The rows that a statement with `?` selects."""
        raise NotImplementedError

    def select_rows(self, originator_id: UUID, gt: int = 0, lte: int | None = None) -> StoredRows:
        """The rows of a stream after version `gt`, up to `lte`, in order, and the digest stored of
        it: both of one moment."""
        stream, columns = originator_id.hex, f"{self.dialect.topic}, {self.dialect.state}"
        # The digest comes first, under its length as a negative number. The tables' names are ours.
        rows = self.selected(
            f"SELECT -originator_version AS n, {columns} FROM {self.dialect.table(DIGESTS)}"  # noqa: S608
            " WHERE originator_id = ? UNION ALL"
            f" SELECT originator_version AS n, {columns} FROM {self.dialect.table(LOG)}"
            " WHERE originator_id = ? AND originator_version > ? AND originator_version <= ?"
            " ORDER BY n",
            (stream, stream, gt, NO_LIMIT if lte is None else lte),
        )
        return from_selected(rows)

    def select_states(
        self, originator_id: UUID, gt: int = 0, lte: int | None = None
    ) -> list[bytes]:
        """The stored bytes of a stream's events after version `gt`, up to `lte`, in order."""
        rows = self.selected(
            f"SELECT state FROM {self.dialect.table(LOG)} WHERE originator_id = ?"  # noqa: S608
            " AND originator_version > ? AND originator_version <= ? ORDER BY originator_version",
            (originator_id.hex, gt, NO_LIMIT if lte is None else lte),
        )
        return [state for (state,) in rows]

    def select_states_at(self, originator_id: UUID, versions: Sequence[int]) -> list[bytes]:
        """The stored bytes of a stream's events with these versions, in order."""
        rows = self.selected(
            f"SELECT state FROM {self.dialect.table(LOG)} WHERE originator_id = ?"  # noqa: S608
            f" AND originator_version {self.dialect.listed} ORDER BY originator_version",
            (originator_id.hex, str(list(versions))),
        )
        return [state for (state,) in rows]

    def select_log(
        self, position: int, upto: int, topics: Sequence[str], limit: int
    ) -> list[LogRow]:
        """The records with these stored names after `position` of the log, up to `upto`, at most
        `limit` of them."""
        place, marks = self.dialect.position, ", ".join("?" * len(topics))
        rows = self.selected(
            f"SELECT {place}, originator_id, {self.dialect.state} FROM {self.dialect.table(LOG)}"  # noqa: S608
            f" WHERE {place} > ? AND {place} <= ? AND topic IN ({marks}) ORDER BY {place} LIMIT ?",
            (position, upto, *topics, limit),
        )
        return [(at, str(UUID(str(stream))), state) for at, stream, state in rows]

    def select_grown(self, position: int, limit: int) -> tuple[int, list[UUID]]:
        """The position of the last record read, and the streams of all records after `position` of
        the log. `limit` is the maximum number of records."""
        place = self.dialect.position
        rows = self.selected(
            f"SELECT {place}, originator_id FROM {self.dialect.table(LOG)}"  # noqa: S608
            f" WHERE {place} > ? ORDER BY {place} LIMIT ?",
            (position, limit),
        )
        return (rows[-1][0] if rows else position), [UUID(str(stream)) for _, stream in rows]


class LogRecorder(LogTables, ApplicationRecorder):
    """Records the log of a store. All methods block, and any thread may call them."""

    @abstractmethod
    def insert_rows(
        self, rows: Sequence[Row], unchanged: Sequence[Length] = (), digests: Sequence[Row] = ()
    ) -> Sequence[int]:
        """Inserts rows in one transaction, replaces the digests of streams, and returns the log
        positions of the rows, which are on disk when this returns.

        Raises IntegrityError, and inserts nothing, if a version already exists, if the version
        before the first of a stream is missing, or if a stream in `unchanged` is longer than its
        given length. After any other error of the library the rows may or may not be stored.
        """

    def insert_events(self, stored_events: Sequence[StoredEvent], **_: Any) -> Sequence[int] | None:
        """Like the library's method, but tried once."""
        return list(self.insert_rows(stored_rows(stored_events)))

    def replace_states(self, stream: UUID, states: Mapping[int, bytes], table: str = LOG) -> None:
        """Replaces the stored bytes of a stream's events, by their versions, in one transaction:
        of those alone in which a name is withheld (`domain.proof.withholding`), or in the `table`
        of the keys a person's name."""
        raise NotImplementedError

    @abstractmethod
    def rehearse(self) -> None:
        """Raises what `insert_rows` would raise now. Nothing stays in the store."""

    def sync_mark(self) -> None:
        """Brings the high-water mark to disk, if there is one and it has changed."""

    @property
    def mark_unsynced(self) -> float:
        """For how many seconds the high-water mark has waited to be on disk; 0 without one."""
        return 0.0


class FollowedLog(Protocol):
    """A log, as those read it who follow it."""

    def max_notification_id(self) -> int | None: ...

    def select_log(
        self, position: int, upto: int, topics: Sequence[str], limit: int
    ) -> list[LogRow]: ...


class StoreFactory(Protocol):
    """A factory of the library that makes our recorders, and opens what lies next to their log."""

    def database(self, open_file: Callable[[str], SQLiteDatabase], /) -> Database:
        """The database of the log, for tables next to it. Of an embedded store `open_file` makes a
        connection of its own to the file."""


def stored_rows(events: Sequence[StoredEvent]) -> list[Row]:
    """Events of the library as rows."""
    return [
        Row(UUID(str(event.originator_id)).hex, event.originator_version, event.topic, event.state)
        for event in events
    ]
