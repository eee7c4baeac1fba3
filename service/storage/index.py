"""The index: the read models, which are read off the log from a position. The lists of matches and
of tournaments, the deadlines in force, the page and the ledger of every tournament.

It holds nothing of its own: dropped, it is read again from event 0.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import Protocol, runtime_checkable
from uuid import UUID

from eventsourcing.persistence import ApplicationRecorder, OperationalError
from eventsourcing.utils import Environment, strtobool
from msgspec import Struct

from domain.encoding import decode_all
from domain.events import stored_name
from domain.seats import spoken
from projections.ledger import Posted
from projections.matches import MatchRow
from projections.tournaments import Shown, TournamentRow
from service.storage import listing, postings, rosters
from service.storage.database import Cursor, Database, NotMigrated, SQLiteDatabase
from service.storage.listing import Read, decode_match
from service.storage.rosters import decode_tournament
from service.storage.tables import FILLED, FORGET, KIND, MOVE, POSITION, TABLES, older

PAGE = 4_000
SOON = 1.0
"""Seconds: who has read the log for longer has come from far behind, and nobody waits for him."""

EVER = 2**62

KINDS = (*listing.KINDS, *rosters.KINDS, *postings.KINDS)
"""The events that change anything here."""

_OF_TOURNAMENTS = frozenset((*rosters.KINDS, *postings.KINDS))

_TOPICS = [stored_name(kind) for kind in KINDS]


@runtime_checkable
class QuickLog(Protocol):
    """A recorder that reads the log without wrapping it."""

    def select_log(
        self, position: int, upto: int, topics: Sequence[str], limit: int
    ) -> list[tuple[int, str, bytes]]: ...


class MatchPage(Struct, frozen=True):
    """Some matches, newest first; `next` is the `after` of the page that follows, if any."""

    matches: list[MatchRow]
    next: str | None


class TournamentPage(Struct, frozen=True):
    """Some tournaments, newest first; `next` is the `after` of the page that follows, if any."""

    tournaments: list[TournamentRow]
    next: str | None


def take_in(cursor: Cursor, page: Sequence[Read]) -> None:
    """Brings every table of the index from the page's beginning to its end."""
    about_tournaments = [read for read in page if type(read[1].event) in _OF_TOURNAMENTS]
    listing.list_page(cursor, page)
    rosters.enter(cursor, about_tournaments)
    postings.post(cursor, about_tournaments)


