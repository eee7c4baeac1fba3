"""The index: the lists of matches and of tournaments and the deadlines in force, read off the log
from a position.

It holds nothing of its own: dropped, it is read again from event 0.
"""

import threading
from collections.abc import Callable, Mapping
from uuid import UUID

from eventsourcing.persistence import ApplicationRecorder
from eventsourcing.utils import Environment, strtobool
from msgspec import Struct

from domain.encoding import decode
from domain.events import stored_name
from projections.matches import MatchRow
from projections.tournaments import TournamentRow
from service.storage.database import Cursor, Database, NotMigrated, SQLiteDatabase
from service.storage.listing import KINDS, decode_match, decode_tournament, take_in

PAGE = 1_000

EVER = 2**62

TABLES = (
    "CREATE TABLE IF NOT EXISTS arbiter_index_position (one INTEGER PRIMARY KEY, position BIGINT)",
    "INSERT INTO arbiter_index_position VALUES (1, 0) ON CONFLICT DO NOTHING",
    "CREATE TABLE IF NOT EXISTS arbiter_matches (id {text} PRIMARY KEY, game {text}, status {text},"
    " tournament {text}, deadline BIGINT, listed {bytes}) {keyed}",
    "CREATE INDEX IF NOT EXISTS arbiter_deadlines ON arbiter_matches (deadline)"
    " WHERE deadline IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS arbiter_matches_by_game ON arbiter_matches (game, id)",
    "CREATE INDEX IF NOT EXISTS arbiter_matches_by_status ON arbiter_matches (status, id)",
    "CREATE INDEX IF NOT EXISTS arbiter_matches_by_tournament ON arbiter_matches (tournament, id)"
    " WHERE tournament IS NOT NULL",
    "CREATE TABLE IF NOT EXISTS arbiter_tournaments"
    " (id {text} PRIMARY KEY, listed {bytes}) {keyed}",
    "CREATE TABLE IF NOT EXISTS arbiter_unsigned (match {text} PRIMARY KEY) {keyed}",
    "CREATE TABLE IF NOT EXISTS arbiter_settled (match {text} PRIMARY KEY) {keyed}",
)

_POSITION = "SELECT position FROM arbiter_index_position"

_TOPICS = [stored_name(kind) for kind in KINDS]


class MatchPage(Struct, frozen=True):
    """Some matches, newest first; `next` is the `after` of the page that follows, if any."""

    matches: list[MatchRow]
    next: str | None


class TournamentPage(Struct, frozen=True):
    """Some tournaments, newest first; `next` is the `after` of the page that follows, if any."""

    tournaments: list[TournamentRow]
    next: str | None


