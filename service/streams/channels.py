"""The channels of a broadcast: those who read one record, a match's or a tournament's, as one
audience, and what they lack; and the two forms in which it is written to them, server-sent events
and lines of JSON."""

import asyncio
import secrets
from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass
from itertools import count
from typing import Protocol
from uuid import UUID

from msgspec import Struct, field

from projections.audience.disclosure import Viewer
from projections.audience.own_lines import AudienceLines
from service.application.evidence.reads import KeyReading
from service.observability import logs

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
    grown=lambda data: b"event: match-grown\ndata: %b\n\n" % data,
)

NDJSON = Form(
    "application/x-ndjson",
    opening=lambda _: b"",
    frame=lambda _, line: line + b"\n",
    ping=b"\n",
    farewell=lambda: b"\n",
    end=lambda seq: b'{"end":true,"seq":%d}\n' % seq,
    grown=lambda data: b'{"type":"match-grown","data":%b}\n' % data,
)


MAX_LINES = 20
MAX_CHUNK_BYTES = 64 * 1024
"""Maximum lines and bytes written to a member at once; one that misses more catches up by itself.
"""


class FollowedRecord(Protocol):
    """A record in memory, as far as its readers go."""

    @property
    def over(self) -> bool:
        """Whether nothing more is said in it."""

    def lines_of(self, viewer: Viewer) -> AudienceLines | None:
        """The events of an audience; None for one that it does not have."""

    def tenure(self, viewer: Viewer) -> int:
        """The number of the holder of the audience's seat; 0 for other audiences."""


class ChunkWriter(Protocol):
    """The connection of a response whose head has been sent."""

    def write(self, chunk: bytes) -> bool:
        """Writes a chunk with its HTTP framing. Returns False, and writes nothing, if the client
        does not take what was written before, or is gone."""


class Member(Struct, eq=False):
    """A reader of a channel, which has all lines up to its audience's number `seq`.

    `watches` are the keys, tickets and tournaments by which it may read. `left` is set when it has
    left the channel: to catch up or, with `must_ask`, to ask whether it may still read. Without a
    `writer` it leaves at the first news. `reading` accounts for what is written to it.
    """

    seq: int
    form: Form | None = None
    writer: ChunkWriter | None = None
    watches: Collection[Hashable] = ()
    reading: KeyReading | None = None
    left: asyncio.Event = field(default_factory=asyncio.Event)
    must_ask: bool = False


class Channel(Struct, eq=False):
    """Those who read one match as one audience, and the number up to which there are lines.
    `tenure` is the number of the seat's holder by then."""

    match_id: UUID
    viewer: Viewer
    seq: int
    tenure: int
    members: dict[Member, None] = {}
    to_serve: list[Member] = []
    queued: bool = False

    def remove(self, member: Member) -> None:
        """Sends a member back to catching up."""
        self.members.pop(member, None)
        member.left.set()

    def remove_all(self, *, must_ask: bool = False) -> None:
        """Sends everyone back to catching up; with `must_ask` after asking whether they may still
        read."""
        for member in list(self.members):
            member.must_ask |= must_ask
            self.remove(member)

    def fail(self, error: Exception) -> None:
        """After an error everyone catches up, and meets it there; no one else does."""
        logs.failure("broadcast_failed", error, match=str(self.match_id))
        self.to_serve = []
        self.remove_all()


def chunk_of(own: AudienceLines, form: Form | None, after: int) -> bytes:
    """The lines after an audience's number, as they are written to a connection; nothing if they
    are too many, or not in memory, or there is no form."""
    missing = own.seq - after
    if form is None or not 0 < missing <= MAX_LINES:
        return b""
    lines = own.lines(after, missing)
    if lines is None:
        return b""
    body = b"".join(map(form.frame, count(after + 1), lines))
    return b"" if len(body) > MAX_CHUNK_BYTES else chunk(body)
