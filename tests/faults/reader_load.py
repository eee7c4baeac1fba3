"""Readers of the streams of running matches: fast readers of every match, slow ones of some long
matches; what they must have read, and how soon the fast ones were notified."""

import asyncio
import time
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import count, cycle, islice
from typing import Any, NamedTuple

import httpx
import msgspec

from domain.events import Event, Record
from domain.match.events import ActionReceived
from projections.audience.disclosure import MODERATOR, Viewer, viewer
from service.streams.forms import EVENT_STREAM
from tests.faults.continuous_matches import KINDS
from tests.faults.durability_checks import Records
from tests.faults.http_writers import Ledger, Service, Table
from tests.faults.stream_reader_process import Read, Wanted
from tests.faults.stream_readers import PACE, Readers, reader
from tests.support.tables.disclosed import disclosed
from tests.support.tables.own_lines import lines_of

ACTION_EVENTS: tuple[Viewer, ...] = (0, 1, MODERATOR)

PACES = (0, 0, 500, 4_000)
"""Bytes a second that slow readers read."""

READ_WHOLE = 16
CATCHING_UP = 120.0

Once = tuple[str, str]
"""An action, by its match's id and its sender's key."""


class Players(Service):
    """Client for players who think before they act. It records when each action was first sent, and
    when it was answered. No one waits for another player's connection."""

    def __init__(self, pause: float) -> None:
        super().__init__()
        self.pause = pause
        self.sent: dict[Once, float] = {}
        self.answered: dict[Once, float] = {}

    async def request(self, method: str, path: str, key: str, **more: Any) -> httpx.Response:
        """Sends until there is a real answer."""
        once = more.get("headers", {}).get("Idempotency-Key")
        if once is None:
            return await super().request(method, path, key, **more)
        await asyncio.sleep(self.pause)
        action = path.split("/")[3], once
        self.sent.setdefault(action, time.monotonic())
        answer = await super().request(method, path, key, **more)
        self.answered.setdefault(action, time.monotonic())
        return answer


class Delay(NamedTuple):
    """Seconds after which a fast reader received an action: since it was known to be acknowledged,
    before which the line may have come, and since it had been sent."""

    acknowledged: float
    sent: float


class Streams:
    """The lines to read, according to the record."""

    def __init__(self, records: Records) -> None:
        self._records = records
        self._frames: dict[tuple[str, str], list[bytes]] = {}

    def of(self, reader: Wanted) -> list[bytes]:
        """All lines that a reader receives, from the beginning."""
        stream = reader.match, reader.audience
        if stream not in self._frames:
            self._frames[stream] = [
                EVENT_STREAM.frame(one.seq, msgspec.json.encode(one))
                for one in lines_of(self._disclosed(reader))
            ]
        return self._frames[stream]

    def size(self, readers: Iterable[Wanted]) -> int:
        """Number of bytes that these readers receive."""
        return sum(len(frame) for each in readers for frame in self.of(each))

    def longest(self, readers: Iterable[Wanted]) -> int:
        """Size of the largest event that these readers receive, in bytes."""
        return max(len(frame) for each in readers for frame in self.of(each))

    def actions(self, reader: Wanted) -> dict[str, int]:
        """The keys of the actions that this reader receives, and the numbers of their lines."""
        return {
            record.event.key: seq
            for seq, record in self._disclosed(reader)
            if isinstance(record.event, ActionReceived) and record.event.key is not None
        }

    def _disclosed(self, reader: Wanted) -> Iterator[tuple[int, Record[Event]]]:
        seen_by = viewer(reader.audience)
        assert seen_by is not None
        return disclosed(seen_by, self._records[reader.match])


