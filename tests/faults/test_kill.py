"""Killed with kill -9 again and again while clients write to it: nothing acknowledged is lost,
doubled or changed, and no draw is repeated with another outcome."""

import asyncio
import random
from pathlib import Path

from service.event_store.database import EMBEDDED
from tests.support.effort import new_chance, times
from tests.support.faults.continuous_matches import begun
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
from tests.support.faults.server_process import Process, on_disk

KILLS = times("deaths of a server")
REPEATED = 40


async def test_nothing_acknowledged_is_lost_doubled_or_changed_by_kill_9(tmp_path: Path) -> None:
    chance = new_chance()
    service, ledger = Service(), Ledger()
    lives = [Process(tmp_path)]
    try:
        await service.at(lives[-1].url)
        places = await begun(service, ledger)
        async with asyncio.TaskGroup() as writers:
            for task in (task for place in places for task in place.tasks(chance)):
                writers.create_task(task)
            await killed_again_and_again(lives, service, ledger, chance)
            service.closing = True
        await check_repeats(service, ledger, ledger.actions[-10 * REPEATED :])
        await check_views(service, ledger, on_disk(tmp_path))
    finally:
        await service.away()
        lives[-1].kill()

    check_disk(ledger, on_disk(tmp_path))
    store = {"PERSISTENCE_MODULE": EMBEDDED, "SQLITE_DBNAME": str(tmp_path / "arbiter.db")}
    assert check_chance(store, on_disk(tmp_path)) > KILLS
    check_secrets(ledger, stored(tmp_path), (tmp_path / "errors.txt").read_bytes())


def stored(data: Path) -> bytes:
    """The files of the database."""
    return b"".join(file.read_bytes() for file in data.glob("arbiter.db*"))


async def killed_again_and_again(
    lives: list[Process], service: Service, ledger: Ledger, chance: random.Random
) -> None:
    """Kills the server at random moments and starts it again; the last life goes on."""
    before: Records = {}
    for _ in range(KILLS):
        await ledger.reaches(len(ledger.actions) + chance.randint(30, 250))
        lives[-1].kill()
        await service.away()
        now = on_disk(lives[-1].data)
        check_disk(ledger, now)
        check_grown(before, now)
        before = now
        lives.append(await asyncio.to_thread(Process, lives[-1].data))
        await service.at(lives[-1].url)
        some = chance.sample(ledger.actions, min(REPEATED, len(ledger.actions)))
        await check_repeats(service, ledger, some)
