"""A snapshot is not believed blindly: what does not fit its record is not read, and is deleted."""

import asyncio
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from msgspec.structs import replace

from domain.events import Record
from domain.match_events import ActionReceived, ActionRefused
from service.arbiter import Arbiter
from service.keeping import keeper
from service.keeping.snapshots import OF_MATCH, decode_match, encode_match
from service.storage.database import NotMigrated
from service.storage.snapshots import TABLE, open_snapshots
from service.storage.store import rows
from tests.logged import logged
from tests.service.cups import until
from tests.service.instance import on_record
from tests.service.snapshotted import arbiter, check, forget, kept, played
from tests.stores import settings_in

__all__ = ["arbiter", "logged"]


async def test_a_record_that_is_shorter_than_its_snapshot_is_read_itself(
    arbiter: Arbiter, logged: StringIO
) -> None:
    """As after a backup was restored: what was lost may be recorded anew, and otherwise."""
    match_id = await played(arbiter)
    at = await kept(arbiter, match_id)
    cut(arbiter, match_id, at - 1)
    forget(arbiter, match_id)
    await check(arbiter, match_id)
    assert '"snapshot_unfit"' in logged.getvalue()
    assert arbiter.keeper._table.find(match_id, OF_MATCH) is None


async def test_a_record_that_went_on_otherwise_is_read_itself(arbiter: Arbiter) -> None:
    match_id = await played(arbiter)
    at = await kept(arbiter, match_id)
    at_last = on_record(arbiter, match_id)[-1].at
    cut(arbiter, match_id, at - 20)
    refused = [Record(at_last, ActionReceived(0, {})), Record(at_last, ActionRefused(0, "no"))]
    arbiter.store.append(rows(match_id, at - 20, refused * 12))
    forget(arbiter, match_id)
    await check(arbiter, match_id)


def cut(arbiter: Arbiter, match_id: UUID, length: int) -> None:
    """The log as it was when the match had so many events."""
    table = arbiter.store.recorder.events_table_name  # type: ignore[attr-defined]
    with arbiter.keeper._table._db.transaction() as cursor:
        stream: Any = match_id if "arbiter" in table else match_id.hex
        cursor.execute(
            f"DELETE FROM {table} WHERE originator_id = ? AND originator_version > ?",  # noqa: S608
            (stream, length),
        )
    assert len(on_record(arbiter, match_id)) == length


@pytest.mark.parametrize(
    "changed",
    ["content = {other}", "digest = {other}", "position = position - 3", "part = 'seat:9'"],
)
async def test_what_was_changed_in_the_table_is_deleted(
    arbiter: Arbiter, changed: str, logged: StringIO
) -> None:
    match_id = await played(arbiter)
    await kept(arbiter, match_id)
    with arbiter.keeper._table._db.transaction() as cursor:
        sql = f"UPDATE {TABLE} SET {changed.format(other='shape')} WHERE part = 'match'"  # noqa: S608
        cursor.execute(sql)
        if "seat:9" in changed:
            cursor.execute(f"UPDATE {TABLE} SET part = 'match' WHERE part = 'seat:1'")  # noqa: S608
    forget(arbiter, match_id)
    await check(arbiter, match_id)
    assert '"snapshot_corrupt"' in logged.getvalue()
    assert arbiter.keeper._table._db.select(f"SELECT part FROM {TABLE}") == []  # noqa: S608


async def test_what_another_release_has_made_is_not_read_and_is_replaced(
    arbiter: Arbiter, tmp_path: Path
) -> None:
    match_id = await played(arbiter)
    at = await kept(arbiter, match_id)
    before = arbiter.keeper._table.find(match_id, OF_MATCH)
    store = arbiter.store
    newer = open_snapshots(settings_in(tmp_path).store, store.recorder, b"another shape")
    assert newer.find(match_id, OF_MATCH) is None
    newer.write(match_id, 3, [(OF_MATCH, b"its own")])
    assert arbiter.keeper._table.find(match_id, OF_MATCH) is None
    forget(arbiter, match_id)
    await check(arbiter, match_id)
    assert newer.find(match_id, OF_MATCH) is not None
    assert await kept(arbiter, match_id) == at
    assert arbiter.keeper._table.find(match_id, OF_MATCH) == before


