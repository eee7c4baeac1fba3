"""Two instances that both believe they lead: a deadline passes once, whichever reports it."""

from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import pytest
import pytest_asyncio
from msgspec.structs import replace

from domain.match.events import DeadlinePassed
from service.instance import Instance
from tests.support.effort import times
from tests.support.instance.match_growth import grown_until
from tests.support.instance.service_instance import on_record, settings, started
from tests.support.instants import NOON, SECOND
from tests.support.virtual_clock import VirtualClock

DEADLINES = times("deadlines of two leaders")
TURN = 60
MATCHES = 10


@pytest_asyncio.fixture
async def leaders(database: Path, clock: VirtualClock) -> AsyncIterator[tuple[Instance, Instance]]:
    chosen = replace(settings(database), shared=True)
    one, two = Instance(chosen, clock), Instance(chosen, clock)
    async with one.running(), two.running():
        yield one, two


async def passed(instance: Instance, match_id: UUID, times: int) -> None:
    """Returns when `times` deadlines of the match have passed and all readers are notified."""

    def passed_on_disk() -> int:
        records = on_record(instance, match_id)
        return sum(isinstance(record.event, DeadlinePassed) for record in records)

    await grown_until(instance, match_id, lambda: passed_on_disk() >= times)
    assert passed_on_disk() == times


def reports(leader: Instance, patch: pytest.MonkeyPatch) -> list[UUID]:
    """A list of the deadlines that this leader reports from now on."""
    reported: list[UUID] = []
    report = leader.scheduler.report

    async def recorded(match_id: UUID) -> None:
        reported.append(match_id)
        await report(match_id)

    patch.setattr(leader.scheduler, "report", recorded)
    return reported


async def test_a_deadline_passes_once_with_two_leaders(
    leaders: tuple[Instance, Instance], clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    matches = [
        await started(leaders[0], options={"turn_seconds": TURN}, clock="rules")
        for _ in range(MATCHES)
    ]
    assert all(leader.leader.leads for leader in leaders)
    reported = [reports(leader, monkeypatch) for leader in leaders]
    turns = [NOON + turn * TURN * SECOND for turn in range(1, DEADLINES // MATCHES + 1)]
    for turn, due in enumerate(turns, 1):
        clock.move_to(due - 1)
        for leader in leaders:
            # A leader finds the other's deadlines in the log later; here both are given them.
            leader.scheduler.arm_all((match_id, due) for match_id in matches)
        clock.move_to(due)
        for match_id in matches:
            await passed(leaders[0], match_id, turn)
    for match_id in matches:
        records = on_record(leaders[0], match_id)
        assert turns == [r.at for r in records if isinstance(r.event, DeadlinePassed)]
    assert min(map(len, reported)) >= DEADLINES, "one of them did not report"
