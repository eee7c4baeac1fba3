"""The projection of tournaments' rulings: what is on record of them, and when they lapse."""

from collections.abc import Sequence
from typing import get_args
from uuid import UUID

from domain.encoding import decode_all, encode
from domain.events import AudienceName, Event, Record
from domain.tournament_events import (
    TournamentRulingEvent,
    TournamentRulingLapsed,
    TournamentRulingOrdered,
    TournamentRulingProposed,
    TournamentRulingWithdrawn,
)
from service.event_store.bulk_sql import write_rows
from service.event_store.database import Cursor, Database
from service.read_models.match_projection import StreamRecord
from service.read_models.sequence import SequenceNumbers

KINDS = get_args(TournamentRulingEvent)
"""The events that are in the table."""

SETTLED = (TournamentRulingWithdrawn, TournamentRulingLapsed, TournamentRulingOrdered)
"""The events after which a ruling is not pending any more."""

TABLE = "arbiter1_tournament_rulings"


def apply_page(cursor: Cursor, page: Sequence[StreamRecord]) -> None:
    """Appends what the page has of rulings to the tables."""
    found = [change for change in page if isinstance(change.record.event, KINDS)]
    if not found:
        return
    numbers = SequenceNumbers(
        cursor, TABLE, ("tournament",), "number", [(tournament,) for tournament, _ in found]
    )
    write_rows(
        cursor,
        "INSERT INTO arbiter1_tournament_rulings VALUES (?, ?, ?, ?)",
        [(t, numbers.next(t), record.event.audience, encode(record)) for t, record in found],
    )
    _update_lapses(cursor, found)


def _update_lapses(cursor: Cursor, page: Sequence[StreamRecord]) -> None:
    """An id is proposed once, so it does not matter that what is pending no more is deleted
    last."""
    proposed = [
        (tournament, record.event.id, record.event.lapses)
        for tournament, record in page
        if isinstance(record.event, TournamentRulingProposed)
    ]
    settled = [
        (tournament, record.event.id)
        for tournament, record in page
        if isinstance(record.event, SETTLED)
    ]
    write_rows(cursor, "INSERT INTO arbiter1_tournament_lapses VALUES (?, ?, ?)", proposed)
    write_rows(
        cursor,
        "WITH done (id, named) AS (VALUES (?, ?)) DELETE FROM arbiter1_tournament_lapses "
        "WHERE (tournament, ruling) IN (SELECT id, named FROM done)",
        settled,
    )


def read(
    database: Database, tournament: str, audiences: Sequence[AudienceName]
) -> list[Record[Event]]:
    """What is on record of a tournament's rulings for these audiences, in order."""
    marks = ", ".join("?" * len(audiences))
    found = database.select(
        "SELECT record FROM arbiter1_tournament_rulings "  # noqa: S608  the values are bound
        f"WHERE tournament = ? AND audience IN ({marks}) ORDER BY number",
        (tournament, *audiences),
    )
    return decode_all([row for (row,) in found])


def lapsing(database: Database, upto: int) -> list[UUID]:
    """The tournaments with a ruling that lapses up to an instant, in microseconds."""
    found = database.select(
        "SELECT DISTINCT tournament FROM arbiter1_tournament_lapses WHERE due <= ? "
        "ORDER BY tournament",
        (upto,),
    )
    return [UUID(tournament) for (tournament,) in found]
