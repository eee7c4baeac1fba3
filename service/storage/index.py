"""The index: the lists of matches and of tournaments and the deadlines in force, read off the log
from a position.

It holds nothing of its own: dropped, it is read again from event 0.
"""

import sqlite3
import threading
from collections.abc import Iterable
from uuid import UUID

import msgspec
from eventsourcing.persistence import ApplicationRecorder, Notification
from msgspec import Struct

from domain.encoding import decode
from domain.events import Event, Record, stored_name
from domain.log_events import CheckpointSigned
from domain.match_events import AwaitingChanged, MatchEnded, MatchPaused
from domain.tournament_events import MatchSettled
from projections.matches import LISTED, MatchRow, list_match
from projections.tournaments import LISTED as LISTED_TOURNAMENTS
from projections.tournaments import TournamentRow, list_tournament
from service.storage.store import beside

PAGE = 1_000

TABLES = """
CREATE TABLE IF NOT EXISTS arbiter_index_position (one INTEGER PRIMARY KEY, position INTEGER);
INSERT OR IGNORE INTO arbiter_index_position VALUES (1, 0);
CREATE TABLE IF NOT EXISTS arbiter_matches (
    id TEXT PRIMARY KEY, game TEXT, status TEXT, tournament TEXT, deadline INTEGER, listed BLOB
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS arbiter_deadlines ON arbiter_matches (deadline)
    WHERE deadline IS NOT NULL;
CREATE INDEX IF NOT EXISTS arbiter_matches_by_game ON arbiter_matches (game, id);
CREATE INDEX IF NOT EXISTS arbiter_matches_by_status ON arbiter_matches (status, id);
CREATE INDEX IF NOT EXISTS arbiter_matches_by_tournament ON arbiter_matches (tournament, id)
    WHERE tournament IS NOT NULL;
CREATE TABLE IF NOT EXISTS arbiter_tournaments (id TEXT PRIMARY KEY, listed BLOB) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS arbiter_unsigned (match TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS arbiter_settled (match TEXT PRIMARY KEY) WITHOUT ROWID;
"""

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(MatchRow)
_tournament_decoder = msgspec.json.Decoder(TournamentRow)
_TOPICS = [
    stored_name(kind)
    for kind in (*LISTED, AwaitingChanged, *LISTED_TOURNAMENTS, MatchSettled, CheckpointSigned)
]


class MatchPage(Struct, frozen=True):
    """Some matches, newest first; `next` is the `after` of the page that follows, if any."""

    matches: list[MatchRow]
    next: str | None


class TournamentPage(Struct, frozen=True):
    """Some tournaments, newest first; `next` is the `after` of the page that follows, if any."""

    tournaments: list[TournamentRow]
    next: str | None


