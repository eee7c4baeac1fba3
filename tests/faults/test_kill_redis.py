"""Redis killed, frozen, emptied and started again while matches are played at one instance and
followed at another: actions continue, streams miss nothing and double nothing, rate limits and
tickets work."""

import asyncio
import random
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import httpx
import msgspec
import pytest

from domain.match.events import MatchEnded
from projections.audience.disclosure import Viewer, may_see, named
from tests.support.effort import new_chance, times
from tests.support.faults.continuous_matches import begun
from tests.support.faults.durability_checks import Records, check_disk, check_repeats
from tests.support.faults.http_writers import Json, Ledger, Service, Table
from tests.support.faults.server_process import PATIENCE
from tests.support.faults.worker_fleet import Fleet, Servers
from tests.support.http import local_http
from tests.support.servers.postgres_server import PostgresServer
from tests.support.servers.redis_server import RedisServer, redis_server

pytestmark = pytest.mark.slow(
    because="it kills, cuts or damages what a service needs, again and again"
)

PACE = 0.02
SILENCE = 60.0
"""Seconds after which a stream without even a ping has failed."""


class Following:
    """Reads the streams of every match at one instance, from their beginning, and never reconnects:
    a stream that ends before its match has failed. `lines` are the received lines."""

    def __init__(self, url: str, ledger: Ledger) -> None:
        self._ledger = ledger
        self._known: set[str] = set()
        self._http = local_http.streaming_client(url, timeout=SILENCE)
        self.lines: dict[tuple[str, Viewer], list[Json]] = defaultdict(list)
        self.ended: set[tuple[str, Viewer]] = set()

    async def run(self) -> None:
        """Reads every match, until cancelled."""
        try:
            async with asyncio.TaskGroup() as readers:
                while True:
                    for match_id in self._ledger.tables.keys() - self._known:
                        self._known.add(match_id)
                        for viewer, key in audiences(self._ledger.tables[match_id]):
                            readers.create_task(self._read(match_id, viewer, key))
                    await asyncio.sleep(PACE)
        finally:
            await self._http.aclose()

    async def reaches(self, match_id: str, seat: int, seq: int) -> None:
        """Returns when a seat has received this many lines."""
        await self._has((match_id, seat), seq)

    async def catches_up(self, records: Records) -> None:
        """Returns when every reader has received everything it may see."""
        for match_id in self._known:
            for viewer, _ in audiences(self._ledger.tables[match_id]):
                may = sum(may_see(viewer, record.event) for record in records[match_id])
                await self._has((match_id, viewer), may)

    async def _has(self, stream: tuple[str, Viewer], count: int) -> None:
        async with asyncio.timeout(PATIENCE):
            while len(self.lines[stream]) < count:  # noqa: ASYNC110  everything else wakes it, too
                await asyncio.sleep(PACE)

    async def _read(self, match_id: str, viewer: Viewer, key: str) -> None:
        path = f"/v1/matches/{match_id}/stream?as={named(viewer)}&after=0"
        headers = {"Authorization": f"Bearer {key}", "Accept": "application/x-ndjson"}
        async with self._http.stream("GET", path, headers=headers) as stream:
            assert stream.status_code == 200, await stream.aread()
            async for line in stream.aiter_lines():
                received = msgspec.json.decode(line) if line else {}
                if "end" in received:
                    assert received == {"end": True, "seq": len(self.lines[match_id, viewer])}
                    self.ended.add((match_id, viewer))
                elif received:
                    assert (match_id, viewer) not in self.ended, "a line after the end"
                    self.lines[match_id, viewer].append(received)


def audiences(table: Table) -> list[tuple[Viewer, str]]:
    """The readers, each with its key."""
    return [
        (0, table.seat_keys[0]),
        (1, table.seat_keys[1]),
        ("public", table.seat_keys[0]),
        ("moderator", table.moderator_key),
    ]


