"""Which matches of a tournament have grown in public: the stream of the tournament says so, and one
connection follows an event.

What it says, and when, depends on public events alone: what is hidden in a match is not even
noted. It is said at most so often, whatever happens, and only the last of each match.
"""

import asyncio
from collections.abc import Callable
from itertools import takewhile
from typing import NamedTuple
from uuid import UUID

from projections.audience.disclosure import PUBLIC_VIEWER
from service.application.matches.loaded_match import LoadedMatch
from service.streams.broadcast import Broadcast

PAUSE_SECONDS = 0.5
"""Pause before readers are woken: what grows meanwhile is said with it."""


class Growth(NamedTuple):
    """A match has grown to so many public events; growths are numbered as they come."""

    number: int
    match: str
    public_seq: int

    @property
    def text(self) -> bytes:
        """The growth as JSON."""
        return b'{"match":"%b","public_seq":%d}' % (self.match.encode(), self.public_seq)


class MatchGrowth:
    """The growth of the matches of tournaments that someone follows here. `find` returns a match
    if it is in memory."""

    def __init__(self, find: Callable[[UUID], LoadedMatch | None], broadcast: Broadcast) -> None:
        self._find = find
        self._broadcast = broadcast
        self._of: dict[UUID, dict[str, Growth]] = {}
        self._waking: set[UUID] = set()
        self._count = 0

    @property
    def now(self) -> int:
        """The number of the last growth."""
        return self._count

    def since(self, tournament: UUID, number: int) -> list[Growth]:
        """The last growth of each match of a tournament after this number, in order."""
        latest = reversed(self._of.get(tournament, {}).values())
        return list(takewhile(lambda growth: growth.number > number, latest))[::-1]

    def match_grown(self, match_id: UUID) -> None:
        """A match may have grown in memory."""
        loaded = self._find(match_id)
        if loaded is None or loaded.match.created.tournament is None:
            return
        tournament = UUID(loaded.match.created.tournament)
        own = loaded.lines_of(PUBLIC_VIEWER)
        if tournament not in self._broadcast.followed:
            self._of.pop(tournament, None)
        elif own is not None and loaded.projections.public_grew:
            self._note(tournament, loaded.name, own.seq)

    def _note(self, tournament: UUID, match: str, public_seq: int) -> None:
        matches = self._of.setdefault(tournament, {})
        before = matches.get(match)
        if before is not None and before.public_seq == public_seq:
            return
        matches.pop(match, None)
        self._count += 1
        matches[match] = Growth(self._count, match, public_seq)
        if tournament not in self._waking:
            self._waking.add(tournament)
            asyncio.get_running_loop().call_later(PAUSE_SECONDS, self._wake, tournament)

    def _wake(self, tournament: UUID) -> None:
        self._waking.discard(tournament)
        self._broadcast.wake(tournament)
