"""Damage to everything that an embedded store has next to the rows of its matches."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import UUID

from msgspec.structs import replace

from domain.encoding import decode, encode
from domain.proof.log_events import CheckpointSigned
from domain.tournament.events import GarnetsPosted
from service.event_store.integrity.digests import StoredRow as DigestedRow
from service.event_store.integrity.digests import begun, extended
from service.event_store.store import paired_stream
from tests.support.instance.damage import StoredRow, rows_of


def sql(database: Path, statement: str, *parameters: Any) -> None:
    """Changes a store behind the service's back."""
    with closing(sqlite3.connect(database)) as connection, connection:
        changed = connection.execute(statement, parameters).rowcount
    assert changed != 0, "the statement has changed something"


def digest_anew(database: Path, match: UUID) -> None:
    """Makes the digest that of the present rows, as someone who edits them on purpose can. A
    stream of signatures has none."""
    with rows_of(database, match) as rows:
        stored = [DigestedRow(row.topic.encode(), row.state) for row in rows.all()]
    digest = extended(begun(match), stored)
    change = "UPDATE stored_digests SET originator_version = ?, state = ? WHERE originator_id = ?"
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute(change, (digest.length, digest.value, match.hex))


def other_checkpoint(database: Path, match: UUID) -> None:
    """A checkpoint of another root than was signed."""
    with rows_of(database, paired_stream(match)) as rows:
        last = rows.all()[-1]
        record = decode(last.state)
        assert isinstance(record.event, CheckpointSigned)
        other = replace(record, event=replace(record.event, root=bytes(32)))
        rows.put(last._replace(state=encode(other)))


def other_posting(database: Path, tournament: UUID, reason: str) -> int:
    """The first posting with this reason, of one garnet more; returns its position."""
    with rows_of(database, tournament) as rows:
        row, record = next(
            (row, record)
            for row in rows.all()
            if (record := decode(row.state)) and getattr(record.event, "reason", None) == reason
        )
        assert isinstance(record.event, GarnetsPosted)
        more = replace(record.event, amount=record.event.amount + 1)
        rows.put(StoredRow(row.version, row.topic, encode(replace(record, event=more))))
    return row.version
