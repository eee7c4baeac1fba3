"""Looks at hidden things, as the players of a match are told of them once its result is final."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from uuid import UUID

import msgspec
from msgspec import Struct

from domain.people import Actor
from projections.disclosure import Viewer
from service.application.match_sessions import MatchSessions
from service.event_store.reads import Read

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Look(Struct, frozen=True):
    """Somebody has looked at hidden things of a match, in a role, first and last at these instants
    in microseconds. `name` is None for a key without one."""

    name: str | None
    role: str
    first: int
    last: int


class _Line(Struct, frozen=True):
    at: datetime


_decoder = msgspec.json.Decoder(_Line)


def looks(reads: Iterable[Read]) -> list[Look]:
    """The looks in the reads of a match: one for each person and role, the earliest first. What
    they have read, and with which keys, is left out."""
    found: dict[tuple[str, str], Look] = {}
    for read in reads:
        if not read.hidden:
            continue
        person = Actor(read.name, read.key_id).person, read.role
        before = found.get(person, Look(read.name, read.role, read.first, read.last))
        first, last = min(before.first, read.first), max(before.last, read.last)
        found[person] = Look(before.name, read.role, first, last)
    return sorted(found.values(), key=lambda look: (look.first, look.last))


async def number_at(sessions: MatchSessions, match_id: UUID, viewer: Viewer, instant: int) -> int:
    """How many events the audience had at an instant, in microseconds. Found from its own events
    alone, some of which are read."""
    _, projection = await sessions.projection(match_id, viewer)
    low, high = 0, projection.seq
    while low < high:
        middle = (low + high) // 2
        (line,), _ = await sessions.lines(match_id, viewer, middle, 1)
        if (_decoder.decode(line).at - _EPOCH) // timedelta(microseconds=1) <= instant:
            low = middle + 1
        else:
            high = middle
    return low
