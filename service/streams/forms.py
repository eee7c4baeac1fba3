"""The two forms of a live stream: server-sent events, and lines of JSON."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass

RETRY_MS = 500, 3_000
"""Range of the delay after which readers reconnect, in milliseconds. It is random, so that they do
not all come back at once."""


def chunk(body: bytes) -> bytes:
    """Bytes of an HTTP body as a chunk of it (RFC 9112, 7.1)."""
    return b"%x\r\n%b\r\n" % (len(body), body)


@dataclass(frozen=True, eq=False)
class Form:
    """The form of a stream; there is one object of each.

    `opening` begins a stream after a number: a browser that is cut off before the first event
    knows where to go on. `frame` is a line, given its number and its JSON. `ping` keeps a silent
    connection open. `farewell` is sent to readers that should reconnect, `end` when the match is
    over and the audience has all its events. `grown` says in the stream of a tournament, without a
    number, that one of its matches has grown.
    """

    media_type: str
    opening: Callable[[int], bytes]
    frame: Callable[[int, bytes], bytes]
    ping: bytes
    farewell: Callable[[], bytes]
    end: Callable[[int], bytes]
    grown: Callable[[bytes], bytes]


def _retry_hint() -> bytes:
    soonest, latest = RETRY_MS
    return b"retry: %d\n\n" % (soonest + secrets.randbelow(latest - soonest))


EVENT_STREAM = Form(
    "text/event-stream",
    opening=lambda seq: _retry_hint()[:-1] + b"id: %d\n\n" % seq,
    frame=lambda seq, line: b"id: %d\ndata: %b\n\n" % (seq, line),
    ping=b": ping\n\n",
    farewell=_retry_hint,
    end=lambda seq: b'event: end\ndata: {"seq":%d}\n\n' % seq,
    grown=lambda said: b"event: match-grown\ndata: %b\n\n" % said,
)

NDJSON = Form(
    "application/x-ndjson",
    opening=lambda _: b"",
    frame=lambda _, line: line + b"\n",
    ping=b"\n",
    farewell=lambda: b"\n",
    end=lambda seq: b'{"end":true,"seq":%d}\n' % seq,
    grown=lambda said: b'{"type":"match-grown","data":%b}\n' % said,
)
