"""Readers of the streams of running matches: what they must have read, and how soon they were
notified."""

import asyncio
import time
from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import count, cycle, islice
from typing import Any

import httpx
import msgspec

from domain.events import Event, Record
from domain.match.events import ActionReceived
from projections.audience.disclosure import MODERATOR, Viewer, name_audience, viewer
from service.streams.channels import EVENT_STREAM
from tests.faults.continuous_matches import KINDS
from tests.faults.durability_checks import Records
from tests.faults.http_writers import Ledger, Service, Table
from tests.faults.stream_reader_process import Read, Wanted
from tests.faults.stream_readers import PACE, Readers
from tests.support.tables.own_events import disclosed, lines_of

ACTION_EVENTS: tuple[Viewer, ...] = (0, 1, MODERATOR)
CATCHING_UP = 120.0

Once = tuple[str, str]
"""An action, by its match's id and its sender's key."""


class Players(Service):
    """Client for players. It records when each action was first sent, and when it was answered."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: dict[Once, float] = {}
        self.answered: dict[Once, float] = {}

    async def request(self, method: str, path: str, key: str, **more: Any) -> httpx.Response:
        """Sends until there is a real answer."""
        once = more.get("headers", {}).get("Idempotency-Key")
        if once is None:
            return await super().request(method, path, key, **more)
        action = path.split("/")[3], once
        self.sent.setdefault(action, time.monotonic())
        answer = await super().request(method, path, key, **more)
        self.answered.setdefault(action, time.monotonic())
        return answer


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
    """Readers of every match as it begins, and `fresh` ones at the end."""

    def __init__(self, readers: Readers, ledger: Ledger, some: int) -> None:
        self.early: list[Wanted] = []
        self.fresh: list[Wanted] = []
        self.closing = False
        self._readers, self._ledger = readers, ledger
        self._known: set[str] = set()
        self._names = map(str, count())
        each, more = divmod(some, len(KINDS))
        self._each = {kind: each + (n < more) for n, kind in enumerate(KINDS)}

    async def follow(self) -> None:
        """Readers join every match that begins, until `closing` is set."""
        while not self.closing:
            await self.come()
            await asyncio.sleep(PACE)

    async def come(self) -> None:
        """Readers join every match that has none yet."""
        new = [table for table in self._ledger.tables.values() if table.id not in self._known]
        self._known.update(table.id for table in new)
        come = [
            self._reader(table, seen_by)
            for table in new
            for seen_by in islice(cycle(ACTION_EVENTS), self._each[table.game, table.chance])
        ]
        self.early += come
        await self._readers.come(come)

    async def come_fresh(self) -> None:
        """A reader joins each stream and reads it from its beginning."""
        streams = {(each.match, each.audience): each for each in self.early}
        self.fresh = [
            Wanted(next(self._names), each.match, each.audience, each.key, after=0)
            for each in streams.values()
        ]
        await self._readers.come(self.fresh)

    async def catches_up(self, streams: Streams) -> None:
        """Returns when every reader has received everything on record for it."""
        ends = {each.name: len(streams.of(each)) for each in self.early + self.fresh}
        await self._readers.until(
            lambda now: all(ends[name] == last for name, last in now.last.items()), CATCHING_UP
        )

    def check(self, reads: dict[str, Read], streams: Streams) -> None:
        """Every reader received every line of its stream once and in order: a fresh reader what is
        on record, and all others the same. No one was cut off."""
        fresh = {(each.match, each.audience): reads[each.name] for each in self.fresh}
        for each in self.fresh:
            assert reads[each.name].digest == digest(streams.of(each))
        for each in self.early:
            read, whole = reads[each.name], fresh[each.match, each.audience]
            assert not read.wrong, read.wrong
            assert (read.last, read.digest) == (whole.last, whole.digest)
            assert not read.cut

    def delays(self, reads: dict[str, Read], streams: Streams, players: Players) -> list[float]:
        """For each reader and action that was sent since it came: the seconds after which it has
        received it, since the action was known to be acknowledged."""
        return [
            reads[each.name].at[seq - 1] - players.answered[each.match, key]
            for each in self.early
            for key, seq in streams.actions(each).items()
            if players.sent.get((each.match, key), 0.0) > reads[each.name].begun
        ]

    def _reader(self, table: Table, seen_by: Viewer) -> Wanted:
        """A reader of a match, with the key of the audience."""
        key = table.seat_keys[seen_by] if isinstance(seen_by, int) else table.moderator_key
        return Wanted(next(self._names), table.id, name_audience(seen_by), key, after=0)


def digest(frames: Iterable[bytes]) -> str:
    """The result of a reader that received these lines."""
    return sha256(b"".join(frame.removesuffix(b"\n\n") for frame in frames)).hexdigest()
