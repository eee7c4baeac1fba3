"""The lapse projection: which rulings are pending, and when they lapse."""

from collections.abc import Sequence

from domain.events import Event, Record
from domain.match_events import makes_over
from domain.ruling_events import RulingLapsed, RulingOrdered, RulingProposed, RulingWithdrawn
from service.event_store.bulk_sql import write_rows
from service.event_store.database import Cursor

SETTLED = (RulingWithdrawn, RulingLapsed, RulingOrdered)
"""The events after which a ruling is not pending any more."""

KINDS = (RulingProposed, *SETTLED)


def apply_page(cursor: Cursor, page: Sequence[tuple[str, Record[Event]]]) -> None:
    """Applies a page of the log to the table of pending rulings. An id is proposed once, so it does
    not matter that what is pending no more is deleted last."""
    proposed: list[tuple[str, str, int]] = []
    settled: list[tuple[str, str]] = []
    over: list[tuple[str]] = []
    for match, record in page:
        event = record.event
        if isinstance(event, RulingProposed):
            proposed.append((match, event.id, event.lapses))
        elif isinstance(event, SETTLED):
            settled.append((match, event.id))
        elif makes_over(event):
            over.append((match,))
    write_rows(
        cursor, "INSERT INTO arbiter1_lapses VALUES (?, ?, ?) ON CONFLICT DO NOTHING", proposed
    )
    write_rows(
        cursor,
        "WITH done (id, named) AS (VALUES (?, ?)) DELETE FROM arbiter1_lapses "
        "WHERE (match, ruling) IN (SELECT id, named FROM done)",
        settled,
    )
    write_rows(
        cursor,
        "WITH done (id) AS (VALUES (?)) "
        "DELETE FROM arbiter1_lapses WHERE match IN (SELECT id FROM done)",
        over,
    )
