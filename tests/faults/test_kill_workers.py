"""`arbiter serve` with several workers on PostgreSQL and Redis, killed with kill -9 while clients
write to it: a worker, the parent, or all at once. Nothing acknowledged is lost, doubled or changed;
the dead are replaced, the lead moves, and deadlines pass."""

import asyncio
import random
from collections.abc import Callable
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
from tests.support.waiting import wait_until

KILLS = times("deaths of workers")
REPEATED = 40 if KILLS > 20 else 10
PACE = 250 if KILLS > 20 else 60
"""Maximum number of actions acknowledged between two deaths."""

MOMENT = 0.3
WORKERS = 3 if KILLS > 20 else 2
LOOK_EVERY = max(1, KILLS // 20)
"""Number of deaths between two checks of the whole record."""


async def test_nothing_acknowledged_is_lost_when_workers_are_killed(tmp_path: Path) -> None:
    chance = new_chance()
    service, ledger = Service(), Ledger()
    with on_postgres(tmp_path, WORKERS) as (fleet, servers):
        try:
            await service.at(fleet.url)
            places, timed = await begun(service, ledger), Clocked(service, servers)
            await timed.begin()
            deaths = Deaths(fleet, servers, service, ledger, timed)
            async with asyncio.TaskGroup() as writers:
                for task in (task for place in places for task in place.tasks(chance)):
                    writers.create_task(task)
                await deaths.follow(chance)
                service.closing = True
            await asyncio.to_thread(fleet.complete)
            await check_repeats(service, ledger, ledger.actions[-10 * REPEATED :])
            await check_views(service, ledger, servers.on_disk())
        finally:
            await service.away()
        check_disk(ledger, servers.on_disk())
        assert check_chance(servers.store, servers.on_disk()) > KILLS
        check_secrets(ledger, servers.stored(), fleet.errors)
        timed.check()
        print(deaths.report())  # noqa: T201  shown if it fails
        assert deaths.moved > 0, "the lead never moved"
        died = [line for line in fleet.errors.splitlines() if b"worker_died" in line]
        assert all(b"exit code -9" in line for line in died), fleet.errors.decode()
        assert len(died) == deaths.workers


class Deaths:
    """Kills parts of a fleet while clients write to it, and checks after each time.

    `workers` counts those killed alone, `moved` how often that moved the lead.
    """

    def __init__(
        self, fleet: Fleet, servers: Servers, service: Service, ledger: Ledger, timed: Clocked
    ) -> None:
        self.workers = self.moved = 0
        self._fleet = fleet
        self._servers = servers
        self._service = service
        self._ledger = ledger
        self._timed = timed
        self._before: Records = {}
        self._led: int | None = None

    async def follow(self, chance: random.Random) -> None:
        """Kills at random moments; the last life goes on."""
        for n in range(KILLS):
            await self._ledger.reaches(len(self._ledger.actions) + chance.randint(20, PACE))
            turn = n % (WORKERS + 2)
            if turn < WORKERS:
                await asyncio.to_thread(self._worker_killed)
            else:
                fleet = self._fleet
                await self._restarted(fleet.kill_parent if turn == WORKERS else fleet.kill_all)
            await self._timed.passes()
            if n % LOOK_EVERY == 0 or n == KILLS - 1:
                self._look()
            some = chance.sample(self._ledger.actions, min(REPEATED, len(self._ledger.actions)))
            await check_repeats(self._service, self._ledger, some)

    def report(self) -> str:
        return (
            f"{KILLS} deaths, {self.workers} of workers alone; the lead moved {self.moved} times;"
            f" {len(self._ledger.actions)} actions in {len(self._ledger.tables)} matches;"
            f" {self._service.unanswered} requests unanswered"
        )

    def _worker_killed(self) -> None:
        """The oldest is killed: after as many deaths as there are workers, the leader has been
        one."""
        self._note_lead()
        wait_until(lambda: bool(self._fleet.workers()))
        self._fleet.kill(self._fleet.workers()[0])
        self.workers += 1

    def _note_lead(self) -> None:
        """Counts whether the lead has moved since it was last looked at: right after a death
        PostgreSQL may still name the dead."""
        leader = self._leader()
        self.moved += self._led not in (None, leader)
        self._led = leader

    async def _restarted(self, kill: Callable[[], None]) -> None:
        await asyncio.to_thread(self._fleet.complete)
        await asyncio.to_thread(self._note_lead)
        await asyncio.to_thread(kill)
        self._led = None
        # Requests still come for a moment: workers that stop answer what they have.
        await asyncio.sleep(MOMENT)
        await self._service.away()
        await asyncio.to_thread(self._fleet.stopped)
        await asyncio.to_thread(self._fleet.start)
        await self._service.at(self._fleet.url)

    def _leader(self) -> int:
        """The session of the leader, as soon as there is one."""
        wait_until(lambda: self._servers.leader() is not None)
        leader = self._servers.leader()
        return self._leader() if leader is None else leader

    def _look(self) -> None:
        now = self._servers.on_disk()
        check_disk(self._ledger, now)
        check_grown(self._before, now)
        self._before = now
