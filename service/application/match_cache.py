"""LRU cache of match sessions, bounded by their memory."""

from collections import OrderedDict
from collections.abc import Iterator
from uuid import UUID

from service.application.match_session import MatchSession


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
