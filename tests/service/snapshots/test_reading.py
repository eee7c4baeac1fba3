"""A match read from its snapshot and the later records equals one read from the whole record."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from msgspec.structs import replace

from domain.commands import Pause, Resume
from domain.encoding import encode
from domain.games.dollar_prize.actions import ChooseSide
from projections.audience_projection import AudienceProjection
from projections.disclosure import MODERATOR, PUBLIC_VIEWER
from projections.lines import checksum
from service.clock import VirtualClock
from service.event_store.digests import StoredRow
from service.instance import Instance
from service.snapshots.table import TABLE
from tests.support.instance.new_epochs import begin_epoch
from tests.support.instance.service_instance import (
    NOT_NOW,
    on_record,
    positions_of,
    sends,
    someone_acts,
    started,
)
from tests.support.instance.snapshotting import (
    FEW,
    VIEWERS,
    check,
    forget,
    instance,
    played,
    positions_read,
    reads_of,
    snapshotted,
)
from tests.support.servers.instance_settings import settings_in

__all__ = ["instance"]

HEADS = ChooseSide("heads")


@pytest_asyncio.fixture
async def other(instance: Instance, tmp_path: Path, clock: VirtualClock) -> AsyncIterator[Instance]:
    """A second instance on the same store, with `shared` set."""
    running = Instance(replace(settings_in(tmp_path), shared=True), clock)
    async with running.running():
        yield running


@pytest.mark.parametrize("game", ["twelve-chips", "dollar-prize"])
async def test_a_match_is_loaded_from_its_snapshot_and_the_rest_of_its_record(
    instance: Instance, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await played(instance, game, 5)
    at = await snapshotted(instance, match_id)
    await someone_acts(instance, match_id)
    forget(instance, match_id)
    read = reads_of(instance, monkeypatch)
    for viewer in VIEWERS:
        await instance.sessions.projection(match_id, viewer)
    assert min(read) == at - 1 > 10
    monkeypatch.undo()
    await check(instance, match_id)


async def test_of_an_audiences_snapshot_no_record_is_read_beside_those_of_the_match(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await played(instance, inputs=4)
    at = await snapshotted(instance, match_id)
    for _ in range(3):
        await someone_acts(instance, match_id)
    states, records = instance.store.states(match_id), on_record(instance, match_id)
    fresh = AudienceProjection(0)
    fresh.read(records[:at], list(map(checksum, states[:at])))
    read = reads_of(instance, monkeypatch)
    found = instance.snapshotter.match(match_id)
    assert found is not None and read == [at - 1]
    own = instance.snapshotter.projection(match_id, 0, found)
    assert own is not None and read == [at - 1]
    assert (own.state, own.positions, own.end) == (fresh.state, fresh.positions, at)
    assert own.checksums == fresh.checksums


async def test_an_earlier_snapshot_of_an_audience_is_continued_by_the_records_between(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await played(instance, inputs=4)
    table = instance.snapshotter._table
    before = await snapshotted(instance, match_id)
    earlier = table.find(match_id, "seat:0")
    for _ in range(2 * FEW):
        await someone_acts(instance, match_id)
    at = await snapshotted(instance, match_id)
    assert earlier is not None and before < at
    with table._db.transaction() as cursor:
        cursor.execute(f"DELETE FROM {TABLE} WHERE part = 'seat:0'")  # noqa: S608
    table.write(match_id, before, [("seat:0", earlier.content)])
    read = reads_of(instance, monkeypatch)
    found = instance.snapshotter.match(match_id)
    assert found is not None
    own = instance.snapshotter.projection(match_id, 0, found)
    assert own is not None and own.end == at and read == [at - 1, before]
    monkeypatch.undo()
    forget(instance, match_id)
    await check(instance, match_id)


async def test_a_snapshot_is_not_used_for_records_that_do_not_continue_it(
    instance: Instance,
) -> None:
    match_id = await played(instance, inputs=4)
    at = await snapshotted(instance, match_id)
    found = instance.snapshotter.match(match_id)
    assert found is not None and found.part.position == at
    record = on_record(instance, match_id)[at - 1]
    other = encode(replace(record, at=record.at + 1))
    wrong = found._replace(rows=[StoredRow(found.rows[0].topic, other)])
    assert instance.snapshotter.projection(match_id, 0, wrong) is None


async def test_an_earlier_view_is_folded_from_the_audiences_own_events(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await played(instance, inputs=4)
    await snapshotted(instance, match_id)
    for _ in range(3):
        await someone_acts(instance, match_id)
    forget(instance, match_id)
    await instance.sessions.projection(match_id, PUBLIC_VIEWER)
    own, read = await positions_of(instance, match_id, PUBLIC_VIEWER), positions_read(monkeypatch)
    for seq in range(1, len(own)):
        read.clear()
        assert (await instance.sessions.view(match_id, PUBLIC_VIEWER, seq))[0] == seq
        assert read == [] or read == list(own[:seq])
    assert read, "the last view but one is not in memory"
    monkeypatch.undo()
    await check(instance, match_id)


async def test_a_match_continues_from_a_snapshot_as_if_there_were_none(instance: Instance) -> None:
    match_id = await played(instance, inputs=4)
    for _ in range(6):
        await snapshotted(instance, match_id)
        forget(instance, match_id)
        assert await someone_acts(instance, match_id)
        await check(instance, match_id)


async def test_a_repeat_is_answered_from_a_snapshot_as_it_was(instance: Instance) -> None:
    match_id = await started(instance)
    first = await instance.matches.execute(match_id, sends(0, NOT_NOW, "refused"), 0)
    second = await instance.matches.execute(match_id, sends(0, HEADS, "taken"), 0)
    await snapshotted(instance, match_id)
    forget(instance, match_id)
    for action, key, expected in ((NOT_NOW, "refused", first), (HEADS, "taken", second)):
        again = await instance.matches.execute(match_id, sends(0, action, key), 0)
        assert again.result.replayed and again.result.code == expected.result.code
        assert again.result.refused == expected.result.refused
        assert (again.seq, again.view_seq, again.view) == (
            expected.seq,
            expected.view_seq,
            expected.view,
        )
    reused = await instance.matches.execute(match_id, sends(0, NOT_NOW, "taken"), 0)
    assert reused.result.code == "idempotency_key_reused"
    await check(instance, match_id)


async def test_the_first_use_of_a_key_counts_behind_a_snapshot_too(
    instance: Instance,
) -> None:
    match_id = await started(instance)
    await instance.matches.execute(match_id, sends(0, NOT_NOW, "one"), 0)
    await snapshotted(instance, match_id)
    await instance.matches.execute(match_id, sends(0, HEADS, "one"), 0)
    for _ in range(2):
        forget(instance, match_id)
        again = await instance.matches.execute(match_id, sends(0, NOT_NOW, "one"), 0)
        assert again.result.replayed and again.result.code == "wrong_phase"
        for _ in range(FEW):
            await instance.matches.execute(match_id, sends(0, NOT_NOW), 0)
        await snapshotted(instance, match_id)


async def test_paused_and_ended_matches_are_read_unchanged(instance: Instance) -> None:
    match_id = await started(instance, "twelve-chips", {"tokens_to_win": 1}, clock="rules")
    await instance.matches.execute(match_id, Pause(), MODERATOR)
    await snapshotted(instance, match_id)
    forget(instance, match_id)
    await check(instance, match_id)
    await instance.matches.execute(match_id, Resume(), MODERATOR)
    while await someone_acts(instance, match_id):
        pass
    await snapshotted(instance, match_id)
    forget(instance, match_id)
    loaded = await instance.sessions.current(match_id)
    assert loaded.match is not None and loaded.match.status == "ended" and loaded.snapshot > FEW
    await check(instance, match_id)


async def test_in_a_new_epoch_behind_a_snapshot_nothing_is_drawn_yet(
    instance: Instance, clock: VirtualClock
) -> None:
    match_id = await played(instance, inputs=2)
    await snapshotted(instance, match_id)
    begin_epoch(instance, match_id)
    forget(instance, match_id)
    loaded = await instance.sessions.current(match_id)
    assert not loaded.drawn
    await check(instance, match_id)


# Several instances.


async def test_an_instance_reads_the_snapshot_of_another_and_the_later_records(
    instance: Instance, other: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await played(instance)
    at = await snapshotted(instance, match_id)
    read = reads_of(other, monkeypatch)
    await other.sessions.projection(match_id, 0)
    assert min(read) >= at - 1
    for _ in range(3):
        await someone_acts(instance, match_id)
        await check(other, match_id)


async def test_a_snapshot_ahead_of_the_match_in_memory_is_not_read(
    instance: Instance, other: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new reader of a match that this instance has in an older state. Nor is it made again."""
    match_id = await played(instance)
    await snapshotted(instance, match_id)
    loaded = await other.sessions.current(match_id)
    before = loaded.length
    for _ in range(2 * FEW):
        await someone_acts(instance, match_id)
    ahead = await snapshotted(instance, match_id)
    assert ahead > before
    with monkeypatch.context() as patched:
        read = reads_of(other, patched)
        assert (
            await asyncio.to_thread(other.snapshotter.make, match_id, before) == ahead and not read
        )
    found = other.snapshotter.match(match_id)
    assert found is not None
    known = found._replace(rows=[], digest=loaded.digest)
    assert other.snapshotter.projection(match_id, 0, known) is None
    assert other.snapshotter._table.find(match_id, "seat:0") is not None
    loaded, projection = await other.sessions.cached_projection(match_id, 0)
    assert isinstance(projection, AudienceProjection) and projection.end == loaded.length == before
    await check(other, match_id)
