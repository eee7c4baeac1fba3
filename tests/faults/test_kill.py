"""Killed with kill -9 again and again while clients play, rule and read: one server, at any time
and exactly before, within and after a transaction that matters; the workers of `arbiter serve` on
PostgreSQL and Redis, their parent, or all at once; the PostgreSQL below them; the Redis. Nothing
acknowledged is lost, doubled or changed, no draw is repeated with another outcome, every match
proves itself, and everything goes on."""

import asyncio
from collections.abc import Callable, Mapping
from itertools import cycle
from pathlib import Path

import pytest

from service.event_store.database import embedded
from tests.faults.clocked_matches import Clocked
from tests.faults.continuous_matches import KINDS, writing
from tests.faults.durability_checks import (
    Records,
    check_chance,
    check_disk,
    check_grown,
    check_proofs,
    check_repeats,
    check_secrets,
    check_signatures,
    check_views,
)
from tests.faults.http_writers import Ledger, Service
from tests.faults.reader_load import Crowd, Players, Streams
from tests.faults.stream_readers import reading
from tests.faults.worker_fleet import Fleet, Servers, on_postgres
from tests.support.effort import new_chance, times
from tests.support.faults.fault_server import WHEN
from tests.support.faults.server_process import Process, on_disk, streams, topics
from tests.support.waiting import wait_until

SERVER_KILLS = times("deaths of a server")
WORKER_KILLS = times("deaths of workers")
STORE_KILLS = times("deaths of a store")
REDIS_KILLS = times("deaths of a redis")

FIRST = [(when, "match.draw-settled.1") for when in ("uncommitted", "committed")]
"""Exact moments of every run: when an event of that stored name is first written."""

REST = [
    moment
    for topic in (
        "match.draw-settled.1", "match.sealed-draw-settled.1", "match.seed-sealed.1",
        "match.ruling-ordered.1", "key.issued.1", "secret.seed-kept.1", "match.created.1",
        "match.ended.1", "log.checkpoint-signed.1",
    )
    for when in WHEN
    if (moment := (when, topic)) not in FIRST
]  # fmt: skip

OF_A_SERVER = (30, 250)
OF_A_FLEET = (20, 250 if WORKER_KILLS > 20 else 60)
"""Fewest and most actions acknowledged between two deaths."""

REPEATED = 40
MOMENT = 0.3
WORKERS = 3 if WORKER_KILLS > 20 else 2
LONGEST = 1.5
"""Maximum seconds for which the store or Redis is down."""


