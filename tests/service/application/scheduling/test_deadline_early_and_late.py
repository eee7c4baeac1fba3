"""Around a deadline every action is judged by the time it was received."""

import asyncio

import pytest

from domain.games.dollar_prize.events import SideChosen
from domain.match.commands import Conflict
from domain.match.events import ActionReceived, ActionRefused, DeadlinePassed, PhaseClosed
from service.instance import Instance
from tests.support.instance.service_instance import NOT_NOW, on_record, sends, watched
from tests.support.instance.virtual_deadlines import DUE, HEADS, TAILS, has_passed, passed, timed
from tests.support.instants import SECOND
from tests.support.tables.directing import close_phase
from tests.support.virtual_clock import VirtualClock


async def test_received_a_microsecond_before_the_deadline_is_in_time(
    instance: Instance, clock: VirtualClock
) -> None:
    match_id = await timed(instance)
    clock.move_to(DUE - 1)
    answer = await instance.matches.execute(match_id, sends(0, TAILS), 0)
    assert answer.result.code is None and answer.result.at == DUE - 1
    assert passed(instance, match_id) == []


@pytest.mark.parametrize("late", [0, 1, 3 * SECOND])
async def test_received_at_the_deadline_or_later_is_late(
    instance: Instance, clock: VirtualClock, late: int
) -> None:
    """The deadline passes first although it has not been reported yet."""
    match_id = await timed(instance)
    clock.move_to(DUE + late)
    answer = await instance.matches.execute(match_id, sends(0, TAILS), 0)

    assert answer.result.code == "wrong_phase"
    kinds = [type(r.event) for r in on_record(instance, match_id)]
    assert kinds.index(DeadlinePassed) < kinds.index(ActionReceived)
    assert SideChosen(0, "heads") in [r.event for r in on_record(instance, match_id)]


async def test_an_input_in_time_counts_though_the_store_is_slow(
    instance: Instance, clock: VirtualClock
) -> None:
    """The action is received before the deadline and committed long after it."""
    match_id = await timed(instance)
    store = watched(instance)
    store.block()
    clock.move_to(DUE - 1)
    first = asyncio.create_task(instance.matches.execute(match_id, sends(1, NOT_NOW), 1))
    await store.blocked()
    in_time = asyncio.create_task(instance.matches.execute(match_id, sends(0, TAILS), 0))
    await asyncio.sleep(0)
    clock.move_to(DUE + 5 * SECOND)
    late = asyncio.create_task(instance.matches.execute(match_id, sends(0, HEADS), 0))
    await asyncio.sleep(0)
    store.open.set()

    answers = await asyncio.gather(first, in_time, late)

    assert [a.result.code for a in answers] == ["wrong_phase", None, "wrong_phase"]
    assert passed(instance, match_id) == []


async def test_a_thousand_around_a_deadline_are_each_judged_by_their_time_of_receipt(
    instance: Instance, clock: VirtualClock
) -> None:
    match_id = await timed(instance)
    tasks = []
    for n in range(-500, 500):
        clock.move_to(DUE + 10 * n)
        command = sends(1, NOT_NOW, f"{n}")
        tasks.append(asyncio.create_task(instance.matches.execute(match_id, command, 1)))
        await asyncio.sleep(0)
    await asyncio.gather(*tasks)

    records = on_record(instance, match_id)
    (deadline,) = passed(instance, match_id)
    split = records.index(deadline)
    early = {r.event.key for r in records[:split] if isinstance(r.event, ActionReceived)}
    late = {r.event.key for r in records[split:] if isinstance(r.event, ActionReceived)}
    assert early == {f"{n}" for n in range(-500, 0)}
    assert late == {f"{n}" for n in range(500)}
    codes = [r.event.code for r in records[split:] if isinstance(r.event, ActionRefused)]
    assert codes == ["not_your_turn"] * 500


async def test_a_close_that_comes_at_the_deadline_does_not_end_the_next_phase(
    instance: Instance, clock: VirtualClock
) -> None:
    """The deadline has passed by then, which is what the moderator wanted."""
    match_id = await timed(instance)
    clock.move_to(DUE)
    with pytest.raises(Conflict) as conflict:
        await instance.matches.execute(match_id, close_phase("setup/side"), "moderator")
    assert conflict.value.code == "nothing_to_close"
    await has_passed(instance, match_id, 1)
    assert not any(isinstance(r.event, PhaseClosed) for r in on_record(instance, match_id))


async def test_of_two_closes_of_a_phase_one_counts(instance: Instance) -> None:
    match_id = await timed(instance)
    closes = [
        instance.matches.execute(match_id, close_phase("setup/side"), "moderator") for _ in range(2)
    ]
    answers = await asyncio.gather(*closes, return_exceptions=True)
    assert sum(isinstance(answer, Conflict) for answer in answers) == 1
    assert sum(isinstance(r.event, PhaseClosed) for r in on_record(instance, match_id)) == 1
