"""A match whose seed or log key is damaged in the store is closed: nothing is drawn from a seed to
which it has not committed, and no receipt is made with another key."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest
from msgspec.structs import replace

from service.event_store.integrity.digests import RecordAltered
from service.event_store.secret_store import DAMAGED, LogKeyStored, SeedStored
from service.instance import Instance
from tests.support.instance.service_instance import NOT_NOW, receipts_of, sends, started

_decoder = msgspec.msgpack.Decoder(LogKeyStored | SeedStored)

Secret = LogKeyStored | SeedStored
Change = Callable[[Secret], Secret | None]


def change_secrets(database: Path, match: UUID, change: Change) -> None:
    """Replaces each of a match's secrets, or deletes it."""
    of_match = "originator_id = ? AND originator_version = ?"
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        rows = connection.execute(
            "SELECT originator_id, originator_version, state FROM stored_secrets"
            " WHERE originator_id = ?",
            (match.hex,),
        ).fetchall()
        for stream, version, state in rows:
            changed, row = change(_decoder.decode(state)), (stream, version)
            connection.execute(f"DELETE FROM stored_secrets WHERE {of_match}", row)  # noqa: S608  ours
            if changed is not None:
                stored = msgspec.msgpack.encode(changed)
                name = str(changed.__struct_config__.tag)
                added = "INSERT INTO stored_secrets VALUES (?, ?, ?, ?)"
                connection.execute(added, (*row, name, stored))


def flipped(secret: bytes) -> bytes:
    return bytes([secret[0] ^ 1]) + secret[1:]


def only(kind: type[Secret], change: Callable[[Any], Secret | None]) -> Change:
    """The change, to the secret of this kind."""
    return lambda secret: change(secret) if isinstance(secret, kind) else secret


other_key = only(LogKeyStored, lambda secret: replace(secret, key=flipped(secret.key)))

CHANGES: dict[str, Change] = {
    "another seed": only(SeedStored, lambda secret: replace(secret, seed=flipped(secret.seed))),
    "another key": other_key,
    "no seed": only(SeedStored, lambda _: None),
    "no key": only(LogKeyStored, lambda _: None),
    "neither": lambda _: None,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
async def test_a_match_with_damaged_secrets_is_closed(
    instance: Instance, database: Path, change: Change
) -> None:
    match = await started(instance)
    change_secrets(database, match, change)
    instance.sessions.invalidate(match)
    with pytest.raises(RecordAltered):
        await instance.matches.execute(match, sends(0, NOT_NOW), 0)
    assert len(instance.closed) == 1


async def test_a_damaged_key_gets_into_no_receipt(instance: Instance, database: Path) -> None:
    """While the match is in memory the key is, too."""
    match = await started(instance)
    await instance.matches.execute(match, sends(0, NOT_NOW), 0)
    before = await receipts_of(instance, match, 0)
    change_secrets(database, match, other_key)
    assert await receipts_of(instance, match, 0) == before
    instance.sessions.invalidate(match)
    with pytest.raises(RecordAltered, match=DAMAGED):
        await receipts_of(instance, match, 0)
