"""Several instances on one store: what one has acknowledged, every other one shows."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from threading import Event as ThreadEvent
from uuid import UUID

import pytest
import pytest_asyncio
from msgspec.structs import replace

from domain.games.dollar_prize.actions import ChooseSide
from domain.match.events import MatchCreated
from projections.audience.disclosure import Viewer, may_see
from projections.audience.own_lines import RECENT_LINES
from service.application.matches.command_queue import AlreadyExists, CreateMatch, PreconditionFailed
from service.event_store.integrity.digests import StoredRows
from service.event_store.recorder import Length, Row
from service.instance import Instance
from tests.support.instance.new_epochs import begin_epoch
from tests.support.instance.service_instance import (
    NOT_NOW,
    PATIENCE,
    WatchedStore,
    created,
    lines_of,
    on_record,
    seen,
    sends,
    settings,
    someone_acts,
    started,
)
from tests.support.tables.directing import START
from tests.support.tables.own_lines import lines_start
from tests.support.virtual_clock import VirtualClock

HEADS, TAILS = ChooseSide("heads"), ChooseSide("tails")
VIEWERS: tuple[Viewer, ...] = (0, 1, "public", "moderator")


@pytest_asyncio.fixture
async def other(instance: Instance, database: Path, clock: VirtualClock) -> AsyncIterator[Instance]:
    """A second instance, with `shared` set."""
    running = Instance(replace(settings(database), shared=True), clock)
    assert isinstance(running.store, WatchedStore)
    async with running.running():
        yield running


async def known_to(other: Instance, match_id: UUID) -> None:
    """Loads the match, as it is now, into the other instance's memory."""
    for viewer in VIEWERS:
        await other.sessions.projection(match_id, viewer)


async def lines_are_right(other: Instance, match_id: UUID) -> None:
    """Every audience has the lines of its records, each once and in order."""
    records = on_record(other, match_id)
    for viewer in VIEWERS:
        visible = [record for record in records if may_see(viewer, record.event)]
        assert await other.sessions.lines(match_id, viewer, 0, len(records)) == (
            lines_of(visible),
            False,
        )


async def test_every_reader_sees_records_acknowledged_elsewhere(
    instance: Instance, other: Instance
) -> None:
    match_id = await started(instance, "twelve-chips", {"tokens_to_win": 1})
    await known_to(other, match_id)
    while await someone_acts(instance, match_id):
        records = on_record(instance, match_id)
        for viewer in VIEWERS:
            seq, view = await other.sessions.view(match_id, viewer, None)
            assert view == seen(records, match_id, "twelve-chips", viewer)
            lines, _ = await other.sessions.lines(match_id, viewer, 0, 1_000)
            assert len(lines) == seq
    loaded = await other.sessions.current(match_id)
    assert loaded.match is not None and loaded.match.status == "ended"
    assert loaded.length == len(on_record(instance, match_id))


async def test_a_followed_match_equals_a_freshly_read_one(
    instance: Instance, other: Instance
) -> None:
    match_id = await started(instance)
    await known_to(other, match_id)
    for n, action in enumerate((HEADS, NOT_NOW, TAILS)):
        await instance.matches.execute(match_id, sends(0, action, f"key {n}"), 0)
        await other.sessions.current(match_id)
    followed = await other.sessions.current(match_id)
    answered = [followed.answered(0, f"key {n}") for n in range(4)]
    followed_state = (followed.match, followed.drawn, followed.length, followed.at)
    other.sessions.session(match_id).forget()
    fresh = await other.sessions.current(match_id)
    assert (fresh.match, fresh.drawn, fresh.length, fresh.at) == followed_state
    assert [fresh.answered(0, f"key {n}") for n in range(4)] == answered
    assert answered[1] is not None and answered[1].refused and answered[3] is None


async def test_a_started_match_is_never_refused_as_not_started(
    instance: Instance, other: Instance
) -> None:
    """A 409 leaves no record that could show that it was decided on an old state."""
    match_id = await created(instance)
    await known_to(other, match_id)
    await instance.matches.execute(match_id, START, "moderator")
    answer = await other.matches.execute(match_id, sends(0, HEADS), 0)
    assert answer.result.code is None


async def test_the_latest_view_meets_the_precondition_on_an_instance_that_lags(
    instance: Instance, other: Instance
) -> None:
    match_id = await started(instance)
    await known_to(other, match_id)
    first = await instance.matches.execute(match_id, sends(0, HEADS), 0)
    latest = frozenset({first.view_seq})
    await other.matches.execute(match_id, sends(0, NOT_NOW), 0, latest)
    with pytest.raises(PreconditionFailed):
        await instance.matches.execute(match_id, sends(0, NOT_NOW), 0, latest)


