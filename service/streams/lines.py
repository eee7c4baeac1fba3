"""An audience's events from a number on, live, to the match's end."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from uuid import UUID

import msgspec

from projections.disclosure import Viewer
from projections.lines import Line, line
from service.arbiter import Arbiter

PING_SECONDS = 15.0
LINES_A_CHUNK = 500

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
    beat = loop.time() + PING_SECONDS
    with arbiter.hub.listening(match_id) as news:
        while not arbiter.stopping.is_set():
            news.clear()
            numbered, more = await arbiter.open_matches.lines(
                match_id, viewer, after, LINES_A_CHUNK
            )
            if numbered:
                if not await allowed():
                    return
                after = numbered[-1][0]
                arbiter.watcher.sent(len(numbered))
                yield b"".join(form.frame(line(seq, record)) for seq, record in numbered)
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
