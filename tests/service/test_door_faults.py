"""What goes wrong when an answer is made after the commit concerns that answer alone."""

import asyncio
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from eventsourcing.persistence import OperationalError

from domain.commands import Act
from domain.events import Event, Record
from domain.games.dollar_prize.actions import ChooseSide
from domain.games.dollar_prize.events import SideChosen
from projections.board import Boards
from projections.boards import BOARDS
from projections.disclosure import PUBLIC_VIEWER, Viewer
from service.arbiter import Arbiter
from service.door.pending import Answer
from tests.service.instance import (
    NOT_NOW,
    PATIENCE,
    on_record,
    seen,
    sends,
    started,
    watched,
)

FEW = 8
HEADS = ChooseSide("heads")


def with_fault(boards: Boards[Any], at: type, of: Viewer) -> Boards[Any]:
    """The same boards, but with a bug that one audience's runs into at events of one type."""

    def evolve(board: Any, event: Event, viewer: Viewer, when: int) -> Any:
        if isinstance(event, at) and viewer == of:
            raise ZeroDivisionError
        return boards.evolve(board, event, viewer, when)

    return replace(boards, evolve=evolve)


def break_board(faulty: pytest.MonkeyPatch, of: Viewer) -> None:
    """From now on the board of `of` fails when a side is chosen."""
    boards = with_fault(BOARDS["dollar-prize"], SideChosen, of)
    faulty.setitem(BOARDS, "dollar-prize", boards)


async def enter(arbiter: Arbiter, match_id: UUID, act: Act) -> Answer:
    async with asyncio.timeout(PATIENCE):
        return await arbiter.matches.enter(match_id, act, act.seat)


async def test_a_fault_in_a_board_costs_the_answer_of_its_match_alone(
    arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All three are in one transaction, which is on disk when the board fails."""
    matches = [await started(arbiter) for _ in range(3)]
    watched(arbiter).appended.clear()
    with monkeypatch.context() as faulty:
        break_board(faulty, 0)
        sent = [NOT_NOW, HEADS, NOT_NOW]
        told = await asyncio.gather(
            *(enter(arbiter, m, sends(0, a)) for m, a in zip(matches, sent, strict=True)),
            return_exceptions=True,
        )

    assert len(watched(arbiter).appended) == 1
    assert [type(answer) for answer in told] == [Answer, ZeroDivisionError, Answer]
    assert not arbiter.broken.is_set()
    for match_id in matches:
        answer = await enter(arbiter, match_id, sends(0, NOT_NOW))
        records = on_record(arbiter, match_id)
        assert answer.view == seen(records, match_id, "dollar-prize", 0)


async def test_a_fault_in_the_board_of_an_audience_costs_others_nothing(
    arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every audience's board is brought forward before old records leave the memory."""
    monkeypatch.setattr("service.door.open_match.KEPT", FEW)
    match_id, other = await started(arbiter), await started(arbiter)
    await arbiter.open_matches.read(match_id, PUBLIC_VIEWER)
    with monkeypatch.context() as faulty:
        break_board(faulty, PUBLIC_VIEWER)
        acts = [HEADS] + [NOT_NOW] * 2 * FEW
        told = await asyncio.gather(
            *(enter(arbiter, match_id, sends(n % 2, act)) for n, act in enumerate(acts)),
            enter(arbiter, other, sends(0, NOT_NOW)),
        )
        told.append(await enter(arbiter, match_id, sends(1, NOT_NOW)))

    assert told[0].verdict.code is None and len(told) == len(acts) + 2
    assert not arbiter.broken.is_set()
    _, view = await arbiter.open_matches.view(match_id, PUBLIC_VIEWER, None)
    assert view == seen(on_record(arbiter, match_id), match_id, "dollar-prize", PUBLIC_VIEWER)


@pytest.mark.parametrize("held", [False, True], ids=["one batch", "behind another"])
async def test_a_batch_longer_than_what_is_kept_is_answered_without_reading_the_store(
    arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch, held: bool
) -> None:
    """What is on disk is acknowledged, though the store cannot be read just then."""
    monkeypatch.setattr("service.door.open_match.KEPT", FEW)
    match_id = await started(arbiter)
    store, reads = watched(arbiter), 0

    def unreadable(*where: Any) -> list[Record[Event]]:
        nonlocal reads
        reads += 1
        raise OperationalError("disk I/O error")

    with monkeypatch.context() as broken:
        broken.setattr(store, "read", unreadable)
        if held:
            store.hold()
        first = asyncio.create_task(enter(arbiter, match_id, sends(0, NOT_NOW)))
        if held:
            await store.held()
        rest = [
            asyncio.create_task(enter(arbiter, match_id, sends(0, NOT_NOW))) for _ in range(4 * FEW)
        ]
        await asyncio.sleep(0)
        store.open.set()
        answers = await asyncio.gather(first, *rest)

    assert reads == 0
    records = on_record(arbiter, match_id)
    for answer in answers:
        assert answer.view == seen(records[: answer.verdict.end], match_id, "dollar-prize", 0)
