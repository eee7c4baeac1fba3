"""Snapshots of matches with rulings: pending ones, past ones, and what audiences know of them."""

from uuid import UUID

import pytest

from domain.encoding import decode, encode
from domain.games import GAMES
from domain.ruling_kinds import ReplaceSeat
from projections.lines import checksum
from service.snapshots.codec import decode_match, encode_match, record_digest
from service.snapshots.snapshot_builder import SnapshotBuilder
from tests.support.tables.match_table import MATCH, seated
from tests.support.tables.ruling_tables import EVE, rule, ruled_walk


@pytest.mark.parametrize("name", GAMES)
def test_a_snapshot_at_each_position_decodes_to_what_was_encoded(name: str) -> None:
    for luck in range(3):
        builder, pending = SnapshotBuilder(UUID(MATCH)), 0
        for table in ruled_walk(name, GAMES[name].seats[0], luck):
            stored = [encode(record) for record in table.records[builder.position :]]
            records, sums = list(map(decode, stored)), list(map(checksum, stored))
            builder.add(records, sums, record_digest(stored[-1]), lambda: None)
            pending += bool(table.match.rulings.pending)
            assert dict(builder.parts())
            assert builder.match_part().match.rulings == table.match.rulings
        assert pending


def test_a_pending_ruling_survives() -> None:
    table = seated(GAMES["dollar-prize"]).when(rule("r", ReplaceSeat(0, "Zoe"), ask_seats=True))
    builder = SnapshotBuilder(UUID(MATCH))
    stored = [encode(record) for record in table.records]
    builder.add(table.records, list(map(checksum, stored)), b"last", lambda: None)
    part = builder.match_part()
    (pending,) = decode_match(part.position, encode_match(part)).match.rulings.pending
    assert (pending.ruling, pending.person) == (ReplaceSeat(0, "Zoe"), EVE.person)
