"""The index: the read models, which follow the log from a position. It has the lists of matches and
of tournaments, what is due and left to do, and the ledger of every tournament.

Everything in it is derived: after it is dropped it is rebuilt from event 0.
"""

import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from functools import partial
from time import monotonic
from uuid import UUID

from eventsourcing.persistence import OperationalError
from msgspec import UNSET, Struct
from msgspec.structs import replace

from domain.encoding import decode
from domain.events import stored_name
from domain.names import person_of
from domain.tournament.events import GarnetsPosted
from projections.audience.matches import MatchRow, ScheduledMatch
from projections.tournaments.ledger import LedgerEntry, entry_of
from projections.tournaments.tournaments import TournamentRow
from service.event_store.database import Cursor, Database, chunks
from service.event_store.integrity.digests import RecordAltered
from service.event_store.recorder import FollowedLog
from service.event_store.store import Store
from service.event_store.stream_ids import TOURNAMENT
from service.observability import logs
from service.read_models import match_projection, tournament_projection
from service.read_models.follower import Follower, LogRecord, Projection, restart
from service.read_models.match_projection import decode_match, listed_rows
from service.read_models.round_ends import RoundEnd
from service.read_models.sealed_rows import content_of
from service.read_models.tables import DERIVED_TABLES, KIND, NAME, TABLES
from service.read_models.tournament_projection import decode_page, decode_tournament
from service.read_models.withheld_names import rename_in_match, rename_in_tournament

SLOW_FOLLOW_SECONDS = 1.0
"""After this many seconds of following the log the index counts as far behind, and other callers
no longer wait for it; they wait as long for a page that is being written."""

NO_LIMIT = 2**62

KINDS = frozenset((*match_projection.KINDS, *tournament_projection.KINDS))
"""The events that change the index."""

_TOPICS = sorted(map(stored_name, KINDS))


class MatchPage(Struct, frozen=True):
    """A page of matches, newest first; `next` is the `after` of the following page, if any."""

    matches: list[MatchRow]
    next: str | None


class MatchFilters(Struct, frozen=True):
    """Which matches are listed: all but for what is given. `player` and `moderator` are names, in
    whatever way they are spelled, of a seat and of a moderator of the tournament; the id of a
    `tournament` may be in upper case, and a text that is none fits nothing. Created `since` an
    instant and before `until`, in microseconds."""

    game: str | None = None
    status: str | None = None
    tournament: str | None = None
    player: str | None = None
    moderator: str | None = None
    since: int | None = None
    until: int | None = None


NO_FILTERS = MatchFilters()

Wanted = dict[str, tuple[str | int, ...]]
"""Clauses, each with its values."""

MATCHES = "arbiter1_matches", "arbiter1_matches.created, id"
"""The table of matches, and the columns by which it is in order."""


class TournamentPage(Struct, frozen=True):
    """A page of tournaments, newest first; `next` is the `after` of the following page, if any."""

    tournaments: list[TournamentRow]
    next: str | None


def apply_page(cursor: Cursor, page: Sequence[LogRecord]) -> None:
    """Applies a page of the log to every table of the index."""
    match_projection.apply_page(cursor, page)
    tournament_projection.apply_page(cursor, page)


class FarBehind(OperationalError):
    """The index is still far behind the log, or is being closed."""

    store_works = True


