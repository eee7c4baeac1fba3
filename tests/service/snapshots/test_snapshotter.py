"""Snapshots are made in the background when a match has grown, each from the previous one."""

import asyncio
from io import StringIO
from pathlib import Path

import pytest
from msgspec.structs import replace

from service.clock import VirtualClock
from service.instance import Instance
from service.snapshots import snapshotter
from service.snapshots.codec import MATCH_PART, decode_match
from service.snapshots.snapshot_builder import SnapshotBuilder
from service.snapshots.snapshotter import Stopped
from service.snapshots.table import TABLE
from tests.support.captured_logs import logged
from tests.support.instance.service_instance import on_record, someone_acts, started
from tests.support.instance.snapshotting import (
    FEW,
    check,
    forget,
    instance,
    played,
    reads_of,
    snapshotted,
)
from tests.support.servers.instance_settings import settings_in
from tests.support.waiting import until

__all__ = ["instance", "logged"]


async def test_a_match_that_has_grown_gets_a_snapshot_by_itself(
    tmp_path: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshotter, "EVERY", FEW)
    monkeypatch.setattr(snapshotter, "LOOK_SECONDS", 0.01)
    instance = Instance(settings_in(tmp_path), clock)
    async with instance.running():
        match_id = await started(instance, "twelve-chips")
        seen_at = set()
        for _ in range(6):
            await someone_acts(instance, match_id)
            loaded = await instance.sessions.current(match_id)
            await until(lambda loaded=loaded: loaded.length - loaded.snapshot < FEW)  # type: ignore[misc]
            seen_at.add(loaded.snapshot)
        assert len(seen_at) > 1
        forget(instance, match_id)
        assert (await instance.sessions.current(match_id)).snapshot == max(seen_at)
        await check(instance, match_id)


async def test_little_more_is_not_worth_another_snapshot(instance: Instance) -> None:
    match_id = await played(instance, inputs=4)
    at = await snapshotted(instance, match_id)
    await someone_acts(instance, match_id)
    assert await snapshotted(instance, match_id) == at < len(on_record(instance, match_id))
    assert instance.sessions.grown(FEW) == [(match_id, len(on_record(instance, match_id)))]
    instance.sessions.snapshot_made(match_id, at)
    assert instance.sessions.grown(FEW) == []


async def test_the_next_snapshot_is_made_from_the_one_before(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshotter, "BATCH", 3)
    match_id = await played(instance, inputs=4)
    at = await snapshotted(instance, match_id)
    for _ in range(FEW):
        await someone_acts(instance, match_id)
    read = reads_of(instance, monkeypatch)
    later = await asyncio.to_thread(
        instance.snapshotter.make, match_id, len(on_record(instance, match_id))
    )
    assert min(read) == at - 1 and later > at
    assert await asyncio.to_thread(instance.snapshotter.verify, match_id)
    forget(instance, match_id)
    await check(instance, match_id)


async def test_a_part_that_is_missing_is_made_from_the_beginning(instance: Instance) -> None:
    match_id = await played(instance, inputs=4)
    await snapshotted(instance, match_id)
    with instance.snapshotter._table._db.transaction() as cursor:
        cursor.execute(f"DELETE FROM {TABLE} WHERE part = 'seat:1'")  # noqa: S608
    for _ in range(FEW):
        await someone_acts(instance, match_id)
    at = await snapshotted(instance, match_id)
    stored = instance.snapshotter._table.find(match_id, "seat:1")
    assert stored is not None and stored.position == at
    assert await asyncio.to_thread(instance.snapshotter.verify, match_id)


async def test_a_part_that_does_not_decode_to_itself_is_not_stored(
    instance: Instance, monkeypatch: pytest.MonkeyPatch, logged: StringIO
) -> None:
    match_id = await played(instance, inputs=4)
    monkeypatch.setattr(
        "service.snapshots.codec.decode_match",
        lambda at, content: replace(decode_match(at, content), draws=frozenset()),
    )
    monkeypatch.setattr(snapshotter, "LOOK_SECONDS", 0.0)
    running = asyncio.create_task(instance.snapshotter.run(instance.sessions))
    await until(lambda: '"snapshot_not_made"' in logged.getvalue())
    running.cancel()
    assert instance.snapshotter._table.find(match_id, MATCH_PART) is None


async def test_stopping_interrupts_a_snapshot(
    tmp_path: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is closed while it makes a snapshot, which takes longer the longer the record is."""
    monkeypatch.setattr(snapshotter, "EVERY", FEW)
    monkeypatch.setattr(snapshotter, "BATCH", 1)
    monkeypatch.setattr(snapshotter, "WORK_SECONDS", 0.0)
    monkeypatch.setattr(snapshotter, "REST_SECONDS", 0.1)
    instance = Instance(settings_in(tmp_path), clock)
    async with instance.running():
        match_id = await played(instance)
        length = len(on_record(instance, match_id))
        loop = asyncio.get_running_loop()
        making = loop.run_in_executor(
            instance.snapshotter._thread, instance.snapshotter.make, match_id, length
        )
        began = loop.time()
    assert loop.time() - began < 5 < length * 0.1
    with pytest.raises(Stopped):
        await making


async def test_the_size_of_a_batch_does_not_matter(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch has whole commands: an action, and the refusal that is recorded after it."""
    match_id = await played(instance)
    length, made = len(on_record(instance, match_id)), []
    for piece in (length, 1, 2, 3, 7):
        monkeypatch.setattr(snapshotter, "BATCH", piece)
        folding = SnapshotBuilder(match_id)
        await asyncio.to_thread(instance.snapshotter._fold, folding, length)
        made.append(dict(folding.parts()))
    assert made[0] == made[1] == made[2] == made[3] == made[4]
    assert len(decode_match(length, made[0][MATCH_PART]).answers) == 3 * FEW
