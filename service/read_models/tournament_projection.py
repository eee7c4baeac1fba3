"""The tournament projection: folds a page of the log, then writes the rows that have changed."""

from collections.abc import Sequence
from typing import get_args
from uuid import UUID

from msgspec import Struct

from domain.encoding import encode
from domain.events import Event
from domain.names import person_of
from domain.proof.log_events import CheckpointSigned
from domain.tournament.events import (
    GarnetsPosted,
    MatchAdded,
    MatchGiven,
    MatchSettled,
    MatchTaken,
    ModeratorNamed,
    PlayerNamed,
    PlayerRenamed,
    TournamentCreated,
    TournamentEvent,
    TournamentRuled,
    TournamentRulingLapsed,
    TournamentRulingOrdered,
    TournamentRulingProposed,
    TournamentRulingWithdrawn,
)
from domain.tournament.stage_events import (
    CheckInClosed,
    CheckInOpened,
    RoundClosed,
    RoundPublished,
    RoundWithdrawn,
    StageAdded,
    StageChanged,
    StageClosed,
    TournamentClosed,
)
from projections.tournaments.tournaments import TournamentRow, list_tournament
from service.event_store.database import Cursor, chunks, write_rows
from service.event_store.store import paired_stream
from service.event_store.stream_ids import TOURNAMENT
from service.read_models.follower import LogRecord
from service.read_models.match_projection import listed_rows
from service.read_models.round_ends import RoundEnds, ends_after
from service.read_models.sealed_rows import decoder_of, sealed

CHECK_IN, NEXT = "check-in", "next"
"""What closes and what is due at an instant, among the ids of the rulings that lapse at one."""

MINUTE = 60_000_000
"""In microseconds."""

OfRounds = StageAdded | StageChanged | RoundPublished | RoundClosed | RoundWithdrawn | StageClosed

LAPSED = (CheckInClosed, TournamentRulingWithdrawn, TournamentRulingLapsed, TournamentRulingOrdered)
"""The events after which something does not lapse any more."""

KINDS = (*get_args(TournamentEvent), CheckpointSigned)
"""The events that change the tables of tournaments: all of them are counted."""


class TournamentParts(Struct):
    """What is kept of a tournament next to its row: the names of moderators, and by match the
    numbers of those who moderate it; how many postings each player has, when pending rulings lapse,
    the check-in closes and a next round is due, how many rounds are open, and after how many
    minutes the next one follows in which stage; how many matches are not settled, and whether one
    of their players may have another name than their seat; when rounds end; how many events there
    are, how many there were when a round or the tournament was closed last, and of how many a
    checkpoint was signed."""

    moderators: dict[int, str] = {}
    moderating: dict[str, list[int]] = {}
    posted: dict[int, int] = {}
    lapses: dict[str, int] = {}
    rounds: int = 0
    playing: int = 0
    renamed: bool = False
    ends: RoundEnds = {}
    next: dict[int, int] = {}
    events: int = 0
    closed: int = 0
    signed: int = 0

    @property
    def unsigned(self) -> bool:
        """Whether something was closed of which no checkpoint is signed."""
        return self.signed < self.closed

    @property
    def due(self) -> int | None:
        """When the first of them lapses; always (0) while a round is open, or a seat may have to be
        named."""
        return 0 if self.rounds or self.renamed else min(self.lapses.values(), default=None)

    def add(self, event: Event, at: int) -> None:
        """Adds what an event of this instant says."""
        self._count(event)
        self.ends = ends_after(self.ends, event, at)
        if isinstance(event, OfRounds):
            self._add_round(event, at)
        # A closed round is open again.
        self.rounds += isinstance(event, TournamentRuled) and event.kind == "candidates"
        match event:
            case PlayerRenamed() | MatchAdded() | MatchSettled():
                self._add_match(event)
            case ModeratorNamed() | MatchGiven() | MatchTaken():
                self._add_moderator(event)
            case GarnetsPosted():
                self.posted[event.seat] = self.posted.get(event.seat, 0) + 1
            case TournamentRulingProposed():
                self.lapses[event.id] = event.lapses
            case CheckInOpened():
                self.lapses[CHECK_IN] = event.closes
            case _ if isinstance(event, LAPSED):
                self.lapses.pop(getattr(event, "id", CHECK_IN), None)

    def _add_moderator(self, event: ModeratorNamed | MatchGiven | MatchTaken) -> None:
        """Adds who moderates what."""
        match event:
            case ModeratorNamed():
                self.moderators[event.moderator] = event.name
            case MatchGiven(match, moderator):
                self.moderating.setdefault(match, []).append(moderator)
            case MatchTaken(match, moderator):
                self.moderating[match].remove(moderator)

    def _add_round(self, event: OfRounds, at: int) -> None:
        """Adds how many rounds are open, and when the next one of a stage is due."""
        self.rounds += isinstance(event, RoundPublished)
        self.rounds -= isinstance(event, RoundClosed | RoundWithdrawn)
        self.lapses.pop(f"{NEXT} {event.stage}", None)
        if isinstance(event, StageAdded | StageChanged):
            if event.round.next == "by_hand":
                self.next.pop(event.stage, None)
            else:
                self.next[event.stage] = event.round.next
        elif isinstance(event, RoundClosed) and event.stage in self.next:
            self.lapses[f"{NEXT} {event.stage}"] = at + self.next[event.stage] * MINUTE

    def _add_match(self, event: PlayerRenamed | MatchAdded | MatchSettled) -> None:
        """Adds how many matches go on, and whether their seats have the names of their players."""
        self.playing += isinstance(event, MatchAdded)
        self.playing -= isinstance(event, MatchSettled)
        self.renamed = (self.renamed or isinstance(event, PlayerRenamed)) and self.playing > 0

    def _count(self, event: Event) -> None:
        """Counts what is to be signed, and what is."""
        if isinstance(event, CheckpointSigned):
            self.signed = max(self.signed, event.size)
            return
        self.events += 1
        if isinstance(event, RoundClosed | TournamentClosed):
            self.closed = self.events


