"""The ledger projection: the postings of tournaments, numbered in the order of the log."""

from collections.abc import Sequence

from domain.encoding import decode, encode
from domain.tournament_events import GarnetsPosted
from projections.ledger import Posted
from service.event_store.bulk_sql import write_rows
from service.event_store.database import Cursor, Database
from service.read_models.match_projection import StreamRecord
from service.read_models.sequence import SequenceNumbers

KINDS = (GarnetsPosted,)
"""The events that change the ledger table."""

TABLE = "arbiter3_ledger"


def apply_page(cursor: Cursor, page: Sequence[StreamRecord]) -> None:
    """Appends the page's postings to the table."""
    postings = [
        (stream, record.event.seat, encode(record))
        for stream, record in page
        if isinstance(record.event, GarnetsPosted)
    ]
    if not postings:
        return
    seqs = SequenceNumbers(cursor, TABLE, ("tournament",), "seq", [row[:1] for row in postings])
    owns = SequenceNumbers(
        cursor, TABLE, ("tournament", "player"), "own", [row[:2] for row in postings]
    )
    write_rows(
        cursor,
        "INSERT INTO arbiter3_ledger VALUES (?, ?, ?, ?, ?)",
        [
            (tournament, seqs.next(tournament), player, owns.next(tournament, player), posting)
            for tournament, player, posting in postings
        ],
    )


def read(
    database: Database, tournament: str, player: int | None, after: int, upto: int
) -> list[Posted]:
    """The postings after number `after`, up to number `upto`: those of a player in their own
    numbering, or all postings for None."""
    if player is None:
        found = database.select(
            "SELECT seq, posting FROM arbiter3_ledger "
            "WHERE tournament = ? AND seq > ? AND seq <= ? ORDER BY seq",
            (tournament, after, upto),
        )
    else:
        found = database.select(
            "SELECT own, posting FROM arbiter3_ledger "
            "WHERE tournament = ? AND player = ? AND own > ? AND own <= ? ORDER BY own",
            (tournament, player, after, upto),
        )
    return [_posted(number, posting) for number, posting in found]


def _posted(number: int, posting: bytes) -> Posted:
    record = decode(posting)
    assert isinstance(record.event, GarnetsPosted), "the table has only postings"
    return Posted(number, record.at, record.event)
