"""Snapshots are made beside the door, read when a match is opened, and never believed blindly."""

import asyncio
from collections.abc import AsyncIterator, Callable
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import pytest_asyncio
from msgspec.structs import replace

from domain.commands import Pause, Resume
from domain.events import Record
from domain.games.dollar_prize.actions import ChooseSide
from domain.games.twelve_chips.actions import Play
from domain.match_events import ActionReceived, ActionRefused, MatchPaused, SeedCommitted
from projections.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, may_see
from service import keeper
from service.arbiter import Arbiter
from service.clock import VirtualClock
from service.folding import Folding
from service.keeper import Stopped
from service.open_match import Reader, loaded
from service.snapshots import OF_MATCH, decode_match, encode_match
from service.storage.database import NotMigrated
from service.storage.snapshots import TABLE, open_snapshots
from service.storage.store import rows
from tests.clock import NOON
from tests.logged import logged
from tests.service.instance import NOT_NOW, PATIENCE, on_record, seen, sends, someone_acts, started
from tests.stores import settings_in

__all__ = ["logged"]

VIEWERS: tuple[Viewer, ...] = (0, 1, PUBLIC_VIEWER, MODERATOR)
FEW = 8
HEADS = ChooseSide("heads")


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(NOON)


@pytest_asyncio.fixture
async def arbiter(
    tmp_path: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Arbiter]:
    """An instance that makes no snapshots by itself, but where there are a few events more."""
    monkeypatch.setattr(keeper, "EVERY", FEW)
    monkeypatch.setattr(keeper, "LOOK_SECONDS", 3_600)
    running = Arbiter(settings_in(tmp_path), clock)
    async with running.running():
        yield running


@pytest_asyncio.fixture
async def other(arbiter: Arbiter, tmp_path: Path, clock: VirtualClock) -> AsyncIterator[Arbiter]:
    """A second instance on the same store, which knows that it is not alone."""
    running = Arbiter(replace(settings_in(tmp_path), shared=True), clock)
    async with running.running():
        yield running


async def played(arbiter: Arbiter, game: str = "twelve-chips", inputs: int = 3 * FEW) -> UUID:
    """A running match with some keys used, refusals among them."""
    match_id = await started(arbiter, game)
    for n in range(inputs):
        await someone_acts(arbiter, match_id)
        opened = await arbiter.open_matches.opened(match_id)
        assert opened.match is not None
        seat = 1 - opened.match.awaiting.seats[0]
        await arbiter.matches.enter(match_id, sends(seat, stolen(game), f"key {n}"), seat)
    return match_id


def stolen(game: str) -> Any:
    """An action of a seat whose turn it is not."""
    return Play(1) if game == "twelve-chips" else NOT_NOW


async def kept(arbiter: Arbiter, match_id: UUID) -> int:
    """Makes a snapshot of all that is on record; where it stands."""
    length = len(on_record(arbiter, match_id))
    return await asyncio.to_thread(arbiter.keeper.make, match_id, length)


def forget(arbiter: Arbiter, match_id: UUID) -> None:
    arbiter.open_matches._open.pop(match_id, None)


async def check(arbiter: Arbiter, match_id: UUID) -> None:
    """What the instance has read is what the record comes to, for the door and for everybody."""
    records = on_record(arbiter, match_id)
    opened = await arbiter.open_matches.opened(match_id)
    assert opened.hidden is not None
    whole = loaded(str(match_id), records, opened.hidden)
    assert (opened.match, opened.drawn, opened.length) == (whole.match, whole.drawn, len(records))
    assert (opened.game, opened.hidden, opened.at) == (whole.game, whole.hidden, records[-1].at)
    assert opened.tail == records[opened.tail_start :]
    for (seat, key), answer in whole.answers.items():
        assert opened.answered(seat, key) == answer
    for viewer in VIEWERS:
        told = [n for n, record in enumerate(records) if may_see(viewer, record.event)]
        lines, _ = await arbiter.open_matches.lines(match_id, viewer, 0, len(told))
        assert lines == list(enumerate([records[n] for n in told], 1))
        for seq in range(len(told) + 1):
            upto = told[seq - 1] + 1 if seq else 0
            view = await arbiter.open_matches.view(match_id, viewer, seq)
            assert view == (seq, seen(records[:upto], match_id, opened.game_id, viewer))


def reads_of(arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """From which position on the store has been read, again and again."""
    found: list[int] = []
    states = arbiter.store.states

    def counted(match: UUID, after: int = 0, upto: int | None = None) -> list[bytes]:
        found.append(after)
        return states(match, after, upto)

    monkeypatch.setattr(arbiter.store, "states", counted)
    return found


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


# When they are made.


async def until(what: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not what():  # noqa: ASYNC110  a thread does it
            await asyncio.sleep(0.01)


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
        "service.snapshots.decode_match",
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


# What must not be believed.


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
