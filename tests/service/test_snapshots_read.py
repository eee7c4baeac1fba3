"""A match is read from its snapshot and the rest of its record as if from the whole record."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from msgspec.structs import replace

from domain.commands import Pause, Resume
from domain.events import Record
from domain.games.dollar_prize.actions import ChooseSide
from domain.match_events import MatchPaused, SeedCommitted
from projections.disclosure import MODERATOR, PUBLIC_VIEWER, may_see
from service.arbiter import Arbiter
from service.clock import VirtualClock
from service.door.open_match import Reader
from service.storage.store import rows
from tests.service.instance import NOT_NOW, on_record, sends, someone_acts, started
from tests.service.snapshotted import FEW, VIEWERS, arbiter, check, forget, kept, played, reads_of
from tests.stores import settings_in

__all__ = ["arbiter"]

HEADS = ChooseSide("heads")


@pytest_asyncio.fixture
async def other(arbiter: Arbiter, tmp_path: Path, clock: VirtualClock) -> AsyncIterator[Arbiter]:
    """A second instance on the same store, which knows that it is not alone."""
    running = Arbiter(replace(settings_in(tmp_path), shared=True), clock)
    async with running.running():
        yield running


@pytest.mark.parametrize("game", ["twelve-chips", "dollar-prize"])
async def test_a_match_is_opened_from_its_snapshot_and_the_rest_of_its_record(
    arbiter: Arbiter, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await played(arbiter, game, 5)
    at = await kept(arbiter, match_id)
    await someone_acts(arbiter, match_id)
    forget(arbiter, match_id)
    read = reads_of(arbiter, monkeypatch)
    for viewer in VIEWERS:
        await arbiter.open_matches.read(match_id, viewer)
    assert min(read) == at - 1 > 10
    monkeypatch.undo()
    await check(arbiter, match_id)


async def test_what_is_at_hand_is_not_read_again(
    arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await played(arbiter, inputs=4)
    at = await kept(arbiter, match_id)
    for _ in range(3):
        await someone_acts(arbiter, match_id)
    records, read = on_record(arbiter, match_id), reads_of(arbiter, monkeypatch)
    for before in (at - 1, at - 2, at, 0):
        read.clear()
        for upto in (at, at + 2, len(records)):
            reader = arbiter.keeper.reader(match_id, 0, upto, before, records[before:])
            fresh = Reader(0)
            fresh.read(records[:upto])
            assert reader is not None
            assert (reader.sight, reader.positions) == (fresh.sight, fresh.positions)
            assert reader.end == upto
        assert bool(read) == (before == at)
    others = [replace(record, at=record.at + 1) for record in records]
    reader = arbiter.keeper.reader(match_id, 0, at + 2, at - 1, others[at - 1 :])
    assert read and reader is not None and reader.positions == fresh.positions[: reader.sight.seq]


async def test_what_was_seen_earlier_is_folded_from_a_snapshot_unless_that_is_later(
    arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await played(arbiter, inputs=4)
    at = await kept(arbiter, match_id)
    for _ in range(3):
        await someone_acts(arbiter, match_id)
    records, read = on_record(arbiter, match_id), reads_of(arbiter, monkeypatch)
    told = [n for n, record in enumerate(records, 1) if may_see(PUBLIC_VIEWER, record.event)]
    assert told[0] < at < told[-2]
    for seq, position in enumerate(told[:-1], 1):
        forget(arbiter, match_id)
        await arbiter.open_matches.read(match_id, PUBLIC_VIEWER)
        read.clear()
        assert (await arbiter.open_matches.view(match_id, PUBLIC_VIEWER, seq))[0] == seq
        assert (0 in read) == (position < at)
    monkeypatch.undo()
    await check(arbiter, match_id)


async def test_a_match_goes_on_from_a_snapshot_as_if_there_were_none(arbiter: Arbiter) -> None:
    match_id = await played(arbiter, inputs=4)
    for _ in range(6):
        await kept(arbiter, match_id)
        forget(arbiter, match_id)
        assert await someone_acts(arbiter, match_id)
        await check(arbiter, match_id)


async def test_a_repeat_is_answered_from_a_snapshot_as_it_was(arbiter: Arbiter) -> None:
    match_id = await started(arbiter)
    first = await arbiter.matches.enter(match_id, sends(0, NOT_NOW, "refused"), 0)
    second = await arbiter.matches.enter(match_id, sends(0, HEADS, "taken"), 0)
    await kept(arbiter, match_id)
    forget(arbiter, match_id)
    for action, key, told in ((NOT_NOW, "refused", first), (HEADS, "taken", second)):
        again = await arbiter.matches.enter(match_id, sends(0, action, key), 0)
        assert again.verdict.replayed and again.verdict.code == told.verdict.code
        assert again.verdict.refused == told.verdict.refused
        assert (again.seq, again.view_seq, again.view) == (told.seq, told.view_seq, told.view)
    reused = await arbiter.matches.enter(match_id, sends(0, NOT_NOW, "taken"), 0)
    assert reused.verdict.code == "idempotency_key_reused"
    await check(arbiter, match_id)


async def test_what_a_key_was_used_for_first_counts_behind_a_snapshot_too(
    arbiter: Arbiter,
) -> None:
    match_id = await started(arbiter)
    await arbiter.matches.enter(match_id, sends(0, NOT_NOW, "one"), 0)
    await kept(arbiter, match_id)
    await arbiter.matches.enter(match_id, sends(0, HEADS, "one"), 0)
    for _ in range(2):
        forget(arbiter, match_id)
        again = await arbiter.matches.enter(match_id, sends(0, NOT_NOW, "one"), 0)
        assert again.verdict.replayed and again.verdict.code == "wrong_phase"
        for _ in range(FEW):
            await arbiter.matches.enter(match_id, sends(0, NOT_NOW), 0)
        await kept(arbiter, match_id)


async def test_paused_and_ended_matches_are_read_as_they_are(arbiter: Arbiter) -> None:
    match_id = await started(arbiter, "twelve-chips", {"tokens_to_win": 1}, clock="rules")
    await arbiter.matches.enter(match_id, Pause(), MODERATOR)
    await kept(arbiter, match_id)
    forget(arbiter, match_id)
    await check(arbiter, match_id)
    await arbiter.matches.enter(match_id, Resume(), MODERATOR)
    while await someone_acts(arbiter, match_id):
        pass
    await kept(arbiter, match_id)
    forget(arbiter, match_id)
    opened = await arbiter.open_matches.opened(match_id)
    assert opened.match is not None and opened.match.status == "ended" and opened.kept > FEW
    await check(arbiter, match_id)


async def test_a_new_epoch_behind_a_snapshot_is_read_with_its_draws(
    arbiter: Arbiter, clock: VirtualClock
) -> None:
    match_id = await played(arbiter, inputs=2)
    await kept(arbiter, match_id)
    records = on_record(arbiter, match_id)
    first = next(r.event for r in records if isinstance(r.event, SeedCommitted))
    begun = [Record(clock.now(), MatchPaused()), Record(clock.now(), replace(first, epoch=1))]
    arbiter.store.append(rows(match_id, len(records), begun))
    forget(arbiter, match_id)
    opened = await arbiter.open_matches.opened(match_id)
    assert opened.drawn and all(name.startswith("e1/") for name in opened.drawn)
    await check(arbiter, match_id)


# Several instances.


async def test_an_instance_reads_what_another_has_kept_and_recorded_since(
    arbiter: Arbiter, other: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await played(arbiter)
    at = await kept(arbiter, match_id)
    read = reads_of(other, monkeypatch)
    await other.open_matches.read(match_id, 0)
    assert min(read) >= at - 1
    for _ in range(3):
        await someone_acts(arbiter, match_id)
        await check(other, match_id)


async def test_a_snapshot_that_is_ahead_of_what_is_in_memory_is_not_read(
    arbiter: Arbiter, other: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new reader of a match that this instance knows in an older state. Nor is it made again."""
    match_id = await played(arbiter)
    await kept(arbiter, match_id)
    opened = await other.open_matches.opened(match_id)
    before = opened.length
    for _ in range(2 * FEW):
        await someone_acts(arbiter, match_id)
    ahead = await kept(arbiter, match_id)
    assert ahead > before
    with monkeypatch.context() as patched:
        read = reads_of(other, patched)
        assert await asyncio.to_thread(other.keeper.make, match_id, before) == ahead and not read
    assert other.keeper.reader(match_id, 0, before) is None
    assert other.keeper._table.find(match_id, "seat:0") is not None
    opened, reader = await other.open_matches.read_known(match_id, 0)
    assert isinstance(reader, Reader) and reader.end == opened.length == before
    await check(other, match_id)
