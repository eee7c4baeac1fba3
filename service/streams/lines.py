"""An audience's events from a number on, live, to the match's end."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from uuid import UUID
from weakref import WeakKeyDictionary

import msgspec

from projections.disclosure import Viewer
from projections.lines import Line, line
from service.arbiter import Arbiter

PING_SECONDS = 15.0

LINES_A_CHUNK = 500
BYTES_A_CHUNK = 32 * 1024
"""So much is made ready for a reader at once: to less than that another line is added."""

FAR_BEHIND = 20
"""Who lacks more lines than these is read for when it is his turn."""

TURNS = 2
"""So many are read for at a time. Who lacks only what has just happened does not wait for them, nor
do those who act, however many come from far behind."""

BACK_AFTER_MS = 500, 3_000
"""When readers come back, in milliseconds, if the service stops: not all of them at once."""

_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True)
class Form:
    """How lines look on the wire; `ping` is what keeps a silent connection open, `farewell` what a
    reader is told who is to come back elsewhere."""

    media_type: str
    frame: Callable[[Line], bytes]
    ping: bytes
    farewell: Callable[[], bytes]


def _sse(told: Line) -> bytes:
    return b"id: %d\ndata: %s\n\n" % (told.seq, _encode(told))


def _ndjson(told: Line) -> bytes:
    return _encode(told) + b"\n"


def _come_back() -> bytes:
    soonest, latest = BACK_AFTER_MS
    return b"retry: %d\n\n" % (soonest + secrets.randbelow(latest - soonest))


EVENT_STREAM = Form("text/event-stream", _sse, b": ping\n\n", _come_back)
NDJSON = Form("application/x-ndjson", _ndjson, b"\n", lambda: b"\n")


async def follow(
    arbiter: Arbiter,
    match_id: UUID,
    viewer: Viewer,
    after: int,
    form: Form,
    allowed: Callable[[], Awaitable[bool]],
) -> AsyncIterator[bytes]:
    """The audience's events behind its number `after`, then each as it happens, for as long as
    the reader is `allowed` to.

    Pings follow a beat of their own, counted from the start: when one is sent tells nothing of
    what else happened in the match. Each is also a second look, should a wake-up be lost. Whether
    the reader is still allowed is asked on the beat and before a line is sent, never because
    something happened that he is not told of: the end of a stream would tell him.
    """
    loop = asyncio.get_running_loop()
    beat, most = loop.time() + PING_SECONDS, LINES_A_CHUNK
    with arbiter.hub.listening(match_id) as news:
        while not arbiter.stopping.is_set():
            news.clear()
            chunk, told, more = await _next(arbiter, match_id, viewer, after, most, form)
            if told:
                if not await allowed():
                    return
                arbiter.watcher.sent(told)
                after += told
                # Where lines are long, no more are read than there is room for, or hardly.
                most = told + told // 4 + 1 if len(chunk) >= BYTES_A_CHUNK else LINES_A_CHUNK
                yield chunk
            if more:
                continue
            if await _over(arbiter, match_id, viewer, after):
                return
            if not await _woken(news, beat):
                while beat <= loop.time():
                    beat += PING_SECONDS
                if not await allowed():
                    return
                yield form.ping
    yield form.farewell()


async def _next(
    arbiter: Arbiter, match_id: UUID, viewer: Viewer, after: int, most: int, form: Form
) -> tuple[bytes, int, bool]:
    """The next lines behind number `after`, `most` of them at most; how many they are, and whether
    there are more.

    Nothing but their bytes is left of them then: a reader may let them wait for long.
    """
    _, reader = await arbiter.open_matches.read_known(match_id, viewer)
    async with _turn(arbiter, reader.sight.seq - after):
        if arbiter.stopping.is_set():
            return b"", 0, True
        numbered, more = await arbiter.open_matches.lines(match_id, viewer, after, most)
        frames, size = [], 0
        for seq, record in numbered:
            if size >= BYTES_A_CHUNK:
                break
            frames.append(form.frame(line(seq, record)))
            size += len(frames[-1])
        return b"".join(frames), len(frames), more or len(frames) < len(numbered)


_turns: WeakKeyDictionary[Arbiter, asyncio.Semaphore] = WeakKeyDictionary()


def _turn(arbiter: Arbiter, lacking: int) -> AbstractAsyncContextManager[None]:
    """Entered when it is the turn of a reader who lacks so many lines."""
    if lacking <= FAR_BEHIND:
        return nullcontext()
    return _turns.setdefault(arbiter, asyncio.Semaphore(TURNS))


async def _over(arbiter: Arbiter, match_id: UUID, viewer: Viewer, after: int) -> bool:
    """Whether the match is over and the audience has been told everything."""
    _, reader = await arbiter.open_matches.read_known(match_id, viewer)
    return reader.sight.status in ("ended", "void") and reader.sight.seq == after


async def _woken(news: asyncio.Event, beat: float) -> bool:
    """Waits for news until the next beat; whether there is some."""
    try:
        async with asyncio.timeout_at(beat):
            await news.wait()
    except TimeoutError:
        return False
    return True