class Index:
    """The read models of one store. All methods block, and any thread may call them.

    Any number of instances may follow the log in one database: each page is applied once, by one
    of them.
    """

    def __init__(self, database: Database, log: FollowedLog) -> None:
        changes = Projection(NAME, lambda: _TOPICS, lambda page: partial(apply_page, page=page))
        self.follower = Follower(database, log, changes)
        self.follower.on_unreadable = _report
        self._db = database
        self._follow_lock = threading.Lock()
        self._far_behind = self._closing = False
        self.followed_at = monotonic()
        """When the end of the log was last reached, in monotonic seconds."""

    def stop(self) -> None:
        """Stops following the log after the current page."""
        self._closing = True

    def close(self) -> None:
        """Stops, waits for the current page, and closes the database."""
        self.stop()
        with self._follow_lock:
            self._db.close()

    def follow(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Reads the log from the stored position to its present end.

        `progress` receives, after each page, the position reached and the end of the log. Raises
        FarBehind if another thread follows the log from far behind or waits for the store, or the
        index is being closed: waiting would occupy a thread that other reads need.
        """
        if self._far_behind or not self._follow_lock.acquire(timeout=SLOW_FOLLOW_SECONDS):
            raise FarBehind
        start = monotonic()
        try:
            for page in self.follower.pages():
                if progress is not None:
                    progress(page.reached, page.end)
                if self._closing and page.more:
                    raise FarBehind
                self._far_behind = monotonic() - start > SLOW_FOLLOW_SECONDS
            self.followed_at = start
        finally:
            self._far_behind = False
            self._follow_lock.release()

    def rename(self, stream: UUID, names: Collection[str], placeholder: str) -> None:
        """Has `placeholder` in place of these names in a match or a tournament, at the end of the
        log."""
        rename = rename_in_tournament if stream.version == TOURNAMENT else rename_in_match
        self.follow()
        with self._follow_lock, self._db.transaction() as cursor:
            rename(cursor, str(stream), names, placeholder)

    def rebuild(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Empties all tables and reads the log again from its beginning."""
        with self._db.transaction() as cursor:
            restart(cursor, NAME, DERIVED_TABLES)
        self.follow(progress)

    def deadlines(self, before: int | None = None) -> list[tuple[UUID, int]]:
        """Every match with a deadline in force, a protest window or a pending ruling, and the first
        instant at which one of them ends; with `before`, only those due before that instant. In
        microseconds."""
        limit = NO_LIMIT if before is None else before
        rows = self._db.select("SELECT id, due FROM arbiter1_matches WHERE due < ?", (limit,))
        return [(UUID(match), due) for match, due in rows]

    def open_tables(self) -> int:
        """How many open tables are not over."""
        self.follow()
        rows = self._db.select("SELECT COUNT(*) FROM arbiter1_matches WHERE idle IS NOT NULL")
        return int(rows[0][0])

    def idle_tables(self, now: int) -> list[UUID]:
        """The open tables at which nothing that everyone sees has happened for too long."""
        self.follow()
        return self._ids("SELECT id FROM arbiter1_matches WHERE idle <= ? ORDER BY id", now)

    def unsettled(self) -> list[UUID]:
        """Every match of a tournament that is over and is not settled yet."""
        return self._ids("SELECT id FROM arbiter1_matches WHERE unsettled = 1 ORDER BY id")

    def unsigned(self) -> list[UUID]:
        """Every match that is over and whose complete log has not been signed yet."""
        return self._ids("SELECT id FROM arbiter1_matches WHERE unsigned = 1 ORDER BY id")

    def unsigned_tournaments(self) -> list[UUID]:
        """Every tournament of which something was closed since its log was signed."""
        return self._ids("SELECT id FROM arbiter1_tournaments WHERE unsigned = 1 ORDER BY id")

    def due_tournaments(self, upto: int = 0) -> list[UUID]:
        """The tournaments with an open round, or a ruling that lapses up to an instant, in
        microseconds."""
        return self._ids("SELECT id FROM arbiter1_tournaments WHERE due <= ? ORDER BY id", upto)

    def _ids(self, sql: str, *parameters: int) -> list[UUID]:
        return [UUID(id_) for (id_,) in self._db.select(sql, parameters)]

    def scheduled(self, matches: Iterable[str]) -> dict[str, ScheduledMatch]:
        """These matches, as everyone may know when they take place."""
        with self._db.snapshot() as cursor:
            rows = listed_rows(cursor, "arbiter1_matches", set(matches))
        return {match: decode_match(row).scheduled for match, (row,) in rows.items()}

    def scheduled_in(self, tournament: str) -> list[ScheduledMatch]:
        """The same of a tournament, in the order of their creation."""
        rows = self._listed(MATCHES, {"tournament = ?": (tournament,)}, NO_LIMIT)
        return [decode_match(row).scheduled for row in reversed(rows)]

    def round_ends(self, tournament: str) -> list[RoundEnd]:
        """When the open rounds of a tournament end, and their tables that may last longer."""
        rows = self._db.select("SELECT page FROM arbiter1_tournaments WHERE id = ?", (tournament,))
        return [end for (page,) in rows for end in decode_page(page).ends.values()]

    def postings(
        self, tournament: UUID, player: int | None, *, after: int, upto: int
    ) -> list[LedgerEntry]:
        """The postings of a tournament after number `after`, up to number `upto`. For a `player`:
        their own postings, in their own numbering; for None all postings."""
        number, own = ("seq", "") if player is None else ("own", " AND player = ?")
        rows = self._db.select(
            f"SELECT {number}, posting FROM arbiter1_ledger WHERE tournament = ?{own} "  # noqa: S608
            f"AND {number} > ? AND {number} <= ? ORDER BY {number}",
            (str(tournament), *(() if player is None else (player,)), after, upto),
        )
        postings = [_posted(number, posting) for number, posting in rows]
        return postings if player is not None else self._of_all(str(tournament), postings)

    def _of_all(self, tournament: str, postings: Sequence[LedgerEntry]) -> list[LedgerEntry]:
        """The same as those count who see all postings: what one reverses has another number."""
        own = [(p.player, p.reverses) for p in postings if p.reverses is not None]
        seqs: dict[tuple[int, int], int] = {}
        for batch in chunks(sorted(set(own))):
            marks = ", ".join(["(?, ?)"] * len(batch))
            rows = self._db.select(
                f"WITH wanted (player, own) AS (VALUES {marks}) "  # noqa: S608  the values are bound
                "SELECT wanted.player, wanted.own, seq FROM arbiter1_ledger AS posted JOIN wanted "
                "ON posted.player = wanted.player AND posted.own = wanted.own WHERE tournament = ?",
                (*(value for pair in batch for value in pair), tournament),
            )
            seqs |= {(player, number): seq for player, number, seq in rows}
        return [
            p if p.reverses is None else replace(p, reverses=seqs.get((p.player, p.reverses)))
            for p in postings
        ]

    def tournaments(
        self, *, after: UUID | None = None, limit: int = 50, name: str | None = None
    ) -> TournamentPage:
        """Tournaments older than `after`, newest first. With `name`: those with this name or with a
        player of this name, in upper or lower case."""
        clauses: Wanted = {} if after is None else {"id < ?": (str(after),)}
        source = "arbiter1_tournaments"
        if name is not None:
            source = f"arbiter1_called JOIN {source} ON id = tournament"
            clauses["name = ?"] = (person_of(name),)
        rows = [decode_tournament(row) for row in self._listed((source, "id"), clauses, limit)]
        more = len(rows) > limit
        return TournamentPage(rows[:limit], rows[limit - 1].id if more else None)

    def page(
        self, filters: MatchFilters = NO_FILTERS, *, after: UUID | None = None, limit: int = 50
    ) -> MatchPage:
        """Matches older than `after`, newest first, that fit all filters."""
        source, order, clauses = _of_matches(filters)
        if after is not None:
            rows = self._db.select(
                "SELECT created FROM arbiter1_matches WHERE id = ?", (str(after),)
            )
            # A match that is not there is older than none.
            clauses[f"({order}) < (?, ?)"] = (rows[0][0] if rows else -1, str(after))
        match_rows = [
            decode_match(row).row for row in self._listed((source, order), clauses, limit)
        ]
        more = len(match_rows) > limit
        return MatchPage(match_rows[:limit], match_rows[limit - 1].id if more else None)

    def _listed(
        self, source_and_order: tuple[str, str], clauses: Wanted, limit: int
    ) -> list[bytes]:
        """The `listed` column of the rows that fit all clauses, the last ones in the order of these
        columns first; at most one row more than the limit."""
        source, order = source_and_order
        values = [value for bound in clauses.values() for value in bound]
        if any(isinstance(value, str) and "\0" in value for value in values):
            return []  # PostgreSQL has no texts with a NUL character.
        where = " AND ".join(clauses) or "TRUE"
        last_first = ", ".join(f"{column} DESC" for column in order.split(", "))
        # Tables and clauses are constants of the callers; the values are bound.
        rows = self._db.select(
            f"SELECT listed FROM {source} WHERE {where} ORDER BY {last_first} LIMIT ?",  # noqa: S608
            (*values, limit + 1),
        )
        return [row for (row,) in rows]


def _of_matches(filters: MatchFilters) -> tuple[str, str, Wanted]:
    """The tables of matches that fit these filters, the columns by which they are in order of
    creation, and the clauses. Those of the first name have an index for both."""
    (source, order), clauses = MATCHES, Wanted()
    joins = ("arbiter1_seats", filters.player), ("arbiter1_moderating", filters.moderator)
    for table, name in joins:
        if name is not None:
            clauses[f"{table}.name = ?"] = (person_of(name),)
            source = f"{source} JOIN {table} ON {table}.match = id"
            order = f"{table}.created, {table}.match" if order == MATCHES[1] else order
    created = order.partition(",")[0]
    tournament = filters.tournament
    with suppress(ValueError):
        tournament = None if tournament is None else str(UUID(tournament))
    kind = None
    if filters.game is not None and filters.status is not None:
        kind = f"{filters.game} {filters.status}"
    conditions = {
        f"{created} >= ?": filters.since,
        f"{created} < ?": filters.until,
        "tournament = ?": tournament,
        "game = ?": filters.game if kind is None else None,
        "status = ?": filters.status if kind is None else None,
        f"{KIND} = ?": kind,
    }
    return (
        source,
        order,
        clauses | {clause: (v,) for clause, v in conditions.items() if v is not None},
    )


def _posted(number: int, posting: bytes) -> LedgerEntry:
    """A posting as its player counts: what it reverses has the player's number."""
    record = decode(content_of(posting))
    event = record.event
    assert isinstance(event, GarnetsPosted), "the table has only postings"
    return entry_of(number, record.at, event, None if event.reverses is UNSET else event.reverses)


def _report(error: RecordAltered) -> None:
    logs.failure("record_altered", error, match=str(error.match))


def open_index(store: Store) -> Index:
    """The index of a store."""
    return Index(store.open_database(TABLES, DERIVED_TABLES), store.recorder)
