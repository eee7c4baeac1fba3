"""Two instances that both believe that they lead: a deadline passes once, whoever reports it.

`ARBITER_DEADLINES` says how many deadlines.
"""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import pytest
import pytest_asyncio
from msgspec.structs import replace

from domain.match_events import DeadlinePassed
from service.arbiter import Arbiter
from service.clock import VirtualClock
from tests.clock import NOON, SECOND
from tests.service.instance import PATIENCE, on_record, settings, started

DEADLINES = int(os.environ.get("ARBITER_DEADLINES", "100"))
TURN = 60
MATCHES = 10


@pytest_asyncio.fixture
async def leaders(database: Path, clock: VirtualClock) -> AsyncIterator[tuple[Arbiter, Arbiter]]:
    chosen = replace(settings(database), shared=True)
    one, two = Arbiter(chosen, clock), Arbiter(chosen, clock)
    async with one.running(), two.running():
        yield one, two


async def passed(arbiter: Arbiter, match_id: UUID, times: int) -> None:
    """Returns when so many deadlines of the match have passed, and everybody has heard of it."""

    def on_disk() -> int:
        records = on_record(arbiter, match_id)
        return sum(isinstance(record.event, DeadlinePassed) for record in records)

    async with asyncio.timeout(PATIENCE):
        with arbiter.hub.listening(match_id) as news:
            while (found := on_disk()) < times:
                await news.wait()
                news.clear()
    assert found == times


def reports(leader: Arbiter, patch: pytest.MonkeyPatch) -> list[UUID]:
    """Every report of a deadline that this leader makes from now on."""
    reported: list[UUID] = []
    report = leader.matches.pass_deadline

    async def noted(match_id: UUID) -> None:
        reported.append(match_id)
        await report(match_id)

    patch.setattr(leader.matches, "pass_deadline", noted)
    return reported


async def test_a_deadline_passes_once_with_two_leaders(
    leaders: tuple[Arbiter, Arbiter], clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
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
            # What one has set the other finds in the log, sooner or later; here both know.
            leader.scheduler.arm_all((match_id, due) for match_id in matches)
        clock.move_to(due)
        for match_id in matches:
            await passed(leaders[0], match_id, turn)
    for match_id in matches:
        records = on_record(leaders[0], match_id)
        assert turns == [r.at for r in records if isinstance(r.event, DeadlinePassed)]
    assert min(map(len, reported)) >= DEADLINES, "one of them did not report"
