"""Live stream of an audience's events, from a given number to the end of the match."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from uuid import UUID

import msgspec

from projections.disclosure import Viewer
from projections.lines import Line, line
from service.instance import Instance

PING_SECONDS = 15.0

LINES_A_CHUNK = 500
BYTES_A_CHUNK = 32 * 1024
"""Limits of a chunk. Lines are added until a chunk has this many lines or at least this many
bytes."""

FAR_BEHIND_LINES = 20
"""Readers that miss more lines than this wait for their turn (`Instance.catching_up`)."""

RETRY_MS = 500, 3_000
"""Range of the delay after which readers reconnect when the service stops, in milliseconds. It is
random, so that they do not all come back at once."""

_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True)
class Form:
    """The format of a stream. `ping` keeps a silent connection open; `farewell` is sent to readers
    that should reconnect."""

    media_type: str
    frame: Callable[[Line], bytes]
    ping: bytes
    farewell: Callable[[], bytes]


def _sse(event: Line) -> bytes:
    return b"id: %d\ndata: %s\n\n" % (event.seq, _encode(event))


def _ndjson(event: Line) -> bytes:
    return _encode(event) + b"\n"


def _retry_hint() -> bytes:
    soonest, latest = RETRY_MS
    return b"retry: %d\n\n" % (soonest + secrets.randbelow(latest - soonest))


EVENT_STREAM = Form("text/event-stream", _sse, b": ping\n\n", _retry_hint)
NDJSON = Form("application/x-ndjson", _ndjson, b"\n", lambda: b"\n")


async def follow(
    instance: Instance,
    match_id: UUID,
    viewer: Viewer,
    after: int,
    form: Form,
    allowed: Callable[[], Awaitable[bool]],
) -> AsyncIterator[bytes]:
    """Yields the audience's events after its number `after`, then each as it happens, for as long
    as the reader is `allowed` to read.

    Pings are sent at fixed times counted from the start, so their times reveal nothing about the
    match. At each ping the record is read again, in case a wake-up was lost. `allowed` is checked
    at each ping and before lines are sent, never because of an event hidden from the reader: the
    end of the stream would reveal that event.
    """
    loop = asyncio.get_running_loop()
    next_ping, limit = loop.time() + PING_SECONDS, LINES_A_CHUNK
    with instance.waiters.listening(match_id) as wake_up:
        while not instance.stopping.is_set():
            wake_up.clear()
            chunk, count, more = await _next_chunk(instance, match_id, viewer, after, limit, form)
            if count:
                if not await allowed():
                    return
                instance.instrumentation.sent(count)
                after += count
                # Where lines are long, read hardly more of them than fit into a chunk.
                limit = count + count // 4 + 1 if len(chunk) >= BYTES_A_CHUNK else LINES_A_CHUNK
                yield chunk
            if more:
                continue
            if await _everything_sent(instance, match_id, viewer, after):
                return
            if not await _wait_for_wake_up(wake_up, next_ping):
                while next_ping <= loop.time():
                    next_ping += PING_SECONDS
                if not await allowed():
                    return
                yield form.ping
    yield form.farewell()


async def _next_chunk(
    instance: Instance, match_id: UUID, viewer: Viewer, after: int, limit: int, form: Form
) -> tuple[bytes, int, bool]:
    """The next lines after number `after`, at most `limit`: their bytes, how many they are, and
    whether there are more.

    Only the bytes stay in memory, because a slow reader may leave them waiting for long.
    """
    _, projection = await instance.sessions.cached_projection(match_id, viewer)
    async with _catching_up(instance, projection.state.seq - after):
        if instance.stopping.is_set():
            return b"", 0, True
        numbered, more = await instance.sessions.lines(match_id, viewer, after, limit)
        frames, size = [], 0
        for seq, record in numbered:
            if size >= BYTES_A_CHUNK:
                break
            frames.append(form.frame(line(seq, record)))
            size += len(frames[-1])
        return b"".join(frames), len(frames), more or len(frames) < len(numbered)


def _catching_up(instance: Instance, missing: int) -> AbstractAsyncContextManager[object]:
    """A context that a reader far behind enters when it is its turn; others enter at once."""
    return nullcontext() if missing <= FAR_BEHIND_LINES else instance.catching_up


async def _everything_sent(instance: Instance, match_id: UUID, viewer: Viewer, after: int) -> bool:
    """Whether the match is over and the audience has been sent all its events."""
    _, projection = await instance.sessions.cached_projection(match_id, viewer)
    return projection.state.status in ("ended", "void") and projection.state.seq == after


async def _wait_for_wake_up(wake_up: asyncio.Event, next_ping: float) -> bool:
    """Waits for a wake-up until the next ping is due. Returns whether there was one."""
    try:
        async with asyncio.timeout_at(next_ping):
            await wake_up.wait()
    except TimeoutError:
        return False
    return True
