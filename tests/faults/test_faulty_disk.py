"""The disk below the database fails: full at some write, an error at a read, a write or a sync, a
write of which half arrives. Nothing acknowledged is lost or doubled, the service goes on by itself
once the disk works, and what it has left opens again."""

from pathlib import Path
from typing import NamedTuple

import pytest

from tests.faults.continuous_matches import writing
from tests.faults.durability_checks import Records, check_disk, check_repeats, check_views
from tests.faults.faulty_disk import Fault, FaultyDisk
from tests.faults.http_writers import Ledger, Service
from tests.faults.worker_fleet import recorded
from tests.support.effort import new_chance, times
from tests.support.faults.server_process import Process, on_disk
from tests.support.servers.postgres_server import PostgresServer

pytestmark = pytest.mark.slow(
    because="it kills, cuts or damages what a service needs, again and again"
)

CYCLES = times("faults of a disk")
WHILE_PLAYING: tuple[Fault, ...] = (
    "full", "write error", "torn write", "sync error", "read error",
)  # fmt: skip


class Faults(NamedTuple):
    """At most how many calls pass before a fault, and how many fail then in a row."""

    most_pass: int
    most_in_a_row: int


USUAL = Faults(60, 8)
FULL_LOG = Faults(60, 1)
"""Without room for its log PostgreSQL restarts, which needs room in turn."""

BETWEEN = 20
"""Acknowledged actions between two faults."""

REPEATED = 200


async def test_nothing_acknowledged_is_lost_when_the_disk_fails(tmp_path: Path) -> None:
    ledger, data = Ledger(), tmp_path / "data"
    with FaultyDisk(tmp_path) as disk:
        with Process(data, under=disk.under) as process:
            await through_faults(process, ledger, disk, WHILE_PLAYING, USUAL)
        check_disk(ledger, on_disk(data))
        with Process(data) as process:
            await goes_on(process, ledger, on_disk(data))
    report("SQLite: each kind", ledger)


async def test_nothing_acknowledged_is_lost_when_the_disk_of_postgres_is_full(
    tmp_path: Path,
) -> None:
    ledger, postgres = Ledger(), PostgresServer()
    with FaultyDisk(postgres.folder, "/pg_wal/") as disk:
        postgres.process_environment = disk.environment
        with postgres:
            store = postgres.named_database("arbiter")
            with Process(tmp_path, "--postgres", store=store) as process:
                await through_faults(process, ledger, disk, ("full",), FULL_LOG)
            check_disk(ledger, recorded(store))
            with Process(tmp_path, "--postgres", store=store) as process:
                await goes_on(process, ledger, recorded(store))
    report("PostgreSQL: full log", ledger)


async def through_faults(
    process: Process, ledger: Ledger, disk: FaultyDisk, kinds: tuple[Fault, ...], faults: Faults
) -> None:
    """Plays while the disk fails at some call, a few times in a row, again and again, in each way
    by turns; after each fault actions go on."""
    service, chance = Service(), new_chance()
    await service.at(process.url)
    try:
        async with writing(service, ledger, chance):
            for fault in kinds * CYCLES:
                print(fault)  # noqa: T201  shown if it fails
                times = chance.randint(1, faults.most_in_a_row)
                disk.order(fault, chance.randint(0, faults.most_pass), times)
                await disk.has_failed(times)
                assert disk.mend() == times
                await ledger.reaches(len(ledger.actions) + BETWEEN)
        await check_repeats(service, ledger, ledger.actions[-REPEATED:])
    finally:
        await service.away()


async def goes_on(process: Process, ledger: Ledger, records: Records) -> None:
    """What the store was left with opens, has everything, and shows what it should."""
    service = Service()
    await service.at(process.url)
    try:
        await check_repeats(service, ledger, ledger.actions[-REPEATED:])
        await check_views(service, ledger, records)
    finally:
        await service.away()


def report(what: str, ledger: Ledger) -> None:
    """A row of the table of faults; pytest shows it with -s."""
    acknowledged = len(ledger.actions) + len(ledger.draws)
    print(f"{what}: {CYCLES} faults, {acknowledged} acknowledged, 0 lost")  # noqa: T201
