"""The disk below the database fails: full at some write, an error at a write or a sync, a write of
which half arrives. Nothing acknowledged is lost or doubled, the service goes on by itself once the
disk works, and what it has left opens again.

`ARBITER_DISK_FAULTS` sets the number of faults of each kind; `ARBITER_SEED` repeats a run's choices
(though not its timing).
"""

import asyncio
import os
import random
from pathlib import Path

import pytest

from tests.support.faults.continuous_matches import begun
from tests.support.faults.durability_checks import check_disk, check_repeats, check_views
from tests.support.faults.faulty_disk import Fault, FaultyDisk
from tests.support.faults.http_writers import Ledger, Service
from tests.support.faults.server_process import Process, on_disk

CYCLES = int(os.environ.get("ARBITER_DISK_FAULTS", "3"))
SEED = int(os.environ.get("ARBITER_SEED", "0")) or random.SystemRandom().getrandbits(32)
WRITING: tuple[Fault, ...] = ("full", "write error", "torn write", "sync error")
MOST_PASS = 60
MOST_FAIL = 8
BETWEEN = 20
"""Acknowledged actions between two faults."""


@pytest.mark.parametrize("fault", WRITING)
async def test_nothing_acknowledged_is_lost_when_the_disk_fails(
    tmp_path: Path, fault: Fault
) -> None:
    print(f"ARBITER_SEED={SEED}")  # noqa: T201  shown if it fails
    chance = random.Random(SEED)
    service, ledger = Service(), Ledger()
    with FaultyDisk(tmp_path) as disk:
        data = tmp_path / "data"
        life = Process(data, under=disk.under)
        try:
            await service.at(life.url)
            places = await begun(service, ledger)
            async with asyncio.TaskGroup() as writers:
                for task in (task for place in places for task in place.tasks(chance)):
                    writers.create_task(task)
                for _ in range(CYCLES):
                    await one_fault(disk, fault, ledger, chance)
                service.closing = True
            await check_repeats(service, ledger, ledger.actions[-200:])
            life.kill()
            check_disk(ledger, on_disk(data))
            life = Process(data)
            await service.at(life.url)
            await check_repeats(service, ledger, ledger.actions[-200:])
            await check_views(service, ledger, on_disk(data))
        finally:
            await service.away()
            life.kill()
    acknowledged = len(ledger.actions) + len(ledger.draws)
    print(f"{fault}: {CYCLES} cycles, {acknowledged} acknowledged, 0 lost")  # noqa: T201


async def one_fault(disk: FaultyDisk, fault: Fault, ledger: Ledger, chance: random.Random) -> None:
    """Lets the disk fail at some call, a few times in a row; then actions go on."""
    times = chance.randint(1, MOST_FAIL)
    disk.order(fault, chance.randint(0, MOST_PASS), times)
    await disk.has_failed(times)
    assert disk.mend() == times
    await ledger.reaches(len(ledger.actions) + BETWEEN)
