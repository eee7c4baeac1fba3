"""The match projection: folds a page of the log, then writes the changed rows."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
from msgspec import UNSET

from domain.events import Event, Record
from domain.log_events import CheckpointSigned
from domain.match_events import AwaitingChanged, MatchEnded, MatchPaused, SeatNamed, makes_over
from domain.names import spoken
from domain.ruling_events import RulingLapsed, RulingOrdered, RulingProposed, RulingWithdrawn
from projections.matches import ENDS, LISTED, MatchRow, list_match
from service.event_store.bulk_sql import chunks, write_rows
from service.event_store.database import Cursor
from service.event_store.store import paired_stream

RULING_SETTLED = (RulingWithdrawn, RulingLapsed, RulingOrdered)
"""The events after which a ruling is not pending any more."""

KINDS = (*LISTED, AwaitingChanged, CheckpointSigned, RulingProposed, *RULING_SETTLED)
"""The events that change the tables of matches."""


class StreamRecord(NamedTuple):
    """A record and the id of its stream."""

    stream: str
    record: Record[Event]


_encoder = msgspec.json.Encoder()
decode_match = msgspec.json.Decoder(MatchRow).decode


def apply_page(cursor: Cursor, page: Sequence[StreamRecord]) -> None:
    """Applies a page of the log to the tables of matches."""
    changes = [change for change in page if isinstance(change.record.event, LISTED)]
    _list_matches(cursor, changes)
    _index_seat_names(cursor, changes)
    _set_deadlines(cursor, page)
    _set_lapses(cursor, page)
    _set_protests(cursor, page)
    _update_unsigned(cursor, page)


def _list_matches(cursor: Cursor, page: Sequence[StreamRecord]) -> None:
    found = listed_rows(cursor, "arbiter1_matches", {match for match, _ in page})
    rows = {match: decode_match(row) for match, row in found.items()}
    for match, record in page:
        row = list_match(match, rows.get(match), record)
        # Without a row its creation could not be read: the record is closed.
        if row is not None:
            rows[match] = row
    write_rows(
        cursor,
        "INSERT INTO arbiter1_matches VALUES (?, ?, ?, ?, NULL, ?) "
        "ON CONFLICT (id) DO UPDATE SET status = excluded.status, listed = excluded.listed",
        [(r.id, r.game, r.status, r.tournament, _encoder.encode(r)) for r in rows.values()],
    )


def _index_seat_names(cursor: Cursor, page: Iterable[StreamRecord]) -> None:
    """Makes matches searchable by the names that their seats have or had, which are public."""
    named = ((match, record.event) for match, record in page)
    names = [(spoken(e.name), match) for match, e in named if isinstance(e, SeatNamed)]
    write_rows(cursor, "INSERT INTO arbiter1_seats VALUES (?, ?) ON CONFLICT DO NOTHING", names)


def listed_rows(
    cursor: Cursor, table: str, ids: Iterable[str], key: str = "id", row: str = "listed"
) -> dict[str, Any]:
    """The stored rows of these ids, as bytes, or another column of theirs."""
    found: dict[str, Any] = {}
    for batch in chunks(sorted(ids)):
        marks = ",".join("?" * len(batch))
        cursor.execute(f"SELECT {key}, {row} FROM {table} WHERE {key} IN ({marks})", batch)  # noqa: S608
        found.update(cursor.fetchall())
    return found


def _set_deadlines(cursor: Cursor, page: Iterable[StreamRecord]) -> None:
    """Sets the deadline of each match to the last one announced; none if it ended or is paused."""
    deadlines: dict[str, int | None] = {}
    for match, record in page:
        if isinstance(record.event, AwaitingChanged):
            deadlines[match] = record.event.deadline
        elif isinstance(record.event, (*ENDS, MatchPaused)):
            deadlines[match] = None
    # Most announcements repeat the deadline or have none: unchanged rows are not written.
    write_rows(
        cursor,
        "WITH given (match, at) AS (VALUES (?, ?)) UPDATE arbiter1_matches "
        "SET deadline = NULLIF(at, -1) FROM given "
        "WHERE id = given.match AND COALESCE(deadline, -1) <> at",
        [(match, -1 if at is None else at) for match, at in deadlines.items()],
    )


def _set_lapses(cursor: Cursor, page: Iterable[StreamRecord]) -> None:
    """Lists which rulings are pending, and when they lapse. An id is proposed once, so it does not
    matter that what is pending no more is deleted last."""
    proposed: list[tuple[str, str, int]] = []
    settled: list[tuple[str, str]] = []
    over: list[tuple[str]] = []
    for match, record in page:
        event = record.event
        if isinstance(event, RulingProposed):
            proposed.append((match, event.id, event.lapses))
        elif isinstance(event, RULING_SETTLED):
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


def _set_protests(cursor: Cursor, page: Iterable[StreamRecord]) -> None:
    """Lists which results are provisional, and when their windows end."""
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


def _update_unsigned(cursor: Cursor, page: Iterable[StreamRecord]) -> None:
    """Lists a match as unsigned from its end until a checkpoint of its complete log is signed."""
    unsigned: dict[str, bool] = {}
    for stream, record in page:
        if makes_over(record.event):
            unsigned[stream] = True
        elif isinstance(record.event, CheckpointSigned) and record.event.over:
            unsigned[str(paired_stream(UUID(stream)))] = False
    added = [(match,) for match, waits in unsigned.items() if waits]
    signed = [(match,) for match, waits in unsigned.items() if not waits]
    write_rows(cursor, "INSERT INTO arbiter1_unsigned VALUES (?) ON CONFLICT DO NOTHING", added)
    write_rows(
        cursor,
        "WITH done (match) AS (VALUES (?)) "
        "DELETE FROM arbiter1_unsigned WHERE match IN (SELECT match FROM done)",
        signed,
    )
