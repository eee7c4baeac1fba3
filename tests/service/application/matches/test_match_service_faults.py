"""What a match loses by a fault, a race or an eviction: nothing that was acknowledged."""

import asyncio
import dataclasses
from collections.abc import AsyncIterator
from pathlib import Path
from threading import Event as ThreadEvent
from typing import Any
from uuid import UUID

import pytest
import pytest_asyncio
from eventsourcing.persistence import IntegrityError, OperationalError
from msgspec.structs import replace

from domain.events import Event, Record
from domain.games.dollar_prize.actions import ChooseSide
from domain.games.dollar_prize.events import SideChosen
from domain.match.commands import Act
from projections.audience.board import Boards
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, may_see
from projections.boards import BOARDS
from service.application.matches.command_queue import MOST_TRIES, CommandResponse
from service.application.matches.match_sessions import UnknownPosition
from service.event_store.errors import StoreUnavailable
from service.instance import Instance
from service.setting_types import Memory
from service.settings import Limits
from tests.support.instance.service_instance import (
    NOT_NOW,
    PATIENCE,
    created,
    lines_of,
    on_record,
    seen,
    sends,
    settings,
    someone_acts,
    started,
    watched,
    without_projections,
)
from tests.support.tables.directing import START
from tests.support.virtual_clock import VirtualClock


def with_fault(boards: Boards[Any], at: type, of: Viewer) -> Boards[Any]:
    """The same boards, with a bug in one audience's board at events of one type."""

    def evolve(board: Any, event: Event, viewer: Viewer, when: int) -> Any:
        if isinstance(event, at) and viewer == of:
            raise ZeroDivisionError
        return boards.evolve(board, event, viewer, when)

    return dataclasses.replace(boards, evolve=evolve)


def break_board(faulty: pytest.MonkeyPatch, of: Viewer) -> None:
    """From now on the board of `of` fails when a side is chosen."""
    boards = with_fault(BOARDS["dollar-prize"], SideChosen, of)
    faulty.setitem(BOARDS, "dollar-prize", boards)


FEW = 8
HEADS, TAILS = ChooseSide("heads"), ChooseSide("tails")


async def enter(instance: Instance, match_id: UUID, act: Act) -> CommandResponse:
    async with asyncio.timeout(PATIENCE):
        return await instance.matches.execute(match_id, act, act.seat)


