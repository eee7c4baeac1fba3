"""Snapshots are made beside the door, when a match has grown, each from the one before."""

import asyncio
from io import StringIO
from pathlib import Path

import pytest
from msgspec.structs import replace

from service.arbiter import Arbiter
from service.clock import VirtualClock
from service.keeping import keeper
from service.keeping.folding import Folding
from service.keeping.keeper import Stopped
from service.keeping.snapshots import OF_MATCH, decode_match
from service.storage.snapshots import TABLE
from tests.logged import logged
from tests.service.cups import until
from tests.service.instance import on_record, someone_acts, started
from tests.service.snapshotted import FEW, arbiter, check, forget, kept, played, reads_of
from tests.stores import settings_in

__all__ = ["arbiter", "logged"]


async def test_a_match_that_has_grown_gets_a_snapshot_by_itself(
    tmp_path: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeper, "EVERY", FEW)
    monkeypatch.setattr(keeper, "LOOK_SECONDS", 0.01)
    arbiter = Arbiter(settings_in(tmp_path), clock)
    async with arbiter.running():
        match_id = await started(arbiter, "twelve-chips")
        seen_at = set()
        for _ in range(6):
            await someone_acts(arbiter, match_id)
            opened = await arbiter.open_matches.opened(match_id)
            await until(lambda opened=opened: opened.length - opened.kept < FEW)  # type: ignore[misc]
            seen_at.add(opened.kept)
        assert len(seen_at) > 1
        forget(arbiter, match_id)
        assert (await arbiter.open_matches.opened(match_id)).kept == max(seen_at)
        await check(arbiter, match_id)


async def test_little_more_is_not_worth_another_snapshot(arbiter: Arbiter) -> None:
    match_id = await played(arbiter, inputs=4)
    at = await kept(arbiter, match_id)
    await someone_acts(arbiter, match_id)
    assert await kept(arbiter, match_id) == at < len(on_record(arbiter, match_id))
    assert arbiter.open_matches.grown(FEW) == [(match_id, len(on_record(arbiter, match_id)))]
    arbiter.open_matches.kept(match_id, at)
    assert arbiter.open_matches.grown(FEW) == []


async def test_the_next_snapshot_is_made_from_the_one_before(
    arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeper, "PIECE", 3)
    match_id = await played(arbiter, inputs=4)
    at = await kept(arbiter, match_id)
    for _ in range(FEW):
        await someone_acts(arbiter, match_id)
    read = reads_of(arbiter, monkeypatch)
    later = await asyncio.to_thread(
        arbiter.keeper.make, match_id, len(on_record(arbiter, match_id))
    )
    read.remove(0)  # the whole record, read by this test
    assert min(read) == at - 1 and later > at
    assert await asyncio.to_thread(arbiter.keeper.holds, match_id)
    forget(arbiter, match_id)
    await check(arbiter, match_id)


async def test_a_part_that_is_missing_is_made_from_the_beginning(arbiter: Arbiter) -> None:
    match_id = await played(arbiter, inputs=4)
    await kept(arbiter, match_id)
    with arbiter.keeper._table._db.transaction() as cursor:
        cursor.execute(f"DELETE FROM {TABLE} WHERE part = 'seat:1'")  # noqa: S608
    for _ in range(FEW):
        await someone_acts(arbiter, match_id)
    at = await kept(arbiter, match_id)
    stored = arbiter.keeper._table.find(match_id, "seat:1")
    assert stored is not None and stored.position == at
    assert await asyncio.to_thread(arbiter.keeper.holds, match_id)


async def test_what_does_not_come_back_as_it_was_is_not_stored(
    arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch, logged: StringIO
) -> None:
    match_id = await played(arbiter, inputs=4)
    monkeypatch.setattr(
        "service.keeping.snapshots.decode_match",
        lambda at, content: replace(decode_match(at, content), draws=frozenset()),
    )
    monkeypatch.setattr(keeper, "LOOK_SECONDS", 0.0)
    running = asyncio.create_task(arbiter.keeper.run(arbiter.open_matches))
    await until(lambda: '"snapshot_not_made"' in logged.getvalue())
    running.cancel()
    assert arbiter.keeper._table.find(match_id, OF_MATCH) is None


async def test_an_instance_that_stops_breaks_off(
    tmp_path: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is closed while a snapshot is being made, which would take as long as the record is."""
    monkeypatch.setattr(keeper, "EVERY", FEW)
    monkeypatch.setattr(keeper, "PIECE", 1)
    monkeypatch.setattr(keeper, "WORK_SECONDS", 0.0)
    monkeypatch.setattr(keeper, "REST_SECONDS", 0.1)
    arbiter = Arbiter(settings_in(tmp_path), clock)
    async with arbiter.running():
        match_id = await played(arbiter)
        length = len(on_record(arbiter, match_id))
        loop = asyncio.get_running_loop()
        making = loop.run_in_executor(arbiter.keeper._own, arbiter.keeper.make, match_id, length)
        began = loop.time()
    assert loop.time() - began < 5 < length * 0.1
    with pytest.raises(Stopped):
        await making


async def test_it_does_not_matter_how_much_is_folded_in_one_go(
    arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer is whole: an action, and the refusal that is recorded behind it."""
    match_id = await played(arbiter)
    length, made = len(on_record(arbiter, match_id)), []
    for piece in (length, 1, 2, 3, 7):
        monkeypatch.setattr(keeper, "PIECE", piece)
        folding = Folding(match_id)
        await asyncio.to_thread(arbiter.keeper._fold, folding, length)
        made.append(dict(folding.parts()))
    assert made[0] == made[1] == made[2] == made[3] == made[4]
    assert len(decode_match(length, made[0][OF_MATCH]).answers) == 3 * FEW
