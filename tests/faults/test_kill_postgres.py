"""PostgreSQL killed and stopped while three workers write to it: nobody receives a wrong answer,
and when it is back everything continues by itself."""

import asyncio
import random
from pathlib import Path

from tests.support.effort import new_chance, times
from tests.support.faults.continuous_matches import begun
from tests.support.faults.deadline_matches import Clocked
from tests.support.faults.durability_checks import (
    Records,
    check_chance,
    check_disk,
    check_grown,
    check_repeats,
    check_secrets,
    check_views,
)
from tests.support.faults.http_writers import Ledger, Service
from tests.support.faults.worker_fleet import Fleet, Servers, on_postgres

KILLS = times("deaths of a store")
REPEATED = 40 if KILLS > 20 else 10
PACE = 250 if KILLS > 20 else 60
"""Maximum number of actions acknowledged between two deaths."""

LONGEST = 1.5
"""Maximum seconds for which the store is down."""

LOOK_EVERY = max(1, KILLS // 10)


async def test_nothing_is_lost_and_nobody_restarts_when_postgres_is_killed(tmp_path: Path) -> None:
    chance = new_chance()
    service, ledger = Service(), Ledger()
    with on_postgres(tmp_path) as (fleet, servers):
        try:
            await service.at(fleet.url)
            places, timed = await begun(service, ledger), Clocked(service, servers)
            await timed.begin()
            workers = fleet.workers()
            async with asyncio.TaskGroup() as writers:
                for task in (task for place in places for task in place.tasks(chance)):
                    writers.create_task(task)
                await away_again_and_again(servers, service, ledger, timed, chance)
                service.closing = True
            await check_repeats(service, ledger, ledger.actions[-10 * REPEATED :])
            await check_views(service, ledger, servers.on_disk())
        finally:
            await service.away()
        print(report(service, ledger))  # noqa: T201  shown if it fails
        check_lives(fleet, service)
        assert fleet.workers() == workers
        check_disk(ledger, servers.on_disk())
        assert check_chance(servers.store, servers.on_disk()) > KILLS
        timed.check()
        check_secrets(ledger, servers.stored(), fleet.errors)


async def away_again_and_again(
    servers: Servers, service: Service, ledger: Ledger, timed: Clocked, chance: random.Random
) -> None:
    """Kills the store or stops it, by turns, and starts it again after a while."""
    before: Records = {}
    for n in range(KILLS):
        await ledger.reaches(len(ledger.actions) + chance.randint(20, PACE))
        await asyncio.to_thread(servers.postgres.stop if n % 3 == 1 else servers.postgres.kill)
        await asyncio.sleep(chance.uniform(0, LONGEST) if n else LONGEST)
        await asyncio.to_thread(servers.postgres.start)
        known = len(ledger.actions)
        await ledger.reaches(known + 1)
        await timed.passes()
        if n % LOOK_EVERY == 0:
            now = servers.on_disk()
            check_disk(ledger, now)
            check_grown(before, now)
            before = now
        some = chance.sample(ledger.actions, min(REPEATED, len(ledger.actions)))
        await check_repeats(service, ledger, some)


def check_lives(fleet: Fleet, service: Service) -> None:
    """Every request was answered, and no worker had to be replaced."""
    assert service.unanswered == 0 < service.turned_away
    assert b"worker_died" not in fleet.errors and b"task_ended" not in fleet.errors


def report(service: Service, ledger: Ledger) -> str:
    return (
        f"{KILLS} times away; {len(ledger.actions)} actions in {len(ledger.tables)} matches;"
        f" {service.turned_away} answers 503, {service.unanswered} requests unanswered"
    )
