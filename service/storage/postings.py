"""The postings of tournaments in the index: numbered as they are read off the log, and paged."""

from collections.abc import Sequence

from domain.encoding import decode, encode
from domain.tournament_events import GarnetsPosted
from projections.ledger import Posted
from service.storage.database import Cursor, Database
from service.storage.listing import Read
from service.storage.numbering import Numbers
from service.storage.statements import put

KINDS = (GarnetsPosted,)
"""The events that change anything here."""

TABLE = "arbiter2_ledger"


def post(cursor: Cursor, page: Sequence[Read]) -> None:
    """Puts the page's postings behind those that are there."""
    posted = [
        (stream, record.event.seat, encode(record))
        for stream, record in page
        if isinstance(record.event, GarnetsPosted)
    ]
    if not posted:
        return
    seqs = Numbers(cursor, TABLE, ("tournament",), "seq", [row[:1] for row in posted])
    owns = Numbers(cursor, TABLE, ("tournament", "player"), "own", [row[:2] for row in posted])
    put(
        cursor,
        "INSERT INTO arbiter2_ledger VALUES (?, ?, ?, ?, ?)",
        [
            (tournament, seqs.next(tournament), player, owns.next(tournament, player), posting)
            for tournament, player, posting in posted
        ],
    )


def read(
    database: Database, tournament: str, player: int | None, after: int, upto: int
) -> list[Posted]:
    """The postings behind number `after`, up to number `upto`, in the count of a player, or of
    them all."""
    if player is None:
        found = database.select(
            "SELECT seq, posting FROM arbiter2_ledger "
            "WHERE tournament = ? AND seq > ? AND seq <= ? ORDER BY seq",
            (tournament, after, upto),
        )
    else:
        found = database.select(
            "SELECT own, posting FROM arbiter2_ledger "
            "WHERE tournament = ? AND player = ? AND own > ? AND own <= ? ORDER BY own",
            (tournament, player, after, upto),
        )
    return [_posted(number, posting) for number, posting in found]


def _posted(number: int, posting: bytes) -> Posted:
    record = decode(posting)
    assert isinstance(record.event, GarnetsPosted)
    return Posted(number, record.at, record.event)