async def test_a_fault_in_a_board_costs_the_answer_of_its_match_alone(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All three are in one transaction, which is on disk when the board fails."""
    matches = [await started(instance) for _ in range(3)]
    watched(instance).appended.clear()
    with monkeypatch.context() as faulty:
        break_board(faulty, 0)
        sent = [NOT_NOW, HEADS, NOT_NOW]
        results = await asyncio.gather(
            *(enter(instance, m, sends(0, a)) for m, a in zip(matches, sent, strict=True)),
            return_exceptions=True,
        )

    assert len(watched(instance).appended) == 1
    assert [type(answer) for answer in results] == [
        CommandResponse,
        ZeroDivisionError,
        CommandResponse,
    ]
    assert not instance.broken.is_set()
    for match_id in matches:
        answer = await enter(instance, match_id, sends(0, NOT_NOW))
        records = on_record(instance, match_id)
        assert answer.view == seen(records, match_id, "dollar-prize", 0)


@pytest.mark.parametrize("blocked", [False, True], ids=["one batch", "behind another"])
async def test_a_batch_longer_than_the_memory_limit_is_answered_without_reading_the_store(
    instance: Instance, monkeypatch: pytest.MonkeyPatch, blocked: bool
) -> None:
    """A committed action is acknowledged although the store cannot be read just then."""
    monkeypatch.setattr("projections.audience.own_lines.RECENT_LINES", FEW)
    match_id = await started(instance)
    store, reads = watched(instance), 0

    def unreadable(*where: Any) -> list[Record[Event]]:
        nonlocal reads
        reads += 1
        raise OperationalError("disk I/O error")

    with monkeypatch.context() as broken:
        broken.setattr(store, "rows", unreadable)
        if blocked:
            store.block()
        first = asyncio.create_task(enter(instance, match_id, sends(0, NOT_NOW)))
        if blocked:
            await store.blocked()
        rest = [
            asyncio.create_task(enter(instance, match_id, sends(0, NOT_NOW)))
            for _ in range(4 * FEW)
        ]
        await asyncio.sleep(0)
        store.open.set()
        answers = await asyncio.gather(first, *rest)

    assert reads == 0
    records = on_record(instance, match_id)
    for answer in answers:
        assert answer.view == seen(records[: answer.result.end], match_id, "dollar-prize", 0)


# A fault while a projection advances leaves it unchanged, and is never answered with a wrong view.


@pytest_asyncio.fixture
async def match_id(instance: Instance, rival: Instance) -> UUID:
    """A running match that both instances have in memory."""
    match_id = await started(instance)
    for viewer in (0, 1):
        await rival.sessions.projection(match_id, viewer)
    return match_id


async def test_a_command_that_loses_every_race_gets_try_again(instance: Instance) -> None:
    match_id, other = await started(instance), await started(instance)
    before = on_record(instance, match_id)
    store = watched(instance)
    store.before.extend(IntegrityError("always another") for _ in range(MOST_TRIES + 1))

    with pytest.raises(StoreUnavailable):
        await instance.matches.execute(match_id, sends(0, HEADS), 0)

    assert not store.before
    assert on_record(instance, match_id) == before
    for there in (match_id, other):
        assert (await instance.matches.execute(there, sends(0, HEADS), 0)).result.code is None


VIEWERS: tuple[Viewer, ...] = (0, 1, PUBLIC_VIEWER, MODERATOR)


@pytest_asyncio.fixture
async def forgetful(
    database: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Instance]:
    """An instance that caches one match and few of its lines."""
    monkeypatch.setattr("projections.audience.own_lines.RECENT_LINES", FEW)
    running = Instance(replace(settings(database), limits=Limits(match_memory=Memory(1))), clock)
    async with running.running():
        yield running


async def check(instance: Instance, match_id: UUID, game: str) -> None:
    """Every audience's lines, and its views at every number, are those of the whole record."""
    records = on_record(instance, match_id)
    for viewer in VIEWERS:
        visible = [n for n, record in enumerate(records) if may_see(viewer, record.event)]
        lines, more = await instance.sessions.lines(match_id, viewer, 0, len(visible))
        assert lines == lines_of([records[n] for n in visible]) and not more
        for seq in range(len(visible) + 1):
            upto = visible[seq - 1] + 1 if seq else 0
            view = await instance.sessions.view(match_id, viewer, seq)
            assert view == (seq, seen(records[:upto], match_id, game, viewer))
        with pytest.raises(UnknownPosition):
            await instance.sessions.view(match_id, viewer, len(visible) + 1)


async def test_matches_that_push_each_other_out_stay_right(forgetful: Instance) -> None:
    matches = [await started(forgetful, "twelve-chips") for _ in range(4)]
    for _ in range(2 * FEW):
        await asyncio.gather(*(someone_acts(forgetful, match_id) for match_id in matches))
        assert len(forgetful.sessions) <= len(matches)
    await forgetful.sessions.projection(matches[0], PUBLIC_VIEWER)
    assert len(forgetful.sessions) == 1
    for match_id in matches:
        await check(forgetful, match_id, "twelve-chips")


async def test_events_during_an_audiences_first_read_are_read_again(
    forgetful: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record outgrows the memory limit while an audience's projection is still being built."""
    match_id = await created(forgetful)
    await forgetful.matches.execute(match_id, START, PUBLIC_VIEWER)
    for _ in range(2 * FEW):
        await forgetful.matches.execute(match_id, sends(0, NOT_NOW), 0)
    reached, go_on, read = ThreadEvent(), ThreadEvent(), forgetful.store.states_at

    def delayed(*where: Any) -> list[bytes]:
        records = read(*where)
        reached.set()
        assert go_on.wait(PATIENCE)
        return records

    await without_projections(forgetful, match_id, [MODERATOR])
    monkeypatch.setattr(forgetful.store, "states_at", delayed)
    looking = asyncio.create_task(forgetful.sessions.view(match_id, MODERATOR, None))
    assert await asyncio.to_thread(reached.wait, PATIENCE)
    for _ in range(2 * FEW):
        await forgetful.matches.execute(match_id, sends(0, NOT_NOW), 0)
    go_on.set()

    _, view = await looking
    assert view == seen(on_record(forgetful, match_id), match_id, "dollar-prize", MODERATOR)
