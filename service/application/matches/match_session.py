"""Matches in use, each with its queue of commands and the match itself while it is in memory; and
the LRU cache of them, bounded by their memory."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Iterator
from uuid import UUID

from msgspec import Struct, field

from projections.audience.disclosure import Viewer
from service.application.matches.command_queue import CreateMatch, QueuedCommand
from service.application.matches.loaded_match import LoadedMatch

MATCH_BYTES = 4_096
"""Approximate memory of a match without its projections."""


class MatchSession(Struct, eq=False):
    """One match in use. `loaded` is None until the match is read, and after it is forgotten.

    `queue` has the commands to be decided; `deciding` is set while some of them are being
    committed. `preparing` is the task that reads the match, `wanted` the audiences whose
    projections it reads, `wants_receipts` whether it reads what receipts bind. `refresh` is the
    task that reads what other instances have recorded since, `next_refresh` the one after it.
    `weighed` is `weight` as last counted by the cache.
    """

    id: UUID
    queue: deque[QueuedCommand] = field(default_factory=deque)
    deciding: bool = False
    loaded: LoadedMatch | None = None
    preparing: asyncio.Task[None] | None = None
    wanted: dict[Viewer, None] = {}
    wants_receipts: bool = False
    refresh: asyncio.Task[None] | None = None
    next_refresh: asyncio.Task[None] | None = None
    weighed: int = 0

    @property
    def name(self) -> str:
        """The match's id as a text."""
        return str(self.id)

    def forget(self) -> None:
        """Drops the loaded match; it is read again from the store."""
        self.loaded = None

    def shows(self, viewer: Viewer) -> bool:
        """Whether what the audience knows is in memory."""
        projection = None if self.loaded is None else self.loaded.projections.find(viewer)
        return projection is not None and projection.readable

    @property
    def has_chains(self) -> bool:
        """Whether what receipts bind is in memory."""
        return self.loaded is not None and self.loaded.chains is not None

    @property
    def decidable(self) -> bool:
        """Whether everything needed to decide and answer the next command is in memory."""
        queued = self.queue[0]
        if isinstance(queued.command, CreateMatch):
            return True
        return self.shows(queued.viewer) and (self.has_chains or not queued.acknowledged)

    @property
    def idle(self) -> bool:
        """Whether no command waits for it and no task works on it."""
        return not self.queue and not self.deciding and self.preparing is None

    @property
    def weight(self) -> int:
        """Its approximate memory, in bytes."""
        return MATCH_BYTES + (0 if self.loaded is None else self.loaded.weight)


class MatchCache:
    """The most recently used sessions. Together they take at most `max_bytes`, not counting those
    in use: the memory of each is estimated, and again whenever it is used."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._sessions: OrderedDict[UUID, MatchSession] = OrderedDict()
        self.size = 0

    def __len__(self) -> int:
        return len(self._sessions)

    def __iter__(self) -> Iterator[MatchSession]:
        return iter(self._sessions.values())

    def find(self, match_id: UUID) -> MatchSession | None:
        """The session if it is cached. This does not count as a use."""
        return self._sessions.get(match_id)

    def use(self, match_id: UUID) -> MatchSession:
        """The session, or a new one if it was not cached. It becomes the last to be evicted."""
        session = self._sessions.get(match_id)
        if session is None:
            session = self._sessions[match_id] = MatchSession(match_id)
        else:
            self._sessions.move_to_end(match_id)
        self._weigh(session)
        return session

    def weigh(self, session: MatchSession) -> None:
        """Estimates the session's memory again, and evicts others if the total is too much."""
        if self._sessions.get(session.id) is session:
            self._weigh(session)

    def _weigh(self, session: MatchSession) -> None:
        weight = session.weight
        self.size += weight - session.weighed
        session.weighed = weight
        if self.size > self._max_bytes:
            self._evict_idle(session)

    def drop(self, match_id: UUID) -> None:
        """Evicts the session. Tasks that use it go on with what they have."""
        session = self._sessions.pop(match_id, None)
        if session is not None:
            self.size -= session.weighed

    def _evict_idle(self, spared: MatchSession) -> None:
        """Evicts idle sessions, the least recently used first, except the one spared."""
        excess, evicted = self.size - self._max_bytes, []
        for session in self._sessions.values():
            if excess <= 0:
                break
            if session.idle and session is not spared:
                evicted.append(session.id)
                excess -= session.weighed
        for match_id in evicted:
            self.drop(match_id)