async def test_a_repeat_is_answered_alike_everywhere(instance: Instance, other: Instance) -> None:
    match_id = await started(instance)
    await known_to(other, match_id)
    first = await instance.matches.execute(match_id, sends(0, HEADS, "one"), 0)
    again = await other.matches.execute(match_id, sends(0, HEADS, "one"), 0)
    assert again.result.replayed
    assert (again.seq, again.view) == (first.seq, first.view)


async def test_a_record_read_while_it_is_being_applied_counts_once(
    instance: Instance, other: Instance
) -> None:
    """A catch-up may find records that this instance has just committed and not yet applied."""
    match_id = await started(instance)
    await known_to(other, match_id)
    for _ in range(20):
        acts = [other.matches.execute(match_id, sends(0, NOT_NOW), 0)]
        looks = [other.sessions.projection(match_id, viewer) for viewer in VIEWERS]
        await asyncio.gather(*acts, *looks)
    loaded = await other.sessions.current(match_id)
    records = on_record(instance, match_id)
    assert loaded.length == len(records)
    await lines_are_right(other, match_id)
    for viewer in VIEWERS:
        _, view = await other.sessions.view(match_id, viewer, None)
        assert view == seen(records, match_id, "dollar-prize", viewer)


async def test_a_record_read_before_its_commit_returned_counts_once(
    instance: Instance, other: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await started(instance)
    await known_to(other, match_id)
    committed, returned = ThreadEvent(), ThreadEvent()
    append = other.store.append

    def slow(rows: Sequence[Row], *more: Sequence[Length] | Sequence[Row]) -> None:
        append(rows, *more)  # type: ignore[arg-type]
        committed.set()
        assert returned.wait(PATIENCE)

    monkeypatch.setattr(other.store, "append", slow)
    acting = asyncio.create_task(other.matches.execute(match_id, sends(0, HEADS), 0))
    assert await asyncio.to_thread(committed.wait, PATIENCE)
    seq, _ = await other.sessions.view(match_id, 0, None)
    returned.set()
    answer = await acting
    assert (answer.view_seq, answer.view) == await other.sessions.view(match_id, 0, None)
    assert answer.view_seq == seq
    loaded = await other.sessions.current(match_id)
    assert loaded.length == len(on_record(instance, match_id))
    await lines_are_right(other, match_id)


async def test_simultaneous_catch_ups_share_a_read(
    instance: Instance, other: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await started(instance)
    await known_to(other, match_id)
    looks = 0
    rows = other.store.rows

    def counted(match: UUID, after: int = 0, upto: int | None = None) -> StoredRows:
        nonlocal looks
        looks += 1
        return rows(match, after, upto)

    monkeypatch.setattr(other.store, "rows", counted)
    await asyncio.gather(*(other.sessions.projection(match_id, "public") for _ in range(500)))
    assert 1 <= looks <= 2


async def test_after_a_catch_up_with_very_many_records_all_lines_are_right(
    instance: Instance, other: Instance
) -> None:
    match_id = await started(instance)
    await known_to(other, match_id)
    await asyncio.gather(
        *(
            instance.matches.execute(match_id, sends(0, NOT_NOW), 0)
            for _ in range(RECENT_LINES + 10)
        )
    )
    loaded = await other.sessions.current(match_id)
    assert loaded.length == len(on_record(instance, match_id)) > 2 * RECENT_LINES
    in_memory = [each.seq - lines_start(each) for each in loaded.projections]
    assert all(lines <= 2 * RECENT_LINES for lines in in_memory)
    assert max(in_memory) == RECENT_LINES
    await lines_are_right(other, match_id)


async def test_a_new_seed_is_read_from_the_store(
    instance: Instance, other: Instance, clock: VirtualClock
) -> None:
    """A match in which another instance has started an epoch is read again, with its secrets."""
    match_id = await started(instance)
    await known_to(other, match_id)
    records = on_record(instance, match_id)
    begin_epoch(instance, match_id)
    loaded = await other.sessions.current(match_id)
    assert loaded.length == len(records) + 2
    assert loaded.match is not None and loaded.match.epoch is not None
    assert loaded.match.epoch.committed.epoch == 1


async def test_creation_under_a_used_id_finds_the_existing_match(
    instance: Instance, other: Instance
) -> None:
    match_id = await created(instance)
    first = on_record(instance, match_id)[0].event
    assert isinstance(first, MatchCreated)
    create = CreateMatch(first, ("Ann", "Ben"), other.secret_store.read(match_id))
    with pytest.raises(AlreadyExists):
        await other.matches.execute(match_id, create, "public")