FAULTS = times("deaths of a redis")
KINDS = ("kill", "pause", "flush", "cut_off", "restart")
RATE, BURST = "10/minute", 25
"""The rate limit of one address without a key, and the number of its requests: more than two
windows allow."""

LATEST = 8.0
"""Seconds after which a reader has received what was acknowledged elsewhere: a subscription is
given up after three, and then the log is polled."""

_numbers = count(1)

LONGEST = 4.0
"""Maximum seconds for which Redis is down."""


@pytest.mark.slow(
    because="test_redis_notifications, test_rate_limiter and test_stream_tickets_redis meet each of"
    " these faults alone"
)
async def test_streams_miss_nothing_while_redis_comes_and_goes(tmp_path: Path) -> None:
    chance = new_chance()
    service, ledger = Service(), Ledger()
    with two_instances(tmp_path) as (written, read, servers):
        following = Following(read.url, ledger)
        try:
            await service.at(written.url)
            places = await begun(service, ledger)
            async with asyncio.TaskGroup() as tasks:
                reading = tasks.create_task(following.run())
                writing = [tasks.create_task(t) for p in places for t in p.tasks(chance)]
                faults = Faults(servers.redis, written, read, ledger, following)
                kinds = chance.sample(KINDS, len(KINDS))
                for n in range(FAULTS):
                    await faults.one(kinds[n % len(kinds)], chance)
                service.closing = True
                await asyncio.wait(writing)
                await following.catches_up(servers.on_disk())
                reading.cancel()
            await check_repeats(service, ledger, chance.sample(ledger.actions, 40))
        finally:
            await service.away()
        assert service.unanswered == 0 and service.turned_away == 0
        records = servers.on_disk()
        check_disk(ledger, records)
        await asyncio.to_thread(check_streams, following, ledger, records, read.url)
        print(faults.report())  # noqa: T201  shown if it fails


@contextmanager
def two_instances(folder: Path) -> Iterator[tuple[Fleet, Fleet, Servers]]:
    """One instance that is written to and one that is read from, on one store and with the same
    keys."""
    with PostgresServer() as postgres, redis_server() as redis:
        servers = Servers(postgres, redis)
        environment = servers.environment | {"ARBITER_KEYS": str(folder / "keys")}
        limited = environment | {
            "ARBITER_RATE_BY_ADDRESS": RATE,
            "ARBITER_TRUSTED_PROXIES": "127.0.0.0/8",
        }
        fleets = Fleet(folder / "w", limited, 1), Fleet(folder / "r", limited, 1)
        try:
            for fleet in fleets:
                fleet.start()
            yield *fleets, servers
        finally:
            for fleet in fleets:
                fleet.kill_all()


