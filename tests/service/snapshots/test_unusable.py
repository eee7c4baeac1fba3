"""A snapshot that does not fit its record is not used, and is deleted."""

import asyncio
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from msgspec.structs import replace

from domain.events import Record
from domain.match_events import ActionReceived, ActionRefused
from service.event_store.database import NotMigrated
from service.event_store.store import rows
from service.instance import Instance
from service.snapshots import snapshotter
from service.snapshots.codec import MATCH_PART, decode_match, encode_match
from service.snapshots.table import TABLE, open_snapshots
from tests.support.captured_logs import logged
from tests.support.instance.service_instance import on_record
from tests.support.instance.snapshotting import check, forget, instance, played, snapshotted
from tests.support.servers.instance_settings import settings_in
from tests.support.waiting import until

__all__ = ["instance", "logged"]


async def test_a_record_that_is_shorter_than_its_snapshot_is_read_itself(
    instance: Instance, logged: StringIO
) -> None:
    """As after a restore: other events may be recorded in place of the lost ones."""
    match_id = await played(instance)
    at = await snapshotted(instance, match_id)
    cut(instance, match_id, at - 1)
    forget(instance, match_id)
    await check(instance, match_id)
    assert '"snapshot_unfit"' in logged.getvalue()
    assert instance.snapshotter._table.find(match_id, MATCH_PART) is None


async def test_a_record_that_differs_from_its_snapshot_is_read_itself(instance: Instance) -> None:
    match_id = await played(instance)
    at = await snapshotted(instance, match_id)
    at_last = on_record(instance, match_id)[-1].at
    cut(instance, match_id, at - 20)
    refused = [Record(at_last, 0, ActionReceived(0, {})), Record(at_last, 0, ActionRefused(0, "no"))]
    instance.store.append(rows(match_id, at - 20, refused * 12))
    forget(instance, match_id)
    await check(instance, match_id)


def cut(instance: Instance, match_id: UUID, length: int) -> None:
    """Cuts the log to the first `length` events of the match."""
    table = instance.store.recorder.events_table_name  # type: ignore[attr-defined]
    with instance.snapshotter._table._db.transaction() as cursor:
        stream: Any = match_id if "arbiter" in table else match_id.hex
        cursor.execute(
            f"DELETE FROM {table} WHERE originator_id = ? AND originator_version > ?",  # noqa: S608
            (stream, length),
        )
        digests = table.replace("events", "digests")
        cursor.execute(f"DELETE FROM {digests} WHERE originator_id = ?", (stream,))  # noqa: S608
    assert len(on_record(instance, match_id)) == length


@pytest.mark.parametrize(
    "changed",
    ["content = {other}", "digest = {other}", "position = position - 3", "part = 'seat:9'"],
)
async def test_a_snapshot_changed_in_the_table_is_deleted(
    instance: Instance, changed: str, logged: StringIO
) -> None:
    match_id = await played(instance)
    await snapshotted(instance, match_id)
    with instance.snapshotter._table._db.transaction() as cursor:
        sql = f"UPDATE {TABLE} SET {changed.format(other='shape')} WHERE part = 'match'"  # noqa: S608
        cursor.execute(sql)
        if "seat:9" in changed:
            cursor.execute(f"UPDATE {TABLE} SET part = 'match' WHERE part = 'seat:1'")  # noqa: S608
    forget(instance, match_id)
    await check(instance, match_id)
    assert '"snapshot_corrupt"' in logged.getvalue()
    assert instance.snapshotter._table._db.select(f"SELECT part FROM {TABLE}") == []  # noqa: S608


async def test_a_snapshot_of_another_release_is_not_read_and_is_replaced(
    instance: Instance, tmp_path: Path
) -> None:
    match_id = await played(instance)
    at = await snapshotted(instance, match_id)
    before = instance.snapshotter._table.find(match_id, MATCH_PART)
    store = instance.store
    newer = open_snapshots(settings_in(tmp_path).store, store.recorder, b"another shape")
    assert newer.find(match_id, MATCH_PART) is None
    newer.write(match_id, 3, [(MATCH_PART, b"its own")])
    assert instance.snapshotter._table.find(match_id, MATCH_PART) is None
    forget(instance, match_id)
    await check(instance, match_id)
    assert newer.find(match_id, MATCH_PART) is not None
    assert await snapshotted(instance, match_id) == at
    assert instance.snapshotter._table.find(match_id, MATCH_PART) == before


