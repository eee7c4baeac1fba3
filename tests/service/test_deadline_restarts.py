"""Deadlines pass once, at their own instants, though the service was down or its store failed."""

import asyncio
from pathlib import Path

import pytest
from eventsourcing.persistence import OperationalError

from service.arbiter import Arbiter
from service.clock import VirtualClock
from service.door.scheduler import RETRY
from tests.clock import SECOND
from tests.service.deadlines import DUE, TAILS, TURN, has_passed, instance, passed, rest, timed
from tests.service.instance import PATIENCE, on_record, seen, sends, settings, watched


async def test_what_fell_due_while_the_service_was_down_passes_at_its_instant(
    database: Path, clock: VirtualClock
) -> None:
    async with instance(database, clock) as before:
        match_id = await timed(before)
    clock.move_to(DUE + 30 * SECOND)
    async with instance(database, clock) as after:
        await has_passed(after, match_id, 1)
        assert [r.at for r in passed(after, match_id)] == [DUE]


async def test_a_chain_of_deadlines_that_fell_due_meanwhile_passes_link_by_link(
    database: Path, clock: VirtualClock
) -> None:
    """Each deadline counts from the one before, as if nothing had been amiss."""
    async with instance(database, clock) as before:
        match_id = await timed(before, "twelve-chips")
    clock.move_to(DUE + 10 * TURN * SECOND)
    async with instance(database, clock) as after:
        await has_passed(after, match_id, 11)
        await rest(after, match_id)
        assert [r.at for r in passed(after, match_id)] == [
            DUE + n * TURN * SECOND for n in range(11)
        ]
        _, view = await after.open_matches.view(match_id, "public", None)
        assert view == seen(on_record(after, match_id), match_id, "twelve-chips", "public")


async def test_downtime_and_no_downtime_give_the_same_record(
    arbiter: Arbiter, clock: VirtualClock, tmp_path: Path
) -> None:
    """But for what chance dealt: the same deadlines, at the same instants, in the same order."""
    awake = await timed(arbiter)
    async with instance(tmp_path / "other.db", clock) as before:
        asleep = await timed(before)
    for n in range(5):
        clock.move_to(DUE + n * TURN * SECOND)
        await has_passed(arbiter, awake, n + 1)
    async with instance(tmp_path / "other.db", clock) as after:
        await has_passed(after, asleep, 5)
        assert passed(after, asleep) == passed(arbiter, awake)


async def test_an_action_after_a_restart_comes_behind_what_fell_due(
    database: Path, clock: VirtualClock
) -> None:
    async with instance(database, clock) as before:
        match_id = await timed(before)
    clock.move_to(DUE + SECOND)
    after = Arbiter(settings(database), clock)
    async with after.running():
        answer = await after.matches.enter(match_id, sends(0, TAILS), 0)
    assert answer.verdict.code == "wrong_phase"


async def test_a_deadline_ahead_is_still_armed_after_a_restart(
    database: Path, clock: VirtualClock
) -> None:
    async with instance(database, clock) as before:
        match_id = await timed(before)
    clock.move_to(DUE - SECOND)
    async with instance(database, clock) as after:
        await rest(after, match_id)
        assert passed(after, match_id) == []
        clock.move_to(DUE)
        await has_passed(after, match_id, 1)


@pytest.mark.parametrize("errors", [1, 3])
async def test_a_deadline_that_the_store_could_not_take_is_reported_again(
    arbiter: Arbiter, clock: VirtualClock, errors: int
) -> None:
    match_id = await timed(arbiter)
    watched(arbiter).before.extend(OperationalError("disk full") for _ in range(errors))
    clock.move_to(DUE)
    for _ in range(errors):
        async with asyncio.timeout(PATIENCE):
            await clock.somebody_waits_for(clock.now() + RETRY)
        assert passed(arbiter, match_id) == []
        clock.pass_time(RETRY)
    await has_passed(arbiter, match_id, 1)
    assert [r.at for r in passed(arbiter, match_id)] == [DUE]


async def test_a_deadline_passes_once_though_two_instances_report_it(
    arbiter: Arbiter, database: Path, clock: VirtualClock
) -> None:
    matches = [await timed(arbiter) for _ in range(10)]
    async with instance(database, clock) as rival:
        clock.move_to(DUE)
        await asyncio.gather(
            *(
                reporting.matches.pass_deadline(match_id)
                for match_id in matches
                for reporting in (arbiter, rival)
            )
        )
        assert [len(passed(rival, match_id)) for match_id in matches] == [1] * 10
