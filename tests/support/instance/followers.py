"""Readers of an instance's live streams, without HTTP."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Hashable, Iterator
from contextlib import asynccontextmanager
from uuid import UUID

import msgspec

from projections.audience.disclosure import PUBLIC_VIEWER, Viewer, may_see
from service.instance import Instance
from service.streams.channels import EVENT_STREAM, NDJSON
from service.streams.live_stream import Reader
from tests.support.instance.service_instance import lines_of, on_record
from tests.support.waiting import until


class Connection:
    """A connection that records what is written to it directly, unless it is `full`."""

    def __init__(self) -> None:
        self.chunks: list[bytes] = []
        self.full = False

    def write(self, chunk: bytes) -> bool:
        """Takes a chunk of an HTTP body."""
        if self.full:
            return False
        size, _, rest = chunk.partition(b"\r\n")
        assert len(rest) == int(size, 16) + 2 and rest.endswith(b"\r\n"), "a chunk as in RFC 9112"
        self.chunks.append(rest[:-2])
        return True

    @property
    def lines(self) -> list[bytes]:
        return list(lines_in(b"".join(self.chunks)))


class Follower(Connection):
    """A reader that follows a match. `yielded` are the chunks that it got by catching up, `asked`
    is how often it was asked whether it may read, which it may while `allowed`."""

    def __init__(
        self,
        instance: Instance,
        match_id: UUID,
        viewer: Viewer = PUBLIC_VIEWER,
        watches: Collection[Hashable] = (),
    ) -> None:
        super().__init__()
        self.viewer = viewer
        self.yielded: list[bytes] = []
        self.allowed = True
        self.asked = 0
        reader = Reader(viewer, NDJSON, self._may_read, watches, self)
        self.reading = asyncio.create_task(self._read(instance.streams.follow(match_id, reader, 0)))

    async def _may_read(self) -> bool:
        self.asked += 1
        return self.allowed

    async def _read(self, stream: AsyncIterator[bytes]) -> None:
        async for chunk in stream:
            self.yielded.append(chunk)
            self.chunks.append(chunk)


async def everyone() -> bool:
    """Whether anyone may read: yes."""
    return True


async def contents(
    instance: Instance,
    match_id: UUID,
    viewer: Viewer = PUBLIC_VIEWER,
    after: int = 0,
    allowed: Callable[[], Awaitable[bool]] = everyone,
) -> AsyncIterator[bytes]:
    """The chunks of a stream of server-sent events after its opening; nothing is written
    directly."""
    reader = Reader(viewer, EVENT_STREAM, allowed)
    stream = instance.streams.follow(match_id, reader, after)
    opening = await anext(stream)
    assert re.fullmatch(rb"retry: \d+\nid: %d\n\n" % after, opening)
    async for chunk in stream:
        yield chunk


def lines_in(body: bytes) -> Iterator[bytes]:
    """The lines of a body, without pings."""
    return (line for line in body.split(b"\n") if line)


@asynccontextmanager
async def following(
    instance: Instance, match_id: UUID, *viewers: Viewer, count: int = 1
) -> AsyncIterator[list[Follower]]:
    """This many followers for each audience; all have caught up."""
    followers = [Follower(instance, match_id, viewer) for viewer in viewers for _ in range(count)]
    try:
        await caught_up(instance, match_id, followers)
        yield followers
    finally:
        for one in followers:
            one.reading.cancel()
        await asyncio.gather(*(one.reading for one in followers), return_exceptions=True)


def expected(instance: Instance, match_id: UUID, viewer: Viewer) -> list[bytes]:
    """The lines of an audience, by the record."""
    return lines_of([one for one in on_record(instance, match_id) if may_see(viewer, one.event)])


async def caught_up(instance: Instance, match_id: UUID, followers: list[Follower]) -> None:
    """Returns when every follower has all its lines; each has them once and in order."""
    viewers = {one.viewer for one in followers}
    wanted = {viewer: expected(instance, match_id, viewer) for viewer in viewers}
    await until(lambda: all(len(one.lines) >= len(wanted[one.viewer]) for one in followers), 10)
    for one in followers:
        assert one.lines[: len(wanted[one.viewer])] == wanted[one.viewer]


async def has_ended(instance: Instance, match_id: UUID, follower: Follower) -> None:
    """Returns when the follower's stream has ended, with all its lines and the end."""
    async with asyncio.timeout(10):
        await follower.reading
    wanted = expected(instance, match_id, follower.viewer)
    end = msgspec.json.encode({"end": True, "seq": len(wanted)})
    assert follower.lines == [*wanted, end]


async def turns(count: int = 200) -> None:
    """Lets everything that waits for nothing else happen."""
    for _ in range(count):
        await asyncio.sleep(0)
