"""A fault while a response is built after the commit affects only that response."""

import asyncio
from typing import Any
from uuid import UUID

import pytest
from eventsourcing.persistence import OperationalError

from domain.events import Event, Record
from domain.games.dollar_prize.actions import ChooseSide
from domain.match.commands import Act
from service.application.matches.command_queue import CommandResponse
from service.instance import Instance
from tests.support.instance.broken_board import break_board
from tests.support.instance.service_instance import (
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