class Index:
    """Everything here blocks; one thread at a time is let in."""

    def __init__(self, database: str, recorder: ApplicationRecorder) -> None:
        self._recorder = recorder
        self._lock = threading.Lock()
        self._db = sqlite3.connect(
            database, uri=True, check_same_thread=False, isolation_level=None, timeout=5
        )
        # The log can be read again: what the index writes need not be on disk at once.
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.executescript(TABLES)

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def follow(self) -> None:
        """Reads the log from where it stopped to its present end."""
        with self._lock:
            while self._follow_page():
                pass

    def rebuild(self) -> None:
        """Forgets everything and reads the log again from its beginning."""
        with self._lock:
            self._db.executescript(
                "BEGIN; DELETE FROM arbiter_matches;"
                "DELETE FROM arbiter_tournaments; DELETE FROM arbiter_settled;"
                "DELETE FROM arbiter_unsigned;"
                "UPDATE arbiter_index_position SET position = 0; COMMIT;"
            )
        self.follow()

    def deadlines(self) -> list[tuple[UUID, int]]:
        """Every match with a deadline in force, and its instant."""
        with self._lock:
            found = self._db.execute(
                "SELECT id, deadline FROM arbiter_matches WHERE deadline IS NOT NULL"
            )
            return [(UUID(match), deadline) for match, deadline in found]

    def statuses(self, tournament: UUID) -> dict[str, str]:
        """The status of every match of a tournament."""
        with self._lock:
            return dict(
                self._db.execute(
                    "SELECT id, status FROM arbiter_matches WHERE tournament = ?",
                    (str(tournament),),
                ).fetchall()
            )

    def unsettled(self) -> list[UUID]:
        """Every match of a tournament that is over and does not count in it yet."""
        with self._lock:
            found = self._db.execute(
                "SELECT id FROM arbiter_matches WHERE tournament IS NOT NULL "
                "AND status IN ('ended', 'void') "
                "AND id NOT IN (SELECT match FROM arbiter_settled) ORDER BY id"
            )
            return [UUID(match) for (match,) in found]

    def unsigned(self) -> list[UUID]:
        """Every match that is over and of whose whole log nothing has been signed yet."""
        with self._lock:
            found = self._db.execute("SELECT match FROM arbiter_unsigned ORDER BY match")
            return [UUID(match) for (match,) in found]

    def tournaments(self, *, after: UUID | None = None, limit: int = 50) -> TournamentPage:
        """Tournaments older than `after`, newest first."""
        with self._lock:
            found = self._db.execute(
                "SELECT listed FROM arbiter_tournaments WHERE id < ? ORDER BY id DESC LIMIT ?",
                ("g" if after is None else str(after), limit + 1),
            ).fetchall()
        listed = [_tournament_decoder.decode(row) for (row,) in found]
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
        where = " AND ".join(f"{clause} ?" for clause in filters) or "1"
        # The clauses are the four above, word for word; what was asked for is bound.
        with self._lock:
            found = self._db.execute(
                f"SELECT listed FROM arbiter_matches WHERE {where} ORDER BY id DESC LIMIT ?",  # noqa: S608
                (*filters.values(), limit + 1),
            ).fetchall()
        listed = [_decoder.decode(row) for (row,) in found]
        more = len(listed) > limit
        return MatchPage(listed[:limit], listed[limit - 1].id if more else None)

    def _follow_page(self) -> bool:
        (position,) = self._db.execute("SELECT position FROM arbiter_index_position").fetchone()
        end = self._recorder.max_notification_id() or 0
        if end <= position:
            return False
        page = self._recorder.select_notifications(
            position, PAGE, end, _TOPICS, inclusive_of_start=False
        )
        full = len(page) == PAGE
        self._db.execute("BEGIN IMMEDIATE")
        try:
            self._take_in(page)
            reached = page[-1].id if full else end
            self._db.execute("UPDATE arbiter_index_position SET position = ?", (reached,))
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")
        return full

    def _take_in(self, page: Iterable[Notification]) -> None:
        deadlines: dict[str, int | None] = {}
        for stored in page:
            record = decode(stored.state)
            match = str(stored.originator_id)
            if isinstance(record.event, LISTED):
                row = list_match(match, self._row(match), record)
                assert row is not None
                self._put(row)
                if isinstance(record.event, MatchEnded):
                    self._db.execute("INSERT OR IGNORE INTO arbiter_unsigned VALUES (?)", (match,))
            elif isinstance(record.event, LISTED_TOURNAMENTS):
                self._take_in_tournament(match, record)
            elif isinstance(record.event, MatchSettled):
                self._db.execute(
                    "INSERT OR IGNORE INTO arbiter_settled VALUES (?)", (record.event.match,)
                )
            elif isinstance(record.event, CheckpointSigned) and record.event.over:
                whole = str(beside(UUID(match)))
                self._db.execute("DELETE FROM arbiter_unsigned WHERE match = ?", (whole,))
            if isinstance(record.event, AwaitingChanged):
                deadlines[match] = record.event.deadline
            elif isinstance(record.event, MatchEnded | MatchPaused):
                deadlines[match] = None
        self._db.executemany(
            "UPDATE arbiter_matches SET deadline = ?2 WHERE id = ?1 AND deadline IS NOT ?2",
            list(deadlines.items()),
        )

    def _take_in_tournament(self, tournament: str, record: Record[Event]) -> None:
        found = self._db.execute(
            "SELECT listed FROM arbiter_tournaments WHERE id = ?", (tournament,)
        ).fetchone()
        before = None if found is None else _tournament_decoder.decode(found[0])
        row = list_tournament(tournament, before, record)
        assert row is not None
        self._db.execute(
            "INSERT OR REPLACE INTO arbiter_tournaments VALUES (?, ?)",
            (tournament, _encoder.encode(row)),
        )

    def _row(self, match: str) -> MatchRow | None:
        found = self._db.execute(
            "SELECT listed FROM arbiter_matches WHERE id = ?", (match,)
        ).fetchone()
        return None if found is None else _decoder.decode(found[0])

    def _put(self, row: MatchRow) -> None:
        self._db.execute(
            "INSERT INTO arbiter_matches VALUES (?, ?, ?, ?, NULL, ?)"
            "ON CONFLICT (id) DO UPDATE SET status = excluded.status, listed = excluded.listed",
            (row.id, row.game, row.status, row.tournament, _encoder.encode(row)),
        )
