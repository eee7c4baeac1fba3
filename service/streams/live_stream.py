"""Live stream of an audience's events, from a given number to the end of the match."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Collection, Hashable
from contextlib import AbstractAsyncContextManager, aclosing, nullcontext
from dataclasses import dataclass
from uuid import UUID

from anyio import CapacityLimiter

from projections.disclosure import Viewer
from service.application.match_sessions import MatchSessions
from service.event_store.digests import RecordAltered
from service.observability.instrumentation import Instrumentation
from service.streams.broadcast import Broadcast, ChunkWriter, Member
from service.streams.forms import Form

PING_SECONDS = 15.0

LINES_A_CHUNK = 500
BYTES_A_CHUNK = 32 * 1024
"""Limits of a chunk. Lines are added until a chunk has this many lines or at least this many
bytes."""

FAR_BEHIND_LINES = 20
"""Readers that miss more lines than this wait for their turn (`LiveStreams.catching_up`)."""


@dataclass(frozen=True)
class Reader:
    """Who reads a stream, and how.

    `allowed` says whether they still may; `watches` are the keys, tickets and tournaments by which
    they may, so that they are asked again when one of these ends. With a `writer` lines are written
    to the connection directly.
    """

    viewer: Viewer
    form: Form
    allowed: Callable[[], Awaitable[bool]]
    watches: Collection[Hashable] = ()
    writer: ChunkWriter | None = None


@dataclass(frozen=True)
class LiveStreams:
    """The live streams of an instance. When `stopping` is set they end, and their readers come back
    elsewhere. `catching_up` bounds how many read far behind the end at the same time."""

    sessions: MatchSessions
    broadcast: Broadcast
    instrumentation: Instrumentation
    stopping: asyncio.Event
    catching_up: CapacityLimiter

    async def follow(self, match_id: UUID, reader: Reader, after: int) -> AsyncIterator[bytes]:
        """Yields the audience's events after its number `after`, then each as it happens, for as
        long as the reader is allowed to read. What is broadcast goes to the reader's `writer`
        instead.

        Pings are sent at fixed times counted from the start, so their times reveal nothing about
        the match. Whether the reader is allowed is checked at each ping, before lines are read, and
        when a key or a role ends; never because of an event hidden from the reader: the end of the
        stream would reveal that event. A damaged record ends the stream like an outage.
        """
        try:
            async with aclosing(self._follow(match_id, reader, after)) as chunks:
                async for chunk in chunks:
                    yield chunk
        except RecordAltered:
            # Reported when it was found. Who comes back is told.
            yield reader.form.farewell()

    async def _follow(
        self, match_id: UUID, reader: Reader, after: int
    ) -> AsyncGenerator[bytes, None]:
        viewer, form = reader.viewer, reader.form
        beat, limit = _Beat(), LINES_A_CHUNK
        if opening := form.opening(after):
            yield opening
        with self.broadcast.following(match_id):
            while not self.stopping.is_set():
                chunk, count, more = await self._next_chunk(match_id, reader, after, limit)
                if count:
                    if not await reader.allowed():
                        return
                    self.instrumentation.sent(count)
                    after += count
                    # Where lines are long, read hardly more of them than fit into a chunk.
                    limit = count + count // 4 + 1 if len(chunk) >= BYTES_A_CHUNK else LINES_A_CHUNK
                    yield chunk
                if more:
                    continue
                if await self.everything_sent(match_id, viewer, after):
                    yield form.end(after)
                    return
                member = Member(after, form, reader.writer, reader.watches)
                with self.broadcast.joined(match_id, viewer, member) as joined:
                    while joined and not await beat.missed(member.left):
                        if not await reader.allowed():
                            return
                        yield form.ping
                after = member.seq
                if member.must_ask and not await reader.allowed():
                    return
        yield form.farewell()

    async def everything_sent(self, match_id: UUID, viewer: Viewer, after: int) -> bool:
        """Whether the match is over and the audience has no events after its number `after`."""
        loaded, projection = await self.sessions.cached_projection(match_id, viewer)
        return loaded.over and projection.seq == after

    async def _next_chunk(
        self, match_id: UUID, reader: Reader, after: int, limit: int
    ) -> tuple[bytes, int, bool]:
        """The next lines after number `after`, at most `limit`: their bytes, how many they are, and
        whether there are more.

        Only the bytes stay in memory, because a slow reader may leave them waiting for long.
        """
        _, projection = await self.sessions.cached_projection(match_id, reader.viewer)
        async with self._turn_to_catch_up(projection.seq - after):
            if self.stopping.is_set():
                return b"", 0, True
            lines, more = await self.sessions.lines(match_id, reader.viewer, after, limit)
            frames, size = [], 0
            for seq, line in enumerate(lines, after + 1):
                if size >= BYTES_A_CHUNK:
                    break
                frames.append(reader.form.frame(seq, line))
                size += len(frames[-1])
            return b"".join(frames), len(frames), more or len(frames) < len(lines)

    def _turn_to_catch_up(self, missing: int) -> AbstractAsyncContextManager[object]:
        """A context that a reader far behind enters when it is its turn; others enter at once."""
        return nullcontext() if missing <= FAR_BEHIND_LINES else self.catching_up


class _Beat:
    """The times of a stream's pings, counted from its start."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._next = self._loop.time() + PING_SECONDS

    async def missed(self, left: asyncio.Event) -> bool:
        """Waits until the next ping is due. Returns True as soon as the member has left."""
        try:
            async with asyncio.timeout_at(self._next):
                await left.wait()
        except TimeoutError:
            while self._next <= self._loop.time():
                self._next += PING_SECONDS
            return False
        return True