async def test_an_older_snapshot_does_not_replace_a_newer_one(instance: Instance) -> None:
    match_id = await played(instance)
    at = await snapshotted(instance, match_id)
    instance.snapshotter._table.write(match_id, at - 1, [(MATCH_PART, b"older")])
    stored = instance.snapshotter._table.find(match_id, MATCH_PART)
    assert stored is not None and stored.position == at


async def test_a_wrong_snapshot_is_detected_and_the_record_is_right(
    instance: Instance, monkeypatch: pytest.MonkeyPatch, logged: StringIO
) -> None:
    match_id = await played(instance)
    at = await snapshotted(instance, match_id)
    stored = instance.snapshotter._table.find(match_id, MATCH_PART)
    assert stored is not None
    part = decode_match(at, stored.content)
    wrong = replace(part, match=replace(part.match, asked="nothing that was asked for"))
    instance.snapshotter._table.drop(match_id)
    instance.snapshotter._table.write(match_id, at, [(MATCH_PART, encode_match(wrong))])
    monkeypatch.setattr(snapshotter, "SAMPLE", 1)
    monkeypatch.setattr(snapshotter, "LOOK_SECONDS", 0.0)
    forget(instance, match_id)
    assert (await instance.sessions.current(match_id)).match == wrong.match
    running = asyncio.create_task(instance.snapshotter.run(instance.sessions))
    await until(lambda: '"snapshot_unfit"' in logged.getvalue())
    await until(lambda: not instance.sessions.session(match_id).loaded)
    running.cancel()
    assert "Differs" in logged.getvalue()
    await check(instance, match_id)


async def test_a_snapshot_of_another_audience_is_not_read(instance: Instance) -> None:
    match_id = await played(instance)
    at = await snapshotted(instance, match_id)
    table = instance.snapshotter._table
    other_seat = table.find(match_id, "seat:0")
    assert other_seat is not None
    with table._db.transaction() as cursor:
        cursor.execute(f"DELETE FROM {TABLE} WHERE part = 'seat:1'")  # noqa: S608
    table.write(match_id, at, [("seat:1", other_seat.content)])
    found = instance.snapshotter.match(match_id)
    assert found is not None
    assert instance.snapshotter.projection(match_id, 1, found) is None
    assert table.find(match_id, "seat:1") is None


async def test_a_wrong_state_of_an_audience_is_detected(instance: Instance) -> None:
    match_id = await played(instance)
    at = await snapshotted(instance, match_id)
    assert await asyncio.to_thread(instance.snapshotter.verify, match_id)
    with instance.snapshotter._table._db.transaction() as cursor:
        cursor.execute(f"DELETE FROM {TABLE} WHERE part = 'public'")  # noqa: S608
    instance.snapshotter._table.write(match_id, at, [("public", b"wrong")])
    assert not await asyncio.to_thread(instance.snapshotter.verify, match_id)
    assert instance.snapshotter._table.find(match_id, MATCH_PART) is None


async def test_without_its_table_an_instance_reads_the_record(
    instance: Instance, logged: StringIO
) -> None:
    match_id = await played(instance)
    await snapshotted(instance, match_id)
    with instance.snapshotter._table._db.transaction() as cursor:
        cursor.execute(f"DROP TABLE {TABLE}")
    forget(instance, match_id)
    await check(instance, match_id)
    assert '"snapshot_not_read"' in logged.getvalue()


async def test_without_a_table_and_the_right_to_make_it_not_migrated_is_raised(
    instance: Instance,
) -> None:
    with instance.snapshotter._table._db.transaction() as cursor:
        cursor.execute(f"DROP TABLE {TABLE}")
    env = {**instance.settings.store, "CREATE_TABLE": "no"}
    with pytest.raises(NotMigrated, match=TABLE):
        open_snapshots(env, instance.store.recorder, b"")
