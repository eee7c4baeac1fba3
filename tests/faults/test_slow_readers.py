"""Many stream readers who read slowly or not at all, next to some who read everything, while
matches are played: the fast ones are notified soon, the slow ones use no more memory than each may
and are cut off, and when they come back they miss nothing and get nothing twice."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest

from projections.audience.disclosure import MODERATOR, Viewer
from service.streams.live_stream import BYTES_A_CHUNK
from tests.faults import continuous_matches
from tests.faults.continuous_matches import MatchSeries, begun
from tests.faults.durability_checks import Records, check_disk, check_repeats, check_views
from tests.faults.http_writers import Json, Ledger, Table, act
from tests.faults.reader_load import Crowd, Delay, Players, Streams, share
from tests.faults.stream_reader_process import Read
from tests.faults.stream_readers import PACE, reading
from tests.faults.worker_fleet import recorded
from tests.support.effort import new_chance, times
from tests.support.faults.resident_memory import Resident
from tests.support.faults.server_process import Process, on_disk
from tests.support.servers.instance_settings import KIND
from tests.support.servers.postgres_server import PostgresServer

pytestmark = pytest.mark.slow(
    because="it kills, cuts or damages what a service needs, again and again"
)

SLOW = times("readers, slow")
FAST = times("readers, fast")
LONG_FORM = SLOW > 500

LATEST = 0.25 if LONG_FORM else 5.0
"""Seconds within which 99 of 100 lines have come to fast readers. The short form runs next to other
tests, on a machine that may do something else for a second or two; it detects a service that
notifies fast readers only after everyone else, or after the silent readers have been cut off."""

HURRIED = () if LONG_FORM else ("--patience", "1.5")
"""The long form waits for a silent reader as long as the service does by default."""

CUT_OFF = 240.0 if LONG_FORM else 30.0
"""Seconds within which they have been cut off."""

LONG_GAME = "grouping-bw"
LONG = 1_000_000 if LONG_FORM else 600_000
"""Minimum bytes to read slowly: more than waits for a reader in the memory of the kernel, some
200,000, and in that of the service."""

REFUSED: Json = {"type": "group", **dict.fromkeys("abc", [2**50] * 32)}
"""No match can start with this action; it is recorded for its sender and the moderators."""

FILLER = 0
SENDERS = 8
REPEATED = 40

PAUSE = 0.25
MODERATOR_PACE = 0.5
"""Players and moderators who take their time: the test does not measure their speed."""

ANYHOW = 8_000_000
"""Bytes of memory that the matches themselves may add, however many read: between 2 and 5 million
were measured without slow readers."""

MEGABYTE = 1_000_000

HIGH_WATER = 64 * 1024
"""Bytes that a transport buffers before its writer has to wait."""


class Busy(NamedTuple):
    """CPU seconds that each process has used by a moment, or its share of one core."""

    at: float
    service: float
    players: float
    fast_readers: float
    other_readers: float

    def shares(self, before: "Busy") -> str:
        """The share of a core that each has used since then."""
        passed = self.at - before.at
        each = zip(self._fields[1:], self[1:], before[1:], strict=True)
        shares = ", ".join(f"{name} {(now - then) / passed:.2f}" for name, now, then in each)
        return f"of a core in {passed:.0f} s: {shares}"


@contextmanager
def served(folder: Path, *options: str) -> Iterator[tuple[Process, Callable[[], Records]]]:
    """A service, and the present records of its matches."""
    if KIND == "sqlite":
        with Process(folder, *options) as process:
            yield process, lambda: on_disk(folder)
        return
    with PostgresServer() as postgres:
        store = postgres.named_database("arbiter")
        with Process(folder, "--postgres", *options, store=store) as process:
            yield process, lambda: recorded(store)


@dataclass
class Scene:
    """A service, its players and its readers; there is much to read of `long` matches."""

    records: Callable[[], Records]
    players: Players
    ledger: Ledger
    places: list[MatchSeries]
    long: list[Table]
    crowd: Crowd
    resident: Resident

    async def slow_ones_come(self) -> int:
        """The service's memory after as many readers with nothing to read have come and gone; then
        the slow ones come."""
        read: list[tuple[Table, Viewer]] = [(t, v) for t in self.long for v in (FILLER, MODERATOR)]
        await self.crowd.come_and_go(SLOW, read, Streams(self.records()))
        before = self.resident.peak = self.resident.now()
        await self.crowd.come_slow(SLOW, read)
        return before

    @asynccontextmanager
    async def played(self, chance: random.Random) -> AsyncIterator[None]:
        """Everyone plays until the context exits, and fast readers join whatever match begins."""
        async with asyncio.TaskGroup() as tasks:
            playing = [tasks.create_task(t) for p in self.places for t in p.tasks(chance)]
            tasks.create_task(self.crowd.follow())
            yield
            self.players.closing = True
            await asyncio.wait(playing)
            self.crowd.closing = True

    async def busy(self) -> "Busy":
        """The CPU time of each process by now."""
        reading = [await some.progress() for some in (self.crowd.alone, self.crowd.together)]
        work = self.resident.busy(), time.process_time(), *(one.busy for one in reading)
        return Busy(time.monotonic(), *work)

    def bound(self, streams: Streams) -> int:
        """How much more memory slow readers may cost, in bytes: for each what waits below the mark
        at which the service stops writing, and three chunks next to. One of those that wait counts
        only for what the kernel has not taken of it, one goes over the mark, and one is next. No
        line is added to a chunk that is full, however long."""
        chunk = BYTES_A_CHUNK + streams.longest(self.crowd.slow)
        return SLOW * (HIGH_WATER + 3 * chunk) + ANYHOW


@asynccontextmanager
async def scene(folder: Path, *options: str) -> AsyncIterator[Scene]:
    """Matches of every game have begun, and fast readers have read all of them."""
    players, ledger = Players(PAUSE), Ledger()
    with (
        served(folder, *options) as (process, records),
        reading(process.url) as alone,
        reading(process.url) as together,
    ):
        await players.at(process.url)
        try:
            tables = await begun(players, ledger)
            long = [place.table for place in tables if place.table.game == LONG_GAME]
            await asyncio.gather(*(filled(process.url, ledger, table) for table in long))
            crowd = Crowd(alone, together, ledger, FAST)
            await crowd.come_fast()
            await crowd.catches_up(Streams(records()))
            resident = Resident(process.pid)
            yield Scene(records, players, ledger, tables, long, crowd, resident)
        finally:
            await players.away()


async def filled(url: str, ledger: Ledger, table: Table) -> None:
    """Sends refused actions until there is much to read."""
    sending = Players(pause=0.0)
    await sending.at(url)

    async def send(sender: int) -> None:
        for number in range(LONG // len(str(REFUSED)) // SENDERS + 1):
            await act(sending, ledger, table, FILLER, f"{sender}/{number}", REFUSED)

    await asyncio.gather(*map(send, range(SENDERS)))
    await sending.away()


async def test_fast_readers_are_notified_soon_and_slow_ones_cost_little_and_miss_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(continuous_matches, "MODERATOR_PACE", MODERATOR_PACE)
    # A rewind reads the long matches again, whose memory is not the readers'.
    monkeypatch.setattr(continuous_matches, "DOUBT", 0.0)
    chance = new_chance()
    async with scene(tmp_path, *HURRIED) as there, there.resident.watched():
        async with there.played(chance):
            before, since = await there.slow_ones_come(), time.monotonic()
            busy = await there.busy()
            await there.crowd.cut_off(CUT_OFF)
            shares = (await there.busy()).shares(busy)
        await there.crowd.together.wake()
        records = there.records()
        streams = Streams(records)
        await there.crowd.come_fresh()
        await there.crowd.catches_up(streams)
        peak, after = there.resident.peak, there.resident.now()

        reads = await there.crowd.reads()
        there.crowd.check(reads, streams)
        some = chance.sample(there.ledger.actions, REPEATED)
        await check_repeats(there.players, there.ledger, some)
        await check_views(there.players, there.ledger, records)
        check_disk(there.ledger, there.records())

        delays = there.crowd.delays(reads, streams, there.players, since)
        bound = there.bound(streams)
        memory = before, peak, after, bound, streams.size(there.crowd.slow)
        print(report(there, reads), soon(delays), cost(*memory), shares, sep="\n")  # noqa: T201
        assert share([delay.acknowledged for delay in delays], 0.99) < LATEST
        assert peak - before < bound


def report(there: Scene, reads: dict[str, Read]) -> str:
    """Which readers were there, and which of them the service cut off."""
    cut = Counter(each.pace for each in there.crowd.slow if reads[each.name].cut)
    slow = Counter(each.pace for each in there.crowd.slow)
    paces = ", ".join(f"{cut[pace]} of {slow[pace]} at {pace} bytes/s" for pace in slow)
    return (
        f"{len(there.ledger.actions)} actions in {len(there.ledger.tables)} matches, {FAST} fast"
        f" readers at a time; cut off {sum(read.cut for read in reads.values())} times: {paces}"
    )


def soon(delays: list[Delay]) -> str:
    """When fast readers were notified."""
    since = zip(Delay._fields, zip(*delays, strict=True), strict=True)
    return f"{len(delays)} lines to fast readers; " + ", ".join(
        f"{what} p50 {share(some, 0.5) * 1e3:.1f}, p99 {share(some, 0.99) * 1e3:.1f},"
        f" at most {max(some) * 1e3:.1f} ms"
        for what, some in since
    )


def cost(before: int, peak: int, after: int, bound: int, everything: int) -> str:
    """Their cost."""
    each = {
        "before": before,
        "peak": peak,
        "after": after,
        "the peak may be higher than before by": bound,
        "to read for slow readers": everything,
    }
    return ", ".join(f"{what} {size / MEGABYTE:.0f} MB" for what, size in each.items())


@pytest.mark.slow(because="it shows that the test above can fail")
async def test_control_readers_who_are_never_waited_for_cost_more(tmp_path: Path) -> None:
    async with scene(tmp_path, "--endless") as there, there.resident.watched():
        before = await there.slow_ones_come()
        bound = there.bound(Streams(there.records()))
        async with asyncio.timeout(CUT_OFF):
            while there.resident.peak - before < bound:  # noqa: ASYNC110  it is another process
                await asyncio.sleep(PACE)
