"""Who reads the streams of matches that are being played: fast readers of every match, slow ones of
some that are long; what they must have read, and how soon the fast ones were told."""

import asyncio
import time
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import count, cycle, islice
from typing import Any, NamedTuple

import httpx

from domain.events import Event, Record
from domain.match_events import ActionReceived
from projections.disclosure import MODERATOR, Viewer, viewer
from projections.lines import disclosed, line
from service.streams.live_stream import EVENT_STREAM
from tests.support.faults.continuous_matches import KINDS
from tests.support.faults.durability_checks import Records
from tests.support.faults.http_writers import Ledger, Service, Table
from tests.support.faults.stream_reader_process import Read, Wanted
from tests.support.faults.stream_readers import PACE, Readers, reader

TOLD_OF_ACTIONS: tuple[Viewer, ...] = (0, 1, MODERATOR)

PACES = (0, 0, 500, 4_000)
"""How many bytes a second slow readers read."""

READ_WHOLE = 16
CATCHING_UP = 120.0

Once = tuple[str, str]
"""An action, by its match's id and its sender's key."""


class Players(Service):
    """The way to the service for players who think before they act. It is known when each action
    was first sent, and when that was answered. Nobody waits for another's connection."""

    connections = 100

    def __init__(self, pause: float) -> None:
        super().__init__()
        self.pause = pause
        self.sent: dict[Once, float] = {}
        self.answered: dict[Once, float] = {}

    async def ask(self, method: str, path: str, key: str, **more: Any) -> httpx.Response:
        """Asks until there is an answer that is one."""
        once = more.get("headers", {}).get("Idempotency-Key")
        if once is None:
            return await super().ask(method, path, key, **more)
        await asyncio.sleep(self.pause)
        action = path.split("/")[3], once
        self.sent.setdefault(action, time.monotonic())
        answer = await super().ask(method, path, key, **more)
        self.answered.setdefault(action, time.monotonic())
        return answer


class Delay(NamedTuple):
    """After how many seconds a fast reader was told of an action: since it was known to be
    acknowledged, before which the line may have come, and since it had been sent."""

    acknowledged: float
    sent: float


class Streams:
    """What is to be read, according to what is on record."""

    def __init__(self, records: Records) -> None:
        self._records = records
        self._frames: dict[tuple[str, str], list[bytes]] = {}

    def of(self, reader: Wanted) -> list[bytes]:
        """All that a reader is told, from the beginning."""
        stream = reader.match, reader.audience
        if stream not in self._frames:
            self._frames[stream] = [EVENT_STREAM.frame(line(*told)) for told in self._told(reader)]
        return self._frames[stream]

    def size(self, readers: Iterable[Wanted]) -> int:
        """How many bytes these are told."""
        return sum(len(frame) for each in readers for frame in self.of(each))

    def longest(self, readers: Iterable[Wanted]) -> int:
        """The most bytes that an event takes of which these are told."""
        return max(len(frame) for each in readers for frame in self.of(each))

    def actions(self, reader: Wanted) -> dict[str, int]:
        """The keys of the actions that he is told of, and the numbers of their lines."""
        return {
            record.event.key: seq
            for seq, record in self._told(reader)
            if isinstance(record.event, ActionReceived) and record.event.key is not None
        }

    def _told(self, reader: Wanted) -> Iterator[tuple[int, Record[Event]]]:
        seen_by = viewer(reader.audience)
        assert seen_by is not None
        return disclosed(seen_by, self._records[reader.match])


class Crowd:
    """All readers: `fast` ones of whatever is played, `slow` ones, and `fresh` ones at the end.

    Fast ones have a process to themselves, `alone`: when they were told must not depend on what
    the others read.
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
        """Fast readers come to every match that begins, until `closing` is set."""
        while not self.closing:
            await self.come_fast()
            await asyncio.sleep(PACE)

    async def come_fast(self) -> None:
        """Fast readers come to every match that has none yet."""
        new = [table for table in self._ledger.tables.values() if table.id not in self._known]
        self._known.update(table.id for table in new)
        come = [
            self._reader(table, seen_by)
            for table in new
            for seen_by in islice(cycle(TOLD_OF_ACTIONS), self._each[table.game, table.chance])
        ]
        self.fast += come
        await self.alone.come(come)

    async def come_and_go(
        self, some: int, places: Sequence[tuple[Table, Viewer]], streams: Streams
    ) -> None:
        """So many come for whom there is nothing to read yet, and a few who read everything; when
        these have done so, all leave."""
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
        """So many slow readers come."""
        kinds = cycle((*place, pace) for pace in PACES for place in places)
        self.slow = [
            self._reader(table, seen_by, pace=pace) for table, seen_by, pace in islice(kinds, some)
        ]
        await self.together.come(self.slow)

    async def come_fresh(self) -> None:
        """Somebody comes to each stream and reads it from its beginning."""
        streams = {(each.match, each.audience): each for each in self.slow + self.fast}
        self.fresh = [
            Wanted(next(self._names), each.match, each.audience, each.key, after=0)
            for each in streams.values()
        ]
        await self.together.come(self.fresh)

    async def cut_off(self, patience: float) -> None:
        """Returns when everybody who reads nothing has been cut off."""
        stopped = [each.name for each in self.slow if each.pace == 0]
        await self.together.until(lambda now: all(now.cut[name] for name in stopped), patience)

    async def catches_up(self, streams: Streams) -> None:
        """Returns when everybody has been told all that is on record for him."""
        ends = {each.name: len(streams.of(each)) for each in self.everybody}
        for some in (self.alone, self.together):
            await some.until(
                lambda now: all(ends[name] == last for name, last in now.last.items()), CATCHING_UP
            )

    async def reads(self) -> dict[str, Read]:
        """What each has read, by name."""
        return {**await self.alone.report(), **await self.together.report()}

    def check(self, reads: dict[str, Read], streams: Streams) -> None:
        """Everybody was told every line of his stream once and in order: whoever came fresh what is
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
        """Of every action since then: one for each fast reader who was there and told of it."""
        found = []
        for each in self.fast:
            read = reads[each.name]
            for key, seq in streams.actions(each).items():
                sent = players.sent.get((each.match, key), 0.0)
                if sent > max(since, read.begun):
                    told = read.at[seq - 1]
                    found.append(Delay(told - players.answered[each.match, key], told - sent))
        return found

    def _reader(
        self, table: Table, seen_by: Viewer, after: int | None = 0, pace: int | None = None
    ) -> Wanted:
        return reader(next(self._names), table, seen_by, after, pace)


def digest(frames: Iterable[bytes]) -> str:
    """What a reader has come to who was told these."""
    return sha256(b"".join(frame.removesuffix(b"\n\n") for frame in frames)).hexdigest()


def share(delays: Sequence[float], part: float) -> float:
    """What such a part of them does not exceed."""
    return sorted(delays)[min(len(delays) - 1, int(len(delays) * part))]