class Promises:
    """What clients have been promised, by a service that dies `deaths` times."""

    def __init__(self, deaths: int, pace: tuple[int, int], records: Callable[[], Records]) -> None:
        self.service, self.ledger, self.chance = Service(), Ledger(), new_chance()
        self.deaths = deaths
        self._pace, self._records, self._before = pace, records, Records()
        self._look_every = max(1, deaths // 20)

    async def some_more(self) -> None:
        """Returns when some more actions have been acknowledged."""
        await self.ledger.reaches(len(self.ledger.actions) + self.chance.randint(*self._pace))

    async def check(self, death: int) -> None:
        """After a death: what was on record is still there, and requests can be repeated."""
        if death % self._look_every == 0 or death == self.deaths - 1:
            now = self._records()
            check_disk(self.ledger, now)
            check_grown(self._before, now)
            self._before = now
        actions = self.ledger.actions
        some = self.chance.sample(actions, min(REPEATED, len(actions)))
        await check_repeats(self.service, self.ledger, some)

    async def check_answers(self) -> None:
        """In the end."""
        await check_repeats(self.service, self.ledger, self.ledger.actions[-10 * REPEATED :])
        await check_views(self.service, self.ledger, self._records())
        await check_proofs(self.service, self.ledger)

    def check_store(self, store: Mapping[str, str], stored: bytes, errors: bytes) -> None:
        """Of a service that has been left."""
        check_disk(self.ledger, self._records())
        assert check_chance(store, self._records()) > self.deaths
        check_secrets(self.ledger, stored, errors)


async def test_a_server(tmp_path: Path) -> None:
    """Every other life ends in an exact moment."""
    kept = Promises(SERVER_KILLS, OF_A_SERVER, lambda: on_disk(tmp_path))
    exact = cycle([*FIRST, *kept.chance.sample(REST, len(REST))])
    life = Process(tmp_path)

    async def begun(*options: str) -> Process:
        await kept.service.away()
        check_disk(kept.ledger, on_disk(tmp_path))
        begun = await asyncio.to_thread(Process, tmp_path, *options)
        await kept.service.at(begun.url)
        return begun

    try:
        await kept.service.at(life.url)
        async with writing(kept.service, kept.ledger, kept.chance):
            for death, (when, topic) in zip(range(SERVER_KILLS), exact, strict=False):
                await kept.some_more()
                life.kill()
                before = topics(tmp_path)[topic]
                life = await begun("--dies", when, topic)
                await asyncio.to_thread(life.died)
                assert (topics(tmp_path)[topic] > before) == (when == "committed")
                life = await begun()
                await kept.check(death)
        await kept.check_answers()
    finally:
        await kept.service.away()
        life.kill()
    assert kept.ledger.rulings, "nobody ruled"
    check_signatures(streams(tmp_path))
    kept.check_store(store_in(tmp_path), stored(tmp_path), (tmp_path / "errors.txt").read_bytes())


def store_in(data: Path) -> dict[str, str]:
    return embedded(data / "arbiter.db")


async def test_control_draws_that_are_made_anew_are_detected(tmp_path: Path) -> None:
    service, ledger = Service(), Ledger()
    with Process(tmp_path, "--draws-anew") as process:
        await service.at(process.url)
        async with writing(service, ledger, new_chance()):
            await ledger.reaches(OF_A_SERVER[1])
        await service.away()
    with pytest.raises(AssertionError):
        check_chance(store_in(tmp_path), on_disk(tmp_path))


def stored(data: Path) -> bytes:
    """The files of the database."""
    return b"".join(file.read_bytes() for file in data.glob("arbiter.db*"))


@pytest.mark.slow(because="it needs four processes; a server alone is killed above")
async def test_workers(tmp_path: Path) -> None:
    """The dead are replaced, the lead moves, and deadlines pass."""
    with on_postgres(tmp_path, WORKERS) as (fleet, servers):
        kept = Promises(WORKER_KILLS, OF_A_FLEET, servers.on_disk)
        deaths = Deaths(fleet, servers, kept.service)
        try:
            await kept.service.at(fleet.url)
            async with writing(kept.service, kept.ledger, kept.chance):
                await deaths.timed.begin()
                for death in range(WORKER_KILLS):
                    await kept.some_more()
                    await deaths.next(death)
                    await deaths.timed.passes()
                    await kept.check(death)
            await asyncio.to_thread(fleet.complete)
            await kept.check_answers()
        finally:
            await kept.service.away()
        kept.check_store(servers.store, servers.stored(), fleet.errors)
        deaths.timed.check()
        assert deaths.moved > 0, "the lead never moved"
        died = [line for line in fleet.errors.splitlines() if b"worker_died" in line]
        assert all(b"exit code -9" in line for line in died), fleet.errors.decode()
        assert len(died) == deaths.workers


class Deaths:
    """Kills parts of a fleet by turns. `workers` counts those killed alone, `moved` how often that
    moved the lead."""

    def __init__(self, fleet: Fleet, servers: Servers, service: Service) -> None:
        self.timed = Clocked(service, servers)
        self.workers = self.moved = 0
        self._fleet = fleet
        self._servers = servers
        self._service = service
        self._led: int | None = None

    async def next(self, death: int) -> None:
        turn = death % (WORKERS + 2)
        if turn < WORKERS:
            await asyncio.to_thread(self._worker_killed)
        else:
            fleet = self._fleet
            await self._restarted(fleet.kill_parent if turn == WORKERS else fleet.kill_all)

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


@pytest.mark.slow(
    because="test_postgres_away finds answers that are wrong or late while the store is away,"
    " test_every_call what a lost answer of it does, and test_workers what is lost on it"
)
async def test_postgres(tmp_path: Path) -> None:
    """Killed and stopped by turns: every request is answered, and no worker is replaced."""
    with on_postgres(tmp_path) as (fleet, servers):
        kept = Promises(STORE_KILLS, OF_A_FLEET, servers.on_disk)
        timed, workers = Clocked(kept.service, servers), fleet.workers()
        try:
            await kept.service.at(fleet.url)
            async with writing(kept.service, kept.ledger, kept.chance):
                await timed.begin()
                for death in range(STORE_KILLS):
                    await kept.some_more()
                    postgres = servers.postgres
                    await asyncio.to_thread(postgres.stop if death % 3 == 1 else postgres.kill)
                    await asyncio.sleep(kept.chance.uniform(0, LONGEST) if death else LONGEST)
                    await asyncio.to_thread(postgres.start)
                    await kept.ledger.reaches(len(kept.ledger.actions) + 1)
                    await timed.passes()
                    await kept.check(death)
            await kept.check_answers()
        finally:
            await kept.service.away()
        assert kept.service.unanswered == 0 < kept.service.turned_away
        assert b"worker_died" not in fleet.errors and b"task_ended" not in fleet.errors
        assert fleet.workers() == workers
        kept.check_store(servers.store, servers.stored(), fleet.errors)
        timed.check()


REDIS_FAULTS = (("kill", "start"), ("pause", "resume"), ("flush",), ("cut_off",), ("restart",))
"""What is done to Redis, and what ends it."""

READERS = 4 * len(KINDS)
SOON = 8.0
"""Seconds after which a reader has received what was acknowledged: a subscription is given up after
three, and then the log is polled."""


@pytest.mark.slow(
    because="test_redis_notifications and test_stream_tickets meet each of these faults alone"
)
async def test_redis(tmp_path: Path) -> None:
    """No request waits for it or fails, and every stream, at either of two workers, has every line
    once and soon."""
    with on_postgres(tmp_path, 2) as (fleet, servers), reading(fleet.url) as readers:
        kept = Promises(REDIS_KILLS, OF_A_FLEET, servers.on_disk)
        kept.service = players = Players()
        crowd = Crowd(readers, kept.ledger, READERS)
        kinds = cycle(kept.chance.sample(REDIS_FAULTS, len(REDIS_FAULTS)))
        try:
            await players.at(fleet.url)
            async with writing(players, kept.ledger, kept.chance) as writers:
                following = writers.create_task(crowd.follow())
                for death, orders in zip(range(REDIS_KILLS), kinds, strict=False):
                    for order in orders:
                        await kept.some_more()
                        await asyncio.to_thread(getattr(servers.redis, order))
                        await asyncio.sleep(kept.chance.uniform(0, LONGEST))
                    await kept.check(death)
                crowd.closing = True
                await following
            await crowd.come()
            await crowd.come_fresh()
            lines = Streams(servers.on_disk())
            await crowd.catches_up(lines)
            reads = await readers.report()
            crowd.check(reads, lines)
            late = crowd.delays(reads, lines, players)
            assert len(late) > 0 and max(late) < SOON
        finally:
            await players.away()
        assert players.unanswered == players.turned_away == 0
        kept.check_store(servers.store, servers.stored(), fleet.errors)
