"""What a page of the log changes in the index: folded first, then written row by row."""

from collections.abc import Iterable, Sequence
from uuid import UUID

import msgspec

from domain.events import Event, Record
from domain.log_events import CheckpointSigned
from domain.match_events import AwaitingChanged, MatchEnded, MatchPaused
from domain.tournament_events import MatchSettled
from projections.matches import LISTED, MatchRow, list_match
from projections.tournaments import LISTED as LISTED_TOURNAMENTS
from projections.tournaments import TournamentRow, list_tournament
from service.storage.database import Cursor
from service.storage.store import beside

KINDS = (*LISTED, AwaitingChanged, *LISTED_TOURNAMENTS, MatchSettled, CheckpointSigned)
"""The events that change anything here."""

IDS_A_STATEMENT = 500

Read = tuple[str, Record[Event]]
"""A record, and the id of the stream that it lies in."""

_encoder = msgspec.json.Encoder()
decode_match = msgspec.json.Decoder(MatchRow).decode
decode_tournament = msgspec.json.Decoder(TournamentRow).decode


def take_in(cursor: Cursor, page: Sequence[Read]) -> None:
    """Brings the tables of the index from the page's beginning to its end."""
    _list_matches(cursor, [read for read in page if isinstance(read[1].event, LISTED)])
    _list_tournaments(
        cursor, [read for read in page if isinstance(read[1].event, LISTED_TOURNAMENTS)]
    )
    _set_deadlines(cursor, page)
    _note_what_is_signed(cursor, page)
    settled = [(r.event.match,) for _, r in page if isinstance(r.event, MatchSettled)]
    cursor.executemany("INSERT INTO arbiter_settled VALUES (?) ON CONFLICT DO NOTHING", settled)


def _list_matches(cursor: Cursor, page: Sequence[Read]) -> None:
    found = _listed(cursor, "arbiter_matches", {match for match, _ in page})
    rows = {match: decode_match(listed) for match, listed in found.items()}
    for match, record in page:
        row = list_match(match, rows.get(match), record)
        assert row is not None
        rows[match] = row
    cursor.executemany(
        "INSERT INTO arbiter_matches VALUES (?, ?, ?, ?, NULL, ?) "
        "ON CONFLICT (id) DO UPDATE SET status = excluded.status, listed = excluded.listed",
        [(r.id, r.game, r.status, r.tournament, _encoder.encode(r)) for r in rows.values()],
    )


def _list_tournaments(cursor: Cursor, page: Sequence[Read]) -> None:
    found = _listed(cursor, "arbiter_tournaments", {tournament for tournament, _ in page})
    rows = {tournament: decode_tournament(listed) for tournament, listed in found.items()}
    for tournament, record in page:
        row = list_tournament(tournament, rows.get(tournament), record)
        assert row is not None
        rows[tournament] = row
    cursor.executemany(
        "INSERT INTO arbiter_tournaments VALUES (?, ?) "
        "ON CONFLICT (id) DO UPDATE SET listed = excluded.listed",
        [(tournament, _encoder.encode(row)) for tournament, row in rows.items()],
    )


def _listed(cursor: Cursor, table: str, ids: Iterable[str]) -> dict[str, bytes]:
    """What is listed of these already."""
    found: dict[str, bytes] = {}
    wanted = sorted(ids)
    for start in range(0, len(wanted), IDS_A_STATEMENT):
        some = wanted[start : start + IDS_A_STATEMENT]
        marks = ",".join("?" * len(some))
        cursor.execute(f"SELECT id, listed FROM {table} WHERE id IN ({marks})", some)  # noqa: S608
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
    cursor.executemany(
        "UPDATE arbiter_matches SET deadline = ? WHERE id = ? AND COALESCE(deadline, -1) <> ?",
        [(at, match, -1 if at is None else at) for match, at in deadlines.items()],
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
    cursor.executemany("INSERT INTO arbiter_unsigned VALUES (?) ON CONFLICT DO NOTHING", begun)
    cursor.executemany("DELETE FROM arbiter_unsigned WHERE match = ?", done)
