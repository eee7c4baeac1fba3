"""Receipts: the time of the record, and the same receipt for the same submission at any time."""

import asyncio
from pathlib import Path
from uuid import UUID

import pytest

from domain.games.dollar_prize.actions import ChooseSide
from domain.match.commands import Act
from domain.match.events import ActionReceived
from domain.proof.notes import read
from domain.proof.receipts import ReceiptText, parse
from service.application.matches.command_queue import CommandResult, QueuedCommand
from service.application.matches.decision import Decision, DrawRepeated
from service.event_store.integrity.digests import RecordAltered
from service.event_store.sqlite.disk_room import MIB
from service.instance import Instance
from service.signing.receipts import Receipted
from tests.support.instance.damage import a_microsecond_later, rows_of
from tests.support.instance.service_instance import (
    NOT_NOW,
    on_record,
    receipts_of,
    sends,
    started,
    watched,
)
from tests.support.virtual_clock import VirtualClock

HEADS = ChooseSide("heads")
SECOND = 1_000_000


def receipt_text_of(receipted: Receipted) -> ReceiptText:
    return parse(read(receipted.note).text)


async def acted(instance: Instance, match_id: UUID, command: Act) -> Receipted:
    answer = await instance.matches.execute(match_id, command, command.seat)
    return instance.receipts.give(match_id, answer.acknowledged, sealed=False)


async def delayed(
    instance: Instance, clock: VirtualClock, match_id: UUID, microseconds: int
) -> Receipted:
    """The receipt for an action that waited this long for another commit."""
    store = watched(instance)
    store.block()
    first = asyncio.create_task(acted(instance, match_id, sends(1, NOT_NOW)))
    await store.blocked()
    second = asyncio.create_task(acted(instance, match_id, sends(0, HEADS)))
    await asyncio.sleep(0)
    clock.pass_time(microseconds)
    store.open.set()
    await first
    return await second


@pytest.mark.parametrize(
    ("waited", "late"),
    [(0, 0), (1, 0), (999_999, 0), (SECOND, 1), (1_999_999, 1), (7 * SECOND + 5, 7)],
)
async def test_recorded_is_later_than_received_by_whole_seconds(
    instance: Instance, clock: VirtualClock, waited: int, late: int
) -> None:
    match_id = await started(instance)
    receipt = receipt_text_of(await delayed(instance, clock, match_id, waited))
    (event,) = [
        record
        for record in on_record(instance, match_id)
        if isinstance(record.event, ActionReceived) and record.event.seat == 0
    ]
    assert isinstance(event.event, ActionReceived)
    recorded = event.event.recorded if isinstance(event.event.recorded, int) else event.at
    assert recorded - event.at == late * SECOND
    assert (receipt.recorded != receipt.received) == bool(late)
    listed = await receipts_of(instance, match_id, 0)
    assert receipt_text_of(listed[0]) == receipt


async def test_a_commitment_altered_in_the_store_gets_into_no_receipt(
    instance: Instance, database: Path
) -> None:
    """They name the one that was judged."""
    match_id = await started(instance)
    first = await acted(instance, match_id, sends(0, HEADS, "once"))
    with rows_of(database, match_id) as rows:
        rows.put(a_microsecond_later(rows.all()[1]))
    again = await acted(instance, match_id, sends(0, HEADS, "once"))
    second = await acted(instance, match_id, sends(0, HEADS))
    listed = await receipts_of(instance, match_id, 0)
    every = (first, again, second, *listed)
    named = {receipt_text_of(one).binding.seed_committed for one in every}
    beginning = (await instance.sessions.cached(match_id)).beginning
    assert beginning is not None
    assert named == {beginning.seed_committed} != {None}


async def test_an_action_altered_in_the_store_is_found_by_a_list(
    instance: Instance, database: Path
) -> None:
    match_id = await started(instance)
    await acted(instance, match_id, sends(0, HEADS))
    record = on_record(instance, match_id)
    at = next(n for n, one in enumerate(record) if isinstance(one.event, ActionReceived))
    with rows_of(database, match_id) as rows:
        rows.put(a_microsecond_later(rows.all()[at]))
    with pytest.raises(RecordAltered):
        await receipts_of(instance, match_id, 0)


async def test_a_draw_under_an_id_that_was_used_is_refused(instance: Instance) -> None:
    """The outcome would be the same: a game that asks for this has a bug, and nothing is
    recorded."""
    match_id = await started(instance)
    before = len(on_record(instance, match_id))
    (await instance.sessions.cached(match_id)).drawn.add("e0/setup")
    with pytest.raises(DrawRepeated):
        await instance.matches.execute(match_id, sends(0, HEADS), 0)
    assert len(on_record(instance, match_id)) == before


async def test_a_fault_leaves_no_id_of_a_draw_behind(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A decision settled a draw and then failed: the next command may settle it again."""
    match_id = await started(instance)
    await instance.sessions.projection(match_id, 0)
    now = instance.clock.now()
    decision = Decision(instance.sessions.session(match_id), 1, now, MIB)
    with monkeypatch.context() as faulty:
        faulty.setattr("service.application.matches.decision.turned_down", lambda *_, **__: 1 / 0)
        decision.add(QueuedCommand(sends(0, HEADS), now, 0, None))
    decision.add(QueuedCommand(sends(0, HEADS), now, 0, None))
    failed, judged = (queued.result for queued in decision.decided)
    assert isinstance(failed, ZeroDivisionError)
    assert isinstance(judged, CommandResult) and judged.code is None