class Index:
    """Everything here blocks. Any thread may ask, and any number of instances may follow the log
    at once in one database: each page is taken in once, by one of them."""

    def __init__(
        self, database: Database, recorder: ApplicationRecorder, *, create: bool = True
    ) -> None:
        """Raises NotMigrated if there are no tables and it may not `create` them."""
        self._recorder = recorder
        self._db = database
        self._following = threading.Lock()
        if create:
            database.create(TABLES)
        elif database.lacks("arbiter_settled"):
            raise NotMigrated("arbiter_settled")

    def close(self) -> None:
        """Waits for what is being read."""
        with self._following:
            self._db.close()

    def follow(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Reads the log from where it stopped to its present end.

        `progress` is told after each page how far in the log it has come, and where that ends.
        """
        with self._following:
            while self._follow_page(progress):
                pass

    def rebuild(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Forgets everything and reads the log again from its beginning."""
        with self._db.transaction() as cursor:
            self._position(cursor)
            for table in ("matches", "tournaments", "settled", "unsigned"):
                cursor.execute(f"DELETE FROM arbiter_{table}")  # noqa: S608
            cursor.execute("UPDATE arbiter_index_position SET position = 0")
        self.follow(progress)

    def deadlines(self, before: int | None = None) -> list[tuple[UUID, int]]:
        """Every match with a deadline in force, by default whenever that is, and its instant."""
        found = self._db.select(
            "SELECT id, deadline FROM arbiter_matches WHERE deadline < ?",
            (EVER if before is None else before,),
        )
        return [(UUID(match), deadline) for match, deadline in found]

    def statuses(self, tournament: UUID) -> dict[str, str]:
        """The status of every match of a tournament."""
        found = self._db.select(
            "SELECT id, status FROM arbiter_matches WHERE tournament = ?", (str(tournament),)
        )
        return dict(found)

    def unsettled(self) -> list[UUID]:
        """Every match of a tournament that is over and does not count in it yet."""
        found = self._db.select(
            "SELECT id FROM arbiter_matches WHERE tournament IS NOT NULL "
            "AND status IN ('ended', 'void') "
            "AND NOT EXISTS (SELECT 1 FROM arbiter_settled WHERE match = id) ORDER BY id"
        )
        return [UUID(match) for (match,) in found]

    def unsigned(self) -> list[UUID]:
        """Every match that is over and of whose whole log nothing has been signed yet."""
        found = self._db.select("SELECT match FROM arbiter_unsigned ORDER BY match")
        return [UUID(match) for (match,) in found]

    def tournaments(self, *, after: UUID | None = None, limit: int = 50) -> TournamentPage:
        """Tournaments older than `after`, newest first."""
        found = self._db.select(
            "SELECT listed FROM arbiter_tournaments WHERE id < ? ORDER BY id DESC LIMIT ?",
            ("g" if after is None else str(after), limit + 1),
        )
        listed = [decode_tournament(row) for (row,) in found]
        more = len(listed) > limit
        return TournamentPage(listed[:limit], listed[limit - 1].id if more else None)

    def page(
        self,
        *,
        after: UUID | None = None,
        limit: int = 50,
        game: str | None = None,
        status: str | None = None,
        tournament: str | None = None,
    ) -> MatchPage:
        """Matches older than `after`, newest first, that fit every filter given."""
        wanted = {"id <": None if after is None else str(after), "game =": game}
        wanted |= {"status =": status, "tournament =": tournament}
        filters = {clause: value for clause, value in wanted.items() if value is not None}
        if any("\0" in value for value in filters.values()):
            return MatchPage([], None)  # PostgreSQL knows no text with it in.
        where = " AND ".join(f"{clause} ?" for clause in filters) or "TRUE"
        # The clauses are the four above, word for word; what was asked for is bound.
        found = self._db.select(
            f"SELECT listed FROM arbiter_matches WHERE {where} ORDER BY id DESC LIMIT ?",  # noqa: S608
            (*filters.values(), limit + 1),
        )
        listed = [decode_match(row) for (row,) in found]
        more = len(listed) > limit
        return MatchPage(listed[:limit], listed[limit - 1].id if more else None)

    def _follow_page(self, progress: Callable[[int, int], None] | None) -> bool:
        """Whether there may be more: another page, or somebody else was quicker with this one."""
        ((position,),) = self._db.select(_POSITION)
        end = self._recorder.max_notification_id() or 0
        if end <= position:
            return False
        page = self._recorder.select_notifications(
            position, PAGE, end, _TOPICS, inclusive_of_start=False
        )
        # Nobody is held up while the log is read: only what has been found is written together.
        read = [(str(stored.originator_id), decode(stored.state)) for stored in page]
        full = len(page) == PAGE
        reached = page[-1].id if full else end
        with self._db.transaction() as cursor:
            if self._position(cursor) != position:
                return True
            take_in(cursor, read)
            cursor.execute("UPDATE arbiter_index_position SET position = ?", (reached,))
        if progress is not None:
            progress(reached, end)
        return full

    def _position(self, cursor: Cursor) -> int:
        """How far the log has been read; nobody else can move that before the transaction ends."""
        cursor.execute(_POSITION + self._db.for_update)
        position: int = cursor.fetchone()[0]
        return position


def open_index(store_env: Mapping[str, str], recorder: ApplicationRecorder) -> Index:
    """The index of the log that `recorder` writes, in the same database, made if it is missing and
    the settings do not say `CREATE_TABLE=no`; in memory where the store is none of ours."""
    env = Environment("arbiter", dict(store_env))
    create = strtobool(env.get("CREATE_TABLE") or "yes")
    match env.get("PERSISTENCE_MODULE"):
        case "service.storage.sqlite":
            return Index(SQLiteDatabase(env["SQLITE_DBNAME"]), recorder, create=create)
        case "service.storage.postgres":
            # Loaded only here: whoever has no PostgreSQL does not wait for it.
            from service.storage.postgres_database import beside_log

            return Index(beside_log(recorder), recorder, create=create)
        case _:
            return Index(SQLiteDatabase(":memory:"), recorder)