async def test_an_older_snapshot_does_not_replace_a_newer_one(arbiter: Arbiter) -> None:
    match_id = await played(arbiter)
    at = await kept(arbiter, match_id)
    arbiter.keeper._table.write(match_id, at - 1, [(OF_MATCH, b"older")])
    stored = arbiter.keeper._table.find(match_id, OF_MATCH)
    assert stored is not None and stored.position == at


async def test_a_snapshot_that_is_wrong_is_found_out_and_the_record_is_right(
    arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch, logged: StringIO
) -> None:
    match_id = await played(arbiter)
    at = await kept(arbiter, match_id)
    stored = arbiter.keeper._table.find(match_id, OF_MATCH)
    assert stored is not None
    part = decode_match(at, stored.content)
    wrong = replace(part, match=replace(part.match, asked="nothing that was asked for"))
    arbiter.keeper._table.drop(match_id)
    arbiter.keeper._table.write(match_id, at, [(OF_MATCH, encode_match(wrong))])
    monkeypatch.setattr(keeper, "SAMPLE", 1)
    monkeypatch.setattr(keeper, "LOOK_SECONDS", 0.0)
    forget(arbiter, match_id)
    assert (await arbiter.open_matches.opened(match_id)).match == wrong.match
    running = asyncio.create_task(arbiter.keeper.run(arbiter.open_matches))
    await until(lambda: '"snapshot_unfit"' in logged.getvalue())
    await until(lambda: not arbiter.open_matches.place(match_id).loaded)
    running.cancel()
    assert "Differs" in logged.getvalue()
    await check(arbiter, match_id)


async def test_what_another_audience_sees_is_not_read(arbiter: Arbiter) -> None:
    match_id = await played(arbiter)
    at = await kept(arbiter, match_id)
    table = arbiter.keeper._table
    other_seat = table.find(match_id, "seat:0")
    assert other_seat is not None
    with table._db.transaction() as cursor:
        cursor.execute(f"DELETE FROM {TABLE} WHERE part = 'seat:1'")  # noqa: S608
    table.write(match_id, at, [("seat:1", other_seat.content)])
    assert arbiter.keeper.reader(match_id, 1, at) is None
    assert table.find(match_id, "seat:1") is None


async def test_the_sight_of_an_audience_that_is_wrong_is_found_out(arbiter: Arbiter) -> None:
    match_id = await played(arbiter)
    at = await kept(arbiter, match_id)
    assert await asyncio.to_thread(arbiter.keeper.holds, match_id)
    with arbiter.keeper._table._db.transaction() as cursor:
        cursor.execute(f"DELETE FROM {TABLE} WHERE part = 'public'")  # noqa: S608
    arbiter.keeper._table.write(match_id, at, [("public", b"wrong")])
    assert not await asyncio.to_thread(arbiter.keeper.holds, match_id)
    assert arbiter.keeper._table.find(match_id, OF_MATCH) is None


async def test_without_its_table_an_instance_reads_the_record(
    arbiter: Arbiter, logged: StringIO
) -> None:
    match_id = await played(arbiter)
    await kept(arbiter, match_id)
    with arbiter.keeper._table._db.transaction() as cursor:
        cursor.execute(f"DROP TABLE {TABLE}")
    forget(arbiter, match_id)
    await check(arbiter, match_id)
    assert '"snapshot_not_read"' in logged.getvalue()


async def test_who_may_make_no_table_is_told_that_there_is_none(arbiter: Arbiter) -> None:
    with arbiter.keeper._table._db.transaction() as cursor:
        cursor.execute(f"DROP TABLE {TABLE}")
    env = {**arbiter.settings.store, "CREATE_TABLE": "no"}
    with pytest.raises(NotMigrated, match=TABLE):
        open_snapshots(env, arbiter.store.recorder, b"")
