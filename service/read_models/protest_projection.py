"""The protest projection: which results are provisional, and when their windows end."""

from collections.abc import Sequence

from msgspec import UNSET

from domain.events import Event, Record
from domain.match_events import MatchEnded, makes_over
from service.event_store.bulk_sql import write_rows
from service.event_store.database import Cursor


def apply_page(cursor: Cursor, page: Sequence[tuple[str, Record[Event]]]) -> None:
    """Applies a page of the log to the table of protest windows."""
    windows: dict[str, int | None] = {}
    for match, record in page:
        event = record.event
        if isinstance(event, MatchEnded) and event.protests_until is not UNSET:
            windows[match] = event.protests_until
        elif makes_over(event):
            windows[match] = None
    write_rows(
        cursor,
        "INSERT INTO arbiter1_protests VALUES (?, ?) "
        "ON CONFLICT (match) DO UPDATE SET due = excluded.due",
        [(match, due) for match, due in windows.items() if due is not None],
    )
    write_rows(
        cursor,
        "WITH done (id) AS (VALUES (?)) "
        "DELETE FROM arbiter1_protests WHERE match IN (SELECT id FROM done)",
        [(match,) for match, due in windows.items() if due is None],
    )
