"""What a page of the log changes in the matches of the index: folded first, then written row by
row."""

from collections.abc import Iterable, Sequence
from uuid import UUID

import msgspec

from domain.events import Event, Record
from domain.log_events import CheckpointSigned
from domain.match_events import AwaitingChanged, MatchCreated, MatchEnded, MatchPaused
from domain.seats import spoken
from projections.matches import LISTED, MatchRow, list_match
from service.storage.database import Cursor
from service.storage.statements import parts, put
from service.storage.store import beside

KINDS = (*LISTED, AwaitingChanged, CheckpointSigned)
"""The events that change anything here."""

Read = tuple[str, Record[Event]]
"""A record, and the id of the stream that it lies in."""

_encoder = msgspec.json.Encoder()
decode_match = msgspec.json.Decoder(MatchRow).decode


def list_page(cursor: Cursor, page: Sequence[Read]) -> None:
    """Brings the tables of matches from the page's beginning to its end."""
    changes = [read for read in page if isinstance(read[1].event, LISTED)]
    _list_matches(cursor, changes)
    _seat(cursor, changes)
    _set_deadlines(cursor, page)
    _note_what_is_signed(cursor, page)


def _list_matches(cursor: Cursor, page: Sequence[Read]) -> None:
    found = listed(cursor, "arbiter2_matches", {match for match, _ in page})
    rows = {match: decode_match(row) for match, row in found.items()}
    for match, record in page:
        row = list_match(match, rows.get(match), record)
        assert row is not None
        rows[match] = row
    put(
        cursor,
        "INSERT INTO arbiter2_matches VALUES (?, ?, ?, ?, NULL, ?) "
        "ON CONFLICT (id) DO UPDATE SET status = excluded.status, listed = excluded.listed",
        [(r.id, r.game, r.status, r.tournament, _encoder.encode(r)) for r in rows.values()],
    )


def _seat(cursor: Cursor, page: Iterable[Read]) -> None:
    """By the names of its seats, which everybody may see, a match is found."""
    names = [
        (spoken(name), match)
        for match, record in page
        if isinstance(record.event, MatchCreated)
        for name in record.event.seats
    ]
    put(cursor, "INSERT INTO arbiter2_seats VALUES (?, ?) ON CONFLICT DO NOTHING", names)


def listed(
    cursor: Cursor, table: str, ids: Iterable[str], key: str = "id", row: str = "listed"
) -> dict[str, bytes]:
    """What is listed of these already."""
    found: dict[str, bytes] = {}
    for some in parts(sorted(ids)):
        marks = ",".join("?" * len(some))
        cursor.execute(f"SELECT {key}, {row} FROM {table} WHERE {key} IN ({marks})", some)  # noqa: S608
        found.update(cursor.fetchall())
    return found


def _set_deadlines(cursor: Cursor, page: Iterable[Read]) -> None:
    """The deadline of a match is that last announced, until the match ends or is paused."""
    deadlines: dict[str, int | None] = {}
    for match, record in page:
        if isinstance(record.event, AwaitingChanged):
            deadlines[match] = record.event.deadline
        elif isinstance(record.event, MatchEnded | MatchPaused):
            deadlines[match] = None
    # Most are announced again and again, and most are none: what is so already is not written.
    put(
        cursor,
        "WITH given (match, at) AS (VALUES (?, ?)) UPDATE arbiter2_matches "
        "SET deadline = NULLIF(at, -1) FROM given "
        "WHERE id = given.match AND COALESCE(deadline, -1) <> at",
        [(match, -1 if at is None else at) for match, at in deadlines.items()],
    )


def _note_what_is_signed(cursor: Cursor, page: Iterable[Read]) -> None:
    """A match that is over waits to be signed, until the signature of its whole log is there."""
    waits: dict[str, bool] = {}
    for stream, record in page:
        if isinstance(record.event, MatchEnded):
            waits[stream] = True
        elif isinstance(record.event, CheckpointSigned) and record.event.over:
            waits[str(beside(UUID(stream)))] = False
    begun = [(match,) for match, waiting in waits.items() if waiting]
    done = [(match,) for match, waiting in waits.items() if not waiting]
    put(cursor, "INSERT INTO arbiter2_unsigned VALUES (?) ON CONFLICT DO NOTHING", begun)
    put(
        cursor,
        "WITH done (match) AS (VALUES (?)) "
        "DELETE FROM arbiter2_unsigned WHERE match IN (SELECT match FROM done)",
        done,
    )
