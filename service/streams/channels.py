"""The channels of a broadcast: those who read one record as one audience, and what they lack.

The record is a match's, or a tournament's.
"""

import asyncio
from collections.abc import Collection, Hashable
from itertools import count
from typing import Protocol
from uuid import UUID

from msgspec import Struct, field

from projections.audience.disclosure import Viewer
from projections.audience.own_lines import AudienceLines
from service.application.evidence.reads import KeyReading
from service.observability import logs
from service.streams.forms import Form, chunk

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