class Faults:
    """Causes the faults and checks meanwhile. `latest` is the longest time until an acknowledged
    action was sent to its reader elsewhere, `fell_back` counts how often limits and tickets were
    tried without Redis."""

    def __init__(
        self, redis: RedisServer, written: Fleet, read: Fleet, ledger: Ledger, following: Following
    ) -> None:
        self.latest = 0.0
        self.fell_back = 0
        self._redis = redis
        self._written, self._read = written, read
        self._ledger = ledger
        self._following = following

    async def one(self, kind: str, chance: random.Random) -> None:
        """One fault, with checks while it lasts and after it."""
        await self._goes_on(chance)
        match kind:
            case "kill":
                self._redis.kill()
                await self._lasts(chance)
                self._redis.start()
            case "pause":
                self._redis.pause()
                try:
                    await self._lasts(chance)
                finally:
                    self._redis.resume()
            case "flush":
                self._redis.flush()
            case "cut_off":
                self._redis.cut_off()
            case "restart":
                self._redis.restart()
        await self._goes_on(chance)

    async def _lasts(self, chance: random.Random) -> None:
        until = time.monotonic() + chance.uniform(0.2, LONGEST)
        await self._goes_on(chance)
        await self._falls_back()
        await asyncio.sleep(max(0.0, until - time.monotonic()))
        await self._goes_on(chance)

    async def _goes_on(self, chance: random.Random) -> None:
        """Actions are acknowledged, and sent to their readers soon."""
        await self._ledger.reaches(len(self._ledger.actions) + chance.randint(5, 60))
        last = self._ledger.actions[-1]
        start = time.monotonic()
        if last.seat in (0, 1):
            await self._following.reaches(last.match, last.seat, last.seq)
        took = time.monotonic() - start
        assert took < LATEST, f"{took} s"
        self.latest = max(self.latest, took)

    async def _falls_back(self) -> None:
        """Without Redis each instance limits rates and accepts tickets by itself."""
        async with asyncio.timeout(PATIENCE):
            answers = await burst(self._read.url)
            assert {answer.status_code for answer in answers} == {200, 429}
            assert all("retry-after" in answer.headers for answer in answers if answer.is_error)
            table = next(reversed(self._ledger.tables.values()))
            ticket = await given(self._written.url, table)
            for url in (self._read.url, self._read.url, self._written.url):
                assert await shown(url, table, ticket) == 200
        self.fell_back += 1

    def report(self) -> str:
        lines = sum(map(len, self._following.lines.values()))
        return (
            f"{FAULTS} faults; {len(self._ledger.actions)} actions in {len(self._ledger.tables)}"
            f" matches; {lines} lines in {len(self._following.lines)} streams, the latest after"
            f" {self.latest:.2f} s; {self.fell_back} times limited without Redis"
        )


# A client at an address that has sent no request.


def stranger(url: str) -> httpx.AsyncClient:
    address = f"198.51.{next(_numbers) // 250 % 250}.{next(_numbers) % 250}"
    headers = {"X-Forwarded-For": address}
    return local_http.streaming_client(url, headers=headers, timeout=PATIENCE)


async def burst(url: str) -> list[httpx.Response]:
    """The answers to more requests at once than are allowed."""
    async with stranger(url) as http:
        return await asyncio.gather(*(http.get("/v1/games") for _ in range(BURST)))


async def given(url: str, table: Table) -> str:
    """A ticket to the moderator's stream."""
    async with stranger(url) as http:
        answer = await http.post(
            f"/v1/matches/{table.id}/stream-tickets",
            headers={"Authorization": f"Bearer {table.moderator_key}"},
        )
    assert answer.status_code == 201, answer.text
    return str(answer.json()["ticket"])


async def shown(url: str, table: Table, ticket: str) -> int:
    """The answer to a ticket; nothing of the stream is read."""
    path = f"/v1/matches/{table.id}/stream"
    async with (
        stranger(url) as http,
        http.stream("GET", path, params={"ticket": ticket, "after": 0}) as stream,
    ):
        return stream.status_code


# Invariants.


def check_streams(following: Following, ledger: Ledger, records: Records, url: str) -> None:
    """Every stream has sent each line that a reader finds by request, once and in order; and it
    ended if its match did."""
    with local_http.client(url, timeout=PATIENCE) as http:
        for table in ledger.tables.values():
            over = any(isinstance(record.event, MatchEnded) for record in records[table.id])
            for viewer, key in audiences(table):
                lines = following.lines[table.id, viewer]
                assert lines == polled(http, table.id, named(viewer), key)
                assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
                assert ((table.id, viewer) in following.ended) == over


def polled(http: httpx.Client, match_id: str, audience: str, key: str) -> list[Json]:
    """All lines that an audience gets by request."""
    found: list[Json] = []
    while True:
        answer = http.get(
            f"/v1/matches/{match_id}/events",
            params={"as": audience, "after": len(found), "limit": 1_000},
            headers={"Authorization": f"Bearer {key}"},
        )
        assert answer.status_code == 200, answer.text
        page = answer.json()
        found += page["events"]
        if page["next"] is None:
            return found
