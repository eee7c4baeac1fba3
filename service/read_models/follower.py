"""Followers of the log: each reads it from a position of its own, and applies it page by page to
tables that follow from the log alone.

All positions of a database are in one table. A page and the position after it are written in one
transaction, so that any number of instances may follow: each page is applied once, by one of them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple
from uuid import UUID

from domain.encoding import decode_all
from domain.events import Event, Record
from service.event_store.database import Cursor, Database
from service.event_store.integrity.digests import UNREADABLE, RecordAltered
from service.event_store.recorder import FollowedLog, LogRow

PAGE = 4_000
"""Maximum records that are read from the log and applied in one transaction."""

FAR = 1_000
"""How far the log may grow for nothing before the position of a lazy follower is written."""

TABLE = "arbiter_positions"


class LogRecord(NamedTuple):
    """A record of a stream, at its position in the log."""

    position: int
    stream: str
    record: Record[Event]


class Projection(NamedTuple):
    """What a follower of this name makes of the log: the `changes` of each page. `topics` are the
    stored names of the records that it wants now. One that follows `lazily` writes its position
    when the log has grown by FAR without such a record: not every other event costs a
    transaction."""

    name: str
    topics: Callable[[], Sequence[str]]
    changes: Callable[[Sequence[LogRecord]], Callable[[Cursor], None]]
    lazily: bool = False


class FollowedPage(NamedTuple):
    """The position after a page, the end of the log, and whether there may be more."""

    reached: int
    end: int
    more: bool


def statements(*names: str) -> tuple[str, ...]:
    """The statements that create the table of positions, with the followers of these names."""
    return (
        f"CREATE TABLE IF NOT EXISTS {TABLE} (name {{text}} PRIMARY KEY, position BIGINT NOT NULL)",
        *(f"INSERT INTO {TABLE} VALUES ('{name}', 0) ON CONFLICT DO NOTHING" for name in names),  # noqa: S608
    )


def select_position(name: str) -> str:
    """Selects how far a follower is; no row if the database is of an older release."""
    return f"SELECT position FROM {TABLE} WHERE name = '{name}'"  # noqa: S608  one of ours


def set_position(name: str) -> str:
    """Moves a follower to a position, its parameter."""
    return f"UPDATE {TABLE} SET position = ? WHERE name = '{name}'"  # noqa: S608  one of ours


def restart(cursor: Cursor, name: str, tables: Iterable[str]) -> None:
    """Empties the tables that a follower fills: it reads the log again from its beginning."""
    # The position first: with it this waits for a page that is being applied.
    cursor.execute(set_position(name), (0,))
    for table in tables:
        cursor.execute(f"DELETE FROM {table}")  # noqa: S608  one of ours


def ignore_unreadable(_error: RecordAltered) -> None:
    """The index reports it."""


class Follower:
    """Follows a log with one projection. `on_unreadable` is called for a record that cannot be
    decoded; the follower goes on without it. All methods block."""

    def __init__(self, database: Database, log: FollowedLog, projection: Projection) -> None:
        self._db = database
        self._log = log
        self._projection = projection
        self.on_unreadable: Callable[[RecordAltered], None] = ignore_unreadable

    def position(self) -> int:
        """How far the log has been followed."""
        ((position,),) = self._db.select(select_position(self._projection.name))
        return int(position)

    def pages(self, upto: int | None = None) -> Iterator[FollowedPage]:
        """Applies page after page to the present end of the log, or up to a position of it, and
        yields after each."""
        more = True
        while more:
            end = (self._log.max_notification_id() or 0) if upto is None else upto
            page = self._apply_page(end)
            more = page.more
            yield page

    def _apply_page(self, end: int) -> FollowedPage:
        position, (name, topics, changes, lazily) = self.position(), self._projection
        topics_needed = topics() if end > position else ()
        # The log is read before the transaction, so that the transaction is short.
        rows = self._log.select_log(position, end, topics_needed, PAGE) if topics_needed else []
        if not rows and end - position <= (FAR if lazily else 0):
            return FollowedPage(position, end, more=False)
        full = len(rows) == PAGE
        reached = rows[-1][0] if full else end
        write = changes(self._decoded(rows))
        with self._db.transaction() as cursor:
            if self._locked_position(cursor) != position:
                return FollowedPage(position, end, more=True)  # Another instance was faster.
            write(cursor)
            cursor.execute(set_position(name), (reached,))
        return FollowedPage(reached, end, more=full)

    def _locked_position(self, cursor: Cursor) -> int:
        """The position, locked until the transaction ends."""
        cursor.execute(select_position(self._projection.name) + self._db.for_update)
        return int(cursor.fetchone()[0])

    def _decoded(self, page: Sequence[LogRow]) -> list[LogRecord]:
        """The records of a page, without those that cannot be decoded: they must not hide the
        matches of all others."""
        try:
            records = decode_all([state for _, _, state in page])
        except Exception as error:  # noqa: BLE001  an upcaster may raise anything
            if len(page) == 1:
                altered = RecordAltered(UUID(page[0][1]), UNREADABLE)
                altered.__cause__ = error
                self.on_unreadable(altered)
                return []
            middle = len(page) // 2
            return self._decoded(page[:middle]) + self._decoded(page[middle:])
        return [
            LogRecord(position, stream, record)
            for (position, stream, _), record in zip(page, records, strict=True)
        ]