decode_tournament, decode_page = decoder_of(TournamentRow), decoder_of(TournamentParts)


def apply_page(cursor: Cursor, page: Sequence[LogRecord]) -> None:
    """Applies a page of the log to the tables of tournaments."""
    page = [log_record for log_record in page if _is_about(log_record)]
    if page:
        tournaments = _Tournaments(cursor, page)
        for log_record in page:
            tournaments.add(log_record)
        tournaments.write(cursor)


def _is_about(log_record: LogRecord) -> bool:
    """Whether a record is about a tournament: checkpoints are signed of matches, too."""
    if isinstance(log_record.record.event, CheckpointSigned):
        return UUID(_tournament_of(log_record)).version == TOURNAMENT
    return isinstance(log_record.record.event, KINDS)


def _tournament_of(log_record: LogRecord) -> str:
    """The tournament that a record is about."""
    checkpoint = isinstance(log_record.record.event, CheckpointSigned)
    return str(paired_stream(UUID(log_record.stream))) if checkpoint else log_record.stream


class _Tournaments:
    """The tournaments of a page of the log, and the rows that it adds."""

    def __init__(self, cursor: Cursor, page: Sequence[LogRecord]) -> None:
        ids = {_tournament_of(log_record) for log_record in page}
        rows = listed_rows(cursor, "arbiter1_tournaments", ids, "listed, page")
        self.rows = {tournament: decode_tournament(row) for tournament, (row, _) in rows.items()}
        self.pages = {tournament: decode_page(row) for tournament, (_, row) in rows.items()}
        self.names: list[tuple[str, str]] = []
        self.moderated: dict[str, set[str]] = {}
        self.postings: list[tuple[str, int, int, int, bytes]] = []

    def add(self, log_record: LogRecord) -> None:
        tournament, event = _tournament_of(log_record), log_record.record.event
        row = list_tournament(tournament, self.rows.get(tournament), log_record.record)
        # Without a row its creation could not be read: the record is closed.
        if row is None:
            return
        self.rows[tournament] = row
        page = self.pages.setdefault(tournament, TournamentParts())
        page.add(event, log_record.record.at)
        if isinstance(event, TournamentCreated | PlayerNamed):
            self.names.append((person_of(event.name), tournament))
        if isinstance(event, GarnetsPosted):
            own = event.seat, page.posted[event.seat]
            posting = tournament, sum(page.posted.values()), *own, sealed(encode(log_record.record))
            self.postings.append(posting)
        if isinstance(event, MatchGiven | MatchTaken):
            names = (page.moderators.get(number) for number in page.moderating[event.match])
            self.moderated[event.match] = {person_of(name) for name in names if name}

    def write(self, cursor: Cursor) -> None:
        """Writes everything."""
        write_rows(
            cursor,
            "INSERT INTO arbiter1_tournaments VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE "
            "SET due = excluded.due, unsigned = excluded.unsigned, listed = excluded.listed, "
            "page = excluded.page",
            [
                (
                    tournament,
                    page.due,
                    int(page.unsigned),
                    sealed(self.rows[tournament]),
                    sealed(page),
                )
                for tournament, page in self.pages.items()
            ],
        )
        write_rows(
            cursor, "INSERT INTO arbiter1_called VALUES (?, ?) ON CONFLICT DO NOTHING", self.names
        )
        write_rows(cursor, "INSERT INTO arbiter1_ledger VALUES (?, ?, ?, ?, ?)", self.postings)
        self._write_moderated(cursor)

    def _write_moderated(self, cursor: Cursor) -> None:
        """Writes who moderates the matches that were given or taken. A match is in the log before
        it is given to anyone."""
        created = listed_rows(cursor, "arbiter1_matches", self.moderated, "created")
        for batch in chunks(sorted(created)):
            marks = ", ".join("?" * len(batch))
            cursor.execute(f"DELETE FROM arbiter1_moderating WHERE match IN ({marks})", batch)  # noqa: S608
        rows = [
            (name, at, match)
            for match, (at,) in created.items()
            for name in sorted(self.moderated[match])
        ]
        write_rows(cursor, "INSERT INTO arbiter1_moderating VALUES (?, ?, ?)", rows)
