"""Live stream of an audience's events, from a given number to the end of the match, or of the
tournament."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Collection, Hashable
from contextlib import aclosing, nullcontext, suppress
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from anyio import CapacityLimiter

from projections.audience.disclosure import Viewer
from projections.audience.own_lines import AudienceLines
from service.application.evidence.reads import KeyReading
from service.event_store.errors import StoreUnavailable
from service.event_store.integrity.digests import RecordAltered
from service.event_store.integrity.store_health import StoreHealth
from service.observability.instrumentation import Instrumentation
from service.streams.broadcast import Broadcast
from service.streams.channels import ChunkWriter, FollowedRecord, Form, Member
from service.streams.match_growth import MatchGrowth

PING_SECONDS = 15.0

LINES_A_CHUNK = 500
BYTES_A_CHUNK = 32 * 1024
"""Limits of a chunk. Lines are added until a chunk has this many lines or at least this many
bytes."""

CATCHING_UP = 2
"""Maximum number of streams that read far behind the end at the same time. Readers near the end,
and senders of actions, do not wait for them."""

FAR_BEHIND_LINES = 20
"""Readers that miss more lines than this wait for their turn (`LiveStreams.catching_up`)."""


@dataclass(frozen=True)
class Reader:
    """Who reads a stream, and how.

    `allowed` says whether they still may; `watches` are the keys, tickets and tournaments by which
    they may, so that they are asked again when one of these ends. With a `writer` lines are written
    to the connection directly. `reading` accounts for the lines, where they go to a key; those of
    hidden things are accounted for before they are sent, so such a reader has no writer.
    """

    viewer: Viewer
    form: Form
    allowed: Callable[[], Awaitable[bool]]
    watches: Collection[Hashable] = ()
    writer: ChunkWriter | None = None
    reading: KeyReading | None = None


class Records(Protocol):
    """The matches, or the tournaments, of an instance, as streams read them."""

    async def projection(
        self, id_: UUID, viewer: Viewer, /
    ) -> tuple[FollowedRecord, AudienceLines]:
        """A record and the events of an audience, at the end of what is on record."""

    async def cached_projection(
        self, id_: UUID, viewer: Viewer, /
    ) -> tuple[FollowedRecord, AudienceLines]:
        """The same at the end of what is in memory."""

    async def lines(
        self, id_: UUID, viewer: Viewer, after: int, limit: int, /
    ) -> tuple[list[bytes], bool]:
        """The audience's lines after its number `after`, at most `limit`, and whether there are
        more."""


@dataclass(frozen=True)
class StreamParts:
    """What all live streams of an instance share. When `stopping` is set they end, and their
    readers come back elsewhere. `catching_up` bounds how many read far behind the end at the same
    time; `growth` is what streams of tournaments say of their matches."""

    broadcast: Broadcast
    instrumentation: Instrumentation
    stopping: asyncio.Event
    catching_up: CapacityLimiter
    health: StoreHealth
    growth: MatchGrowth


class LiveStreams:
    """The live streams of the matches, or of the tournaments, of an instance."""

    def __init__(self, records: Records, parts: StreamParts) -> None:
        self.records = records
        self.broadcast = parts.broadcast
        self.instrumentation = parts.instrumentation
        self.stopping = parts.stopping
        self.catching_up = parts.catching_up
        self.health = parts.health
        self.growth = parts.growth

    async def follow(self, match_id: UUID, reader: Reader, after: int) -> AsyncIterator[bytes]:
        """Yields the audience's events after its number `after`, then each as it happens, for as
        long as the reader is allowed to read. What is broadcast goes to the reader's `writer`
        instead.

        Pings are sent at fixed times counted from the start, so their times reveal nothing about
        the match. Whether the reader is allowed is checked at each ping, before lines are read, and
        when a key or a role ends; never because of an event hidden from the reader: the end of the
        stream would reveal that event.

        While the store does not answer nothing but pings is sent, and the store is asked again once
        it works. With damaged bytes, of the store or of this record, the stream ends like that of a
        service that stops.
        """
        try:
            async with aclosing(self._follow(match_id, reader, after)) as chunks:
                async for chunk in chunks:
                    yield chunk
        except RecordAltered:
            # Reported when it was found. A reader who comes back gets the error.
            yield reader.form.farewell()

    async def _follow(
        self, match_id: UUID, reader: Reader, after: int
    ) -> AsyncGenerator[bytes, None]:
        form, beat, place = reader.form, _Beat(), _Place(after, self.growth.now)
        if opening := form.opening(after):
            yield opening
        with self.broadcast.following(match_id):
            while not self.stopping.is_set():
                worked = self.health.worked
                try:
                    chunk, more = await self._catch_up(match_id, reader, place)
                except StoreUnavailable as error:
                    if not error.passes:
                        break
                    while not await beat.missed(worked):
                        yield form.ping
                    continue
                if chunk:
                    yield chunk
                if place.ended:
                    return
                if more:
                    # What is in memory and a fast reader need no waiting: others have their turn.
                    await asyncio.sleep(0)
                    continue
                async with aclosing(self._waited(match_id, reader, place, beat)) as chunks:
                    async for chunk in chunks:
                        yield chunk
        yield form.farewell()

    async def _waited(
        self, match_id: UUID, reader: Reader, place: "_Place", beat: "_Beat"
    ) -> AsyncGenerator[bytes, None]:
        """Waits in the reader's channel until there is something to catch up with; what is said
        meanwhile without a number, and pings."""
        form = reader.form
        while news := self._growth(match_id, form, place):
            yield news
        member = Member(place.after, form, reader.writer, reader.watches, reader.reading)
        with self.broadcast.joined(match_id, reader.viewer, member) as joined:
            while joined and await self._ping_due(reader, member, beat):
                yield form.ping
        place.after, place.must_ask = member.seq, member.must_ask

    def _growth(self, match_id: UUID, form: Form, place: "_Place") -> bytes:
        """What is new of the matches of a tournament; nothing in the stream of a match."""
        grown = self.growth.since(match_id, place.growth)
        if grown:
            place.growth = grown[-1].number
        return b"".join(form.grown(growth.text) for growth in grown)

    async def _catch_up(
        self, match_id: UUID, reader: Reader, place: "_Place"
    ) -> tuple[bytes, bool]:
        """The next bytes of a stream, with its end after the last line of a match that is over;
        and whether there are more. Moves the reader's place. Raises StoreUnavailable; then nothing
        has moved."""
        if place.must_ask and not await reader.allowed():
            place.ended = True
            return b"", False
        chunk, count, more = await self._next_chunk(match_id, reader, place.after, place.limit)
        if count and not await reader.allowed():
            place.ended = True
            return b"", False
        end = place.after + count
        if count and reader.reading is not None:
            await reader.reading.add(end)
        place.ended = not more and await self.everything_sent(match_id, reader.viewer, end)
        place.after, place.must_ask = end, False
        if count:
            self.instrumentation.count_lines(count)
            # Where lines are long, read hardly more of them than fit into a chunk.
            place.limit = count + count // 4 + 1 if len(chunk) >= BYTES_A_CHUNK else LINES_A_CHUNK
        return chunk + reader.form.end(end) if place.ended else chunk, more

    async def _ping_due(self, reader: Reader, member: Member, beat: "_Beat") -> bool:
        """Waits until a ping is due. Returns False as soon as the member has left its channel, or
        if it has to ask whether it may read on."""
        if await beat.missed(member.left):
            return False
        with suppress(StoreUnavailable):
            if await reader.allowed():
                return True
        member.must_ask = True
        return False

    async def wait_for_event(
        self, match_id: UUID, viewer: Viewer, after: int, seconds: float
    ) -> None:
        """Returns when the audience has an event after its number `after`: at once if there is one,
        if the match is over or the service stops, and at the latest after `seconds`.

        When it returns depends on the audience's own events alone. Raises UnknownMatch, or the
        store's own errors.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                with self.broadcast.following(match_id):
                    await self._news(match_id, viewer, after)

    async def _news(self, match_id: UUID, viewer: Viewer, after: int) -> None:
        while not self.stopping.is_set():
            loaded, projection = await self.records.projection(match_id, viewer)
            if loaded.over or projection.seq > after:
                return
            member = Member(after)
            with self.broadcast.joined(match_id, viewer, member) as joined:
                if joined:
                    await member.left.wait()

    async def everything_sent(self, match_id: UUID, viewer: Viewer, after: int) -> bool:
        """Whether the match is over and the audience has no events after its number `after`."""
        loaded, projection = await self.records.cached_projection(match_id, viewer)
        return loaded.over and projection.seq == after

    async def _next_chunk(
        self, match_id: UUID, reader: Reader, after: int, limit: int
    ) -> tuple[bytes, int, bool]:
        """The next lines after number `after`, at most `limit`: their bytes, how many they are, and
        whether there are more.

        Only the bytes stay in memory, because a slow reader may leave them waiting for long.
        """
        _, projection = await self.records.cached_projection(match_id, reader.viewer)
        # A reader far behind waits for its turn.
        near = projection.seq - after <= FAR_BEHIND_LINES
        async with nullcontext() if near else self.catching_up:
            if self.stopping.is_set():
                return b"", 0, True
            lines, more = await self.records.lines(match_id, reader.viewer, after, limit)
            frames, size = [], 0
            for seq, line in enumerate(lines, after + 1):
                if size >= BYTES_A_CHUNK:
                    break
                frames.append(reader.form.frame(seq, line))
                size += len(frames[-1])
            return b"".join(frames), len(frames), more or len(frames) < len(lines)


class _Place:
    """How far a reader is, the count of the last `growth` of matches that it was sent, how many
    lines to read next, whether to ask first if it may read on, and whether its stream is at its
    end."""

    __slots__ = ("after", "ended", "growth", "limit", "must_ask")

    def __init__(self, after: int, growth: int) -> None:
        self.after = after
        self.growth = growth
        self.limit = LINES_A_CHUNK
        self.must_ask = False
        self.ended = False


class _Beat:
    """The times of a stream's pings, counted from its start."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._next = self._loop.time() + PING_SECONDS

    async def missed(self, leaving: asyncio.Event) -> bool:
        """Waits until the next ping is due. Returns True as soon as the member has left."""
        try:
            async with asyncio.timeout_at(self._next):
                await leaving.wait()
        except TimeoutError:
            while self._next <= self._loop.time():
                self._next += PING_SECONDS
            return False
        return True
