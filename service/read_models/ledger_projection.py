"""The ledger projection: the postings of tournaments, numbered in the order of the log."""

from collections.abc import Sequence

from msgspec import UNSET
from msgspec.structs import replace

from domain.encoding import decode, encode
from domain.tournament_events import GarnetsPosted
from projections.ledger import Posted
from service.event_store.bulk_sql import chunks, write_rows
from service.event_store.database import Cursor, Database
from service.read_models.match_projection import StreamRecord
from service.read_models.sequence import SequenceNumbers

KINDS = (GarnetsPosted,)
"""The events that change the ledger table."""

TABLE = "arbiter1_ledger"


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
        "INSERT INTO arbiter1_ledger VALUES (?, ?, ?, ?, ?)",
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
            "SELECT seq, posting FROM arbiter1_ledger "
            "WHERE tournament = ? AND seq > ? AND seq <= ? ORDER BY seq",
            (tournament, after, upto),
        )
    else:
        found = database.select(
            "SELECT own, posting FROM arbiter1_ledger "
            "WHERE tournament = ? AND player = ? AND own > ? AND own <= ? ORDER BY own",
            (tournament, player, after, upto),
        )
    postings = [_posted(number, posting) for number, posting in found]
    return postings if player is not None else _of_all(database, tournament, postings)


def _posted(number: int, posting: bytes) -> Posted:
    """A posting as its player counts: what it reverses has the player's number."""
    record = decode(posting)
    event = record.event
    assert isinstance(event, GarnetsPosted), "the table has only postings"
    reverses = None if event.reverses is UNSET else event.reverses
    return Posted(number, record.at, event, reverses)


def _of_all(database: Database, tournament: str, postings: Sequence[Posted]) -> list[Posted]:
    """The same as those count who see all postings."""
    own = [(p.event.seat, p.reverses) for p in postings if p.reverses is not None]
    seqs: dict[tuple[int, int], int] = {}
    for batch in chunks(sorted(set(own))):
        marks = ", ".join(["(?, ?)"] * len(batch))
        found = database.select(
            f"WITH wanted (player, own) AS (VALUES {marks}) "  # noqa: S608  the values are bound
            "SELECT wanted.player, wanted.own, seq FROM arbiter1_ledger AS posted JOIN wanted "
            "ON posted.player = wanted.player AND posted.own = wanted.own WHERE tournament = ?",
            (*(value for pair in batch for value in pair), tournament),
        )
        seqs |= {(player, number): seq for player, number, seq in found}
    return [
        p if p.reverses is None else replace(p, reverses=seqs.get((p.event.seat, p.reverses)))
        for p in postings
    ]
