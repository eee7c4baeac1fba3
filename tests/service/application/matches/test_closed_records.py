"""A damaged record is closed: nothing is read from it or added to it, and all others go on."""

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest
from msgspec.structs import replace

from domain.match.commands import PassDeadline
from projections.audience.disclosure import PUBLIC_VIEWER
from service.event_store.integrity import checked_records
from service.event_store.integrity.checked_records import LOOK_AGAIN_SECONDS, ClosedRecords
from service.event_store.integrity.digests import (
    DIFFERS,
    MISSING,
    NEWER,
    ROW_CHANGED,
    RecordAltered,
    StoredRow,
    begin_digest,
    extend_digest,
)
from service.event_store.secret_store import DAMAGED, LogKeyStored, SeedStored
from service.event_store.store import digest_row
from service.instance import Instance
from service.streams.channels import EVENT_STREAM, NDJSON
from service.streams.live_stream import Reader
from tests.support.captured_logs import logged
from tests.support.instance import damage
from tests.support.instance.damage import Played, Rows, change, flipped, played, rows_of
from tests.support.instance.service_instance import NOT_NOW, receipts_of, sends, started
from tests.support.waiting import until

__all__ = ["logged", "played"]


DAMAGE: dict[str, tuple[Callable[[Rows], object], str]] = {
    "another name": (change(3, lambda row: row._replace(topic=row.topic + "x")), DIFFERS),
    "the last is missing": (lambda rows: rows.delete(len(rows.all())), MISSING),
    "the first is missing": (lambda rows: rows.delete(1), MISSING),
    "one between is missing": (lambda rows: rows.delete(4), MISSING),
    "all are missing": (Rows.delete_all, MISSING),
    "a bit in the first": (change(0, lambda row: flipped(row, 100)), DIFFERS),
    "a bit in the last": (change(-1, lambda row: flipped(row, 100)), DIFFERS),
    "another time": (change(5, damage.a_microsecond_later), DIFFERS),
    "no bytes": (change(3, lambda row: row._replace(state=b"")), DIFFERS),
}


@pytest.mark.parametrize("name", DAMAGE)
async def test_damage_closes_the_record(played: Played, name: str) -> None:
    damaging, what = DAMAGE[name]
    played.damage(damaging)
    assert await played.is_closed() == what


# With another digest, or none.


async def test_an_event_of_a_newer_release_is_said_to_be_one(
    played: Played, logged: StringIO
) -> None:
    """The digest is right; only this release cannot read the event."""
    newer = StoredRow(b"dollar-prize.side-chosen.9", b"\x93\x01\x00\x81\xa4type\xa1x")
    store = played.instance.store
    after = extend_digest(begin_digest(played.match), [*store.rows(played.match).rows, newer])
    row = digest_row(played.match, after)
    added = row._replace(topic=newer.topic.decode(), state=newer.state)
    store.append([added], (), [row])
    played.instance.sessions.invalidate(played.match)
    assert NEWER in await played.is_closed()
    assert NEWER in logged.getvalue()


# While the match is in memory.


async def test_an_old_event_is_compared_with_what_was_read_before(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The match is in memory, and only its old lines are read from the file."""
    monkeypatch.setattr("projections.audience.own_lines.RECENT_LINES", 1)
    played.instance.sessions.invalidate(played.match)
    await played.view()
    with rows_of(played.database, played.match) as rows:
        rows.put(damage.a_microsecond_later(rows.all()[0]))
    with pytest.raises(RecordAltered):
        await played.events()
    await until(lambda: played.instance.sessions.loaded(played.match) is None)
    assert await played.is_closed() in (ROW_CHANGED, DIFFERS)


@pytest.mark.parametrize("form", [EVENT_STREAM, NDJSON])
async def test_open_streams_end_with_their_farewell(played: Played, form: type[object]) -> None:
    async def allowed() -> bool:
        return True

    async def follow() -> list[bytes]:
        _, projection = await played.instance.sessions.projection(played.match, 0)
        reader = Reader(0, form, allowed)  # type: ignore[arg-type]
        follows = played.instance.streams.follow(played.match, reader, projection.seq)
        return [chunk async for chunk in follows]

    following = asyncio.create_task(follow())
    channels = played.instance.broadcast._channels
    await until(lambda: played.match in channels)
    played.instance.closed.close(RecordAltered(played.match, DIFFERS))
    async with asyncio.timeout(10):
        chunks = await following
    assert chunks[-1] == b"\n" or chunks[-1].startswith(b"retry: ")


# What is said of a closed record, and how it opens again.


async def test_the_operator_is_told_once(played: Played, logged: StringIO) -> None:
    played.damage(change(5, lambda row: flipped(row, 77)))
    for _ in range(3):
        await played.is_closed()
    alarms = [line for line in logged.getvalue().splitlines() if '"record_altered"' in line]
    assert len(alarms) == 1 and str(played.match) in alarms[0]


async def test_a_deadline_of_a_closed_record_is_not_reported_again_and_again(
    played: Played, logged: StringIO
) -> None:
    played.damage(change(5, lambda row: flipped(row, 77)))
    for _ in range(3):
        await played.instance.matches.pass_deadline(played.match)
    with pytest.raises(RecordAltered):
        await played.instance.matches.execute(played.match, PassDeadline(), PUBLIC_VIEWER)
    assert '"deadline_not_reported"' not in logged.getvalue()


# Another look.


async def test_a_repaired_record_opens_by_itself(
    played: Played, monkeypatch: pytest.MonkeyPatch, logged: StringIO
) -> None:
    now = 1_000.0
    monkeypatch.setattr(played.instance.closed, "_now", lambda: now)
    with rows_of(played.database, played.match) as rows:
        intact = rows.all()[5]
    played.damage(change(5, lambda row: flipped(row, 77)))
    await played.is_closed()
    played.damage(lambda rows: rows.put(intact))
    await played.is_closed()
    now += LOOK_AGAIN_SECONDS
    await played.act()
    await played.view()
    assert len(played.instance.closed) == 0 and "record_intact_again" in logged.getvalue()


def test_a_record_that_is_still_damaged_is_not_reported_again(logged: StringIO) -> None:
    now, told = 0.0, list[UUID]()
    closed = ClosedRecords(told.append, lambda: now)
    match = UUID(int=1)
    for _ in range(3):
        closed.check(match)
        closed.close(RecordAltered(match, DIFFERS, 3))
        with pytest.raises(RecordAltered):
            closed.check(match)
        now += checked_records.LOOK_AGAIN_SECONDS
    assert told == [match] and logged.getvalue().count("record_altered") == 1


# A match whose seed or log key is damaged: nothing is drawn from a seed to which it has not
# committed, and no receipt is made with another key.


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


def other_first_bit(secret: bytes) -> bytes:
    return bytes([secret[0] ^ 1]) + secret[1:]


def only(kind: type[Secret], change: Callable[[Any], Secret | None]) -> Change:
    """The change, to the secret of this kind."""
    return lambda secret: change(secret) if isinstance(secret, kind) else secret


other_key = only(LogKeyStored, lambda secret: replace(secret, key=other_first_bit(secret.key)))

CHANGES: dict[str, Change] = {
    "another seed": only(
        SeedStored, lambda secret: replace(secret, seed=other_first_bit(secret.seed))
    ),
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