class FarBehind(OperationalError):
    """The log is being read from long ago: what is looked for may not be there yet."""


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
        self._far_behind = self._closing = False
        if create:
            database.create(TABLES)
        elif database.lacks(FILLED[-1]):
            raise NotMigrated(FILLED[-1])

    def stop(self) -> None:
        """Ends the reading of the log after the page that is being read."""
        self._closing = True

    def close(self) -> None:
        """Waits for what is being read."""
        self.stop()
        with self._following:
            self._db.close()

    def follow(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Reads the log from where it stopped to its present end.

        `progress` is told after each page how far in the log it has come, and where that ends.
        Raises FarBehind if somebody is at it who has a long way to go, or it is being closed: who
        reads in between would wait in a thread that others need.
        """
        if self._far_behind:
            raise FarBehind
        with self._following:
            began = monotonic()
            try:
                while self._follow_page(progress):
                    if self._closing:
                        raise FarBehind
                    self._far_behind = monotonic() - began > SOON
            finally:
                self._far_behind = False

    def rebuild(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Forgets everything and reads the log again from its beginning."""
        with self._db.transaction() as cursor:
            self._position(cursor)
            for table in FILLED:
                cursor.execute(f"DELETE FROM {table}")  # noqa: S608  one of ours
            cursor.execute(MOVE, (0,))
        self.follow(progress)

    def left_over(self) -> list[str]:
        """The tables that only releases of an older format read."""
        return older(self._db.tables())

    def drop_left_over(self) -> list[str]:
        """Drops those, which is for when no such release runs any more; one that comes back all the
        same reads the log from its beginning."""
        dropped = self.left_over()
        with self._db.transaction() as cursor:
            cursor.execute(FORGET)
            for table in dropped:
                cursor.execute(f"DROP TABLE IF EXISTS {table}")
        return dropped

    def deadlines(self, before: int | None = None) -> list[tuple[UUID, int]]:
        """Every match with a deadline in force, by default whenever that is, and its instant."""
        found = self._db.select(
            "SELECT id, deadline FROM arbiter2_matches WHERE deadline < ?",
            (EVER if before is None else before,),
        )
        return [(UUID(match), deadline) for match, deadline in found]

    def unsettled(self) -> list[UUID]:
        """Every match of a tournament that is over and does not count in it yet."""
        found = self._db.select(
            "SELECT id FROM arbiter2_matches WHERE tournament IS NOT NULL "
            "AND status IN ('ended', 'void') "
            "AND NOT EXISTS (SELECT 1 FROM arbiter2_settled WHERE match = id) ORDER BY id"
        )
        return [UUID(match) for (match,) in found]

    def unsigned(self) -> list[UUID]:
        """Every match that is over and of whose whole log nothing has been signed yet."""
        found = self._db.select("SELECT match FROM arbiter2_unsigned ORDER BY match")
        return [UUID(match) for (match,) in found]

    def shown(self, tournament: UUID) -> Shown | None:
        """A tournament as everybody sees it; None if there is none."""
        return rosters.shown(self._db, str(tournament))

    def postings(
        self, tournament: UUID, player: int | None, *, after: int, upto: int
    ) -> list[Posted]:
        """The postings of a tournament behind number `after`, up to number `upto`: as a player
        counts his own, or all of them."""
        return postings.read(self._db, str(tournament), player, after, upto)

    def tournaments(
        self, *, after: UUID | None = None, limit: int = 50, name: str | None = None
    ) -> TournamentPage:
        """Tournaments older than `after`, newest first; of a `name`, or with a player of it, in
        whatever case it is written."""
        source, key = "arbiter2_tournaments", "id"
        if name is not None:
            source, key = f"arbiter2_called JOIN {source} ON id = tournament", "tournament"
        wanted = {f"{key} <": None if after is None else str(after)}
        wanted["name ="] = None if name is None else spoken(name)
        listed = [decode_tournament(row) for row in self._listed(source, key, wanted, limit)]
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
        name: str | None = None,
    ) -> MatchPage:
        """Matches older than `after`, newest first, that fit every filter given; of a `name` are
        those in which a seat has it, in whatever case it is written."""
        source, key = "arbiter2_matches", "id"
        if name is not None:
            source, key = f"arbiter2_seats JOIN {source} ON id = match", "match"
        wanted = {f"{key} <": None if after is None else str(after), "tournament =": tournament}
        if game is None or status is None:
            wanted |= {"game =": game, "status =": status}
        else:
            wanted[f"{KIND} ="] = f"{game} {status}"
        wanted["name ="] = None if name is None else spoken(name)
        listed = [decode_match(row) for row in self._listed(source, key, wanted, limit)]
        more = len(listed) > limit
        return MatchPage(listed[:limit], listed[limit - 1].id if more else None)

    def _listed(
        self, source: str, key: str, wanted: Mapping[str, str | None], limit: int
    ) -> list[bytes]:
        """What is listed of those that fit every clause whose value is not None, newest first: of
        one more than the limit, if there are so many."""
        filters = {clause: value for clause, value in wanted.items() if value is not None}
        if any("\0" in value for value in filters.values()):
            return []  # PostgreSQL knows no text with it in.
        where = " AND ".join(f"{clause} ?" for clause in filters) or "TRUE"
        # Tables and clauses are those of the callers, word for word; what was asked for is bound.
        found = self._db.select(
            f"SELECT listed FROM {source} WHERE {where} ORDER BY {key} DESC LIMIT ?",  # noqa: S608
            (*filters.values(), limit + 1),
        )
        return [row for (row,) in found]

    def _follow_page(self, progress: Callable[[int, int], None] | None) -> bool:
        """Whether there may be more: another page, or somebody else was quicker with this one."""
        ((position,),) = self._db.select(POSITION)
        end = self._recorder.max_notification_id() or 0
        if end <= position:
            return False
        # Nobody is held up while the log is read: only what has been found is written together.
        page = select_log(self._recorder, position, end, _TOPICS, PAGE)
        records = decode_all([state for _, _, state in page])
        read = [(stream, record) for (_, stream, _), record in zip(page, records, strict=True)]
        full = len(page) == PAGE
        reached = page[-1][0] if full else end
        with self._db.transaction() as cursor:
            if self._position(cursor) != position:
                return True
            take_in(cursor, read)
            cursor.execute(MOVE, (reached,))
        if progress is not None:
            progress(reached, end)
        return full

    def _position(self, cursor: Cursor) -> int:
        """How far the log has been read; nobody else can move that before the transaction ends."""
        cursor.execute(POSITION + self._db.for_update)
        position: int = cursor.fetchone()[0]
        return position


def select_log(
    recorder: ApplicationRecorder, position: int, upto: int, topics: Sequence[str], limit: int
) -> list[tuple[int, str, bytes]]:
    """The records of these stored names behind a position of the log, up to another: of each its
    own position, its stream and what is stored; of `limit` records at most."""
    if isinstance(recorder, QuickLog):
        return recorder.select_log(position, upto, topics, limit)
    page = recorder.select_notifications(position, limit, upto, topics, inclusive_of_start=False)
    return [(stored.id, str(stored.originator_id), stored.state) for stored in page]


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
