"""Deadlines pass once, at their own instants, even after a downtime within the grace or a failure
of the store."""

import asyncio

import pytest
from eventsourcing.persistence import OperationalError

from service.application.scheduling.scheduler import RETRY
from service.instance import Instance
from tests.support.instance.service_instance import (
    PATIENCE,
    watched,
)
from tests.support.instance.virtual_deadlines import (
    DUE,
    has_passed,
    passed,
    timed,
)
from tests.support.virtual_clock import VirtualClock


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