class Crowd:
    """All readers: `fast` ones of every match, `slow` ones, and `fresh` ones at the end.

    Fast ones have a process to themselves, `alone`: the time at which they receive must not depend
    on what the others read.
    """

    def __init__(self, alone: Readers, together: Readers, ledger: Ledger, fast: int) -> None:
        self.fast: list[Wanted] = []
        self.slow: list[Wanted] = []
        self.fresh: list[Wanted] = []
        self.alone, self.together = alone, together
        self.closing = False
        self._ledger = ledger
        self._known: set[str] = set()
        self._names = map(str, count())
        each, more = divmod(fast, len(KINDS))
        self._each = {kind: each + (n < more) for n, kind in enumerate(KINDS)}

    @property
    def everybody(self) -> list[Wanted]:
        """All who read to the end."""
        return self.fast + self.slow + self.fresh

    async def follow(self) -> None:
        """Fast readers join every match that begins, until `closing` is set."""
        while not self.closing:
            await self.come_fast()
            await asyncio.sleep(PACE)

    async def come_fast(self) -> None:
        """Fast readers join every match that has none yet."""
        new = [table for table in self._ledger.tables.values() if table.id not in self._known]
        self._known.update(table.id for table in new)
        come = [
            self._reader(table, seen_by)
            for table in new
            for seen_by in islice(cycle(ACTION_EVENTS), self._each[table.game, table.chance])
        ]
        self.fast += come
        await self.alone.come(come)

    async def come_and_go(
        self, some: int, places: Sequence[tuple[Table, Viewer]], streams: Streams
    ) -> None:
        """Readers join for whom there is nothing to read yet, and a few who read everything; when
        the latter have done so, all leave."""
        idle = [self._reader(*place, after=None) for place in islice(cycle(places), some)]
        whole = [self._reader(*place) for place in islice(cycle(places), READ_WHOLE)]
        ends = {each.name: len(streams.of(each)) for each in whole}
        await self.together.come(idle + whole)
        await self.together.until(
            lambda now: (
                now.begun == some + READ_WHOLE
                and all(now.last[name] >= end for name, end in ends.items())
            )
        )
        await self.together.leave(idle + whole)

    async def come_slow(self, some: int, places: Sequence[tuple[Table, Viewer]]) -> None:
        """This many slow readers join."""
        kinds = cycle((*place, pace) for pace in PACES for place in places)
        self.slow = [
            self._reader(table, seen_by, pace=pace) for table, seen_by, pace in islice(kinds, some)
        ]
        await self.together.come(self.slow)

    async def come_fresh(self) -> None:
        """A reader joins each stream and reads it from its beginning."""
        streams = {(each.match, each.audience): each for each in self.slow + self.fast}
        self.fresh = [
            Wanted(next(self._names), each.match, each.audience, each.key, after=0)
            for each in streams.values()
        ]
        await self.together.come(self.fresh)

    async def cut_off(self, patience: float) -> None:
        """Returns when every reader that reads nothing has been cut off."""
        stopped = [each.name for each in self.slow if each.pace == 0]
        await self.together.until(lambda now: all(now.cut[name] for name in stopped), patience)

    async def catches_up(self, streams: Streams) -> None:
        """Returns when every reader has received everything on record for it."""
        ends = {each.name: len(streams.of(each)) for each in self.everybody}
        for some in (self.alone, self.together):
            await some.until(
                lambda now: all(ends[name] == last for name, last in now.last.items()), CATCHING_UP
            )

    async def reads(self) -> dict[str, Read]:
        """What each has read, by name."""
        return {**await self.alone.report(), **await self.together.report()}

    def check(self, reads: dict[str, Read], streams: Streams) -> None:
        """Every reader received every line of its stream once and in order: a fresh reader what is
        on record, and all others the same. No fast reader was cut off."""
        fresh = {(each.match, each.audience): reads[each.name] for each in self.fresh}
        for each in self.fresh:
            assert reads[each.name].digest == digest(streams.of(each))
        for each in self.fast + self.slow:
            read, whole = reads[each.name], fresh[each.match, each.audience]
            assert not read.wrong, read.wrong
            assert (read.last, read.digest) == (whole.last, whole.digest)
        assert not any(reads[each.name].cut for each in self.fast)

    def delays(
        self, reads: dict[str, Read], streams: Streams, players: Players, since: float
    ) -> list[Delay]:
        """For every action since then: one value for each fast reader that was there and received
        it."""
        found = []
        for each in self.fast:
            read = reads[each.name]
            for key, seq in streams.actions(each).items():
                sent = players.sent.get((each.match, key), 0.0)
                if sent > max(since, read.begun):
                    received = read.at[seq - 1]
                    found.append(
                        Delay(received - players.answered[each.match, key], received - sent)
                    )
        return found

    def _reader(
        self, table: Table, seen_by: Viewer, after: int | None = 0, pace: int | None = None
    ) -> Wanted:
        return reader(next(self._names), table, seen_by, after, pace)


def digest(frames: Iterable[bytes]) -> str:
    """The result of a reader that received these lines."""
    return sha256(b"".join(frame.removesuffix(b"\n\n") for frame in frames)).hexdigest()


def share(delays: Sequence[float], part: float) -> float:
    """An upper bound for a part of them."""
    return sorted(delays)[min(len(delays) - 1, int(len(delays) * part))]
