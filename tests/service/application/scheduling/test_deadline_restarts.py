"""Deadlines pass once, at their own instants, even after a downtime within the grace or a failure
of the store."""

import asyncio
from pathlib import Path

import pytest
from eventsourcing.persistence import OperationalError

from service.application.scheduling.scheduler import RETRY
from service.instance import Instance
from tests.support.instance.service_instance import (
    PATIENCE,
    on_record,
    seen,
    watched,
)
from tests.support.instance.virtual_deadlines import (
    DUE,
    TURN,
    has_passed,
    passed,
    rest,
    running_instance,
    timed,
)
from tests.support.instants import SECOND
from tests.support.virtual_clock import VirtualClock


async def test_a_deadline_during_downtime_passes_at_its_instant(
    database: Path, clock: VirtualClock
) -> None:
    async with running_instance(database, clock) as before:
        match_id = await timed(before)
    clock.move_to(DUE + 30 * SECOND)
    async with running_instance(database, clock) as after:
        await has_passed(after, match_id, 1)
        assert [r.at for r in passed(after, match_id)] == [DUE]


async def test_a_chain_of_deadlines_during_downtime_passes_link_by_link(
    database: Path, clock: VirtualClock
) -> None:
    """Each deadline counts from the one before, as without downtime."""
    async with running_instance(database, clock) as before:
        match_id = await timed(before, "twelve-chips")
    clock.move_to(DUE + 10 * TURN * SECOND)
    async with running_instance(database, clock) as after:
        await has_passed(after, match_id, 11)
        await rest(after, match_id)
        assert [r.at for r in passed(after, match_id)] == [
            DUE + n * TURN * SECOND for n in range(11)
        ]
        _, view = await after.sessions.view(match_id, "public", None)
        assert view == seen(on_record(after, match_id), match_id, "twelve-chips", "public")


async def test_a_deadline_ahead_is_still_armed_after_a_restart(
    database: Path, clock: VirtualClock
) -> None:
    async with running_instance(database, clock) as before:
        match_id = await timed(before)
    clock.move_to(DUE - SECOND)
    async with running_instance(database, clock) as after:
        await rest(after, match_id)
        assert passed(after, match_id) == []
        clock.move_to(DUE)
        await has_passed(after, match_id, 1)


@pytest.mark.parametrize("errors", [1, 3])
async def test_a_deadline_that_the_store_could_not_record_is_reported_again(
    instance: Instance, clock: VirtualClock, errors: int
) -> None:
    match_id = await timed(instance)
    watched(instance).before.extend(OperationalError("disk full") for _ in range(errors))
    clock.move_to(DUE)
    for _ in range(errors):
        async with asyncio.timeout(PATIENCE):
            await clock.somebody_waits_for(clock.now() + RETRY)
        assert passed(instance, match_id) == []
        clock.pass_time(RETRY)
    await has_passed(instance, match_id, 1)
    assert [r.at for r in passed(instance, match_id)] == [DUE]


async def test_a_deadline_passes_once_though_two_instances_report_it(
    instance: Instance, database: Path, clock: VirtualClock
) -> None:
    matches = [await timed(instance) for _ in range(10)]
    async with running_instance(database, clock) as rival:
        clock.move_to(DUE)
        await asyncio.gather(
            *(
                reporting.matches.pass_deadline(match_id)
                for match_id in matches
                for reporting in (instance, rival)
            )
        )
        assert [len(passed(rival, match_id)) for match_id in matches] == [1] * 10
