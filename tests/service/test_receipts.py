"""Receipts: when a submission was recorded, and the same receipt whenever it is asked for."""

import asyncio
from uuid import UUID

import pytest

from domain.commands import Act
from domain.games.dollar_prize.actions import ChooseSide
from domain.match_events import ActionReceived
from domain.notes import read
from domain.receipts import Receipt, parsed
from service.arbiter import Arbiter
from service.clock import VirtualClock
from service.door.judging import Draft, DrawnBefore
from service.door.pending import Pending, Verdict
from service.proof.receipts import Receipted
from tests.service.instance import NOT_NOW, on_record, sends, someone_acts, started, watched

HEADS = ChooseSide("heads")
SECOND = 1_000_000


def said(receipted: Receipted) -> Receipt:
    return parsed(read(receipted.note).text)


async def acted(arbiter: Arbiter, match_id: UUID, command: Act) -> Receipted:
    answer = await arbiter.matches.enter(match_id, command, command.seat)
    return await arbiter.receipts.given(match_id, answer, command.seat, command.key, sealed=False)


async def delayed(
    arbiter: Arbiter, clock: VirtualClock, match_id: UUID, microseconds: int
) -> Receipted:
    """The receipt for an action that waited for so long while something else was committed."""
    store = watched(arbiter)
    store.hold()
    first = asyncio.create_task(acted(arbiter, match_id, sends(1, NOT_NOW)))
    await store.held()
    second = asyncio.create_task(acted(arbiter, match_id, sends(0, HEADS)))
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
    arbiter: Arbiter, clock: VirtualClock, waited: int, late: int
) -> None:
    match_id = await started(arbiter)
    told = said(await delayed(arbiter, clock, match_id, waited))
    (event,) = [
        record
        for record in on_record(arbiter, match_id)
        if isinstance(record.event, ActionReceived) and record.event.seat == 0
    ]
    assert isinstance(event.event, ActionReceived)
    recorded = event.event.recorded if isinstance(event.event.recorded, int) else event.at
    assert recorded - event.at == late * SECOND
    assert (told.recorded != told.received) == bool(late)
    listed, _ = await arbiter.receipts.listed(match_id, 0, 0, 10, sealed=False)
    assert said(listed[0]) == told


async def test_a_repeat_after_a_restart_has_the_first_receipt(arbiter: Arbiter) -> None:
    match_id = await started(arbiter)
    first = await acted(arbiter, match_id, sends(0, HEADS, "once"))
    assert await someone_acts(arbiter, match_id)
    arbiter.open_matches.place(match_id).forget()
    again = await acted(arbiter, match_id, sends(0, HEADS, "once"))
    assert again == first


async def test_a_draw_under_an_id_that_was_used_is_refused(arbiter: Arbiter) -> None:
    """It would come out as before: a game that asks so has a bug, and nothing is recorded."""
    match_id = await started(arbiter)
    before = len(on_record(arbiter, match_id))
    arbiter.open_matches.place(match_id).drawn.add("e0/setup")
    with pytest.raises(DrawnBefore):
        await arbiter.matches.enter(match_id, sends(0, HEADS), 0)
    assert len(on_record(arbiter, match_id)) == before


async def test_the_ids_of_draws_are_known_when_they_are_settled_and_after_a_restart(
    arbiter: Arbiter,
) -> None:
    match_id = await started(arbiter)
    await arbiter.matches.enter(match_id, sends(0, HEADS), 0)
    opened = arbiter.open_matches.place(match_id)
    assert opened.drawn == {"e0/setup"}
    opened.forget()
    assert (await arbiter.open_matches.opened(match_id)).drawn == {"e0/setup"}


async def test_a_fault_leaves_no_id_of_a_draw_behind(
    arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A draw was settled on the draft, and what follows failed: the next command may ask for it."""
    match_id = await started(arbiter)
    opened, _ = await arbiter.open_matches.read(match_id, 0)
    now = arbiter.clock.now()
    draft = Draft(opened, 1, now)
    with monkeypatch.context() as faulty:
        faulty.setattr("service.door.judging.commit_to", lambda *_, **__: 1 / 0)
        draft.take(Pending(sends(0, HEADS), now, 0, None))
    draft.take(Pending(sends(0, HEADS), now, 0, None))
    failed, judged = (pending.verdict for pending in draft.judged)
    assert isinstance(failed, ZeroDivisionError)
    assert isinstance(judged, Verdict) and judged.code is None
