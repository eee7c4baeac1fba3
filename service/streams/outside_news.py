"""What other instances have recorded, and what is on record though its commit failed here: it is
read for the matches that someone follows here, and then broadcast as if it had been recorded
here."""

import asyncio
from uuid import UUID

from service.application.matches.match_sessions import MatchSessions
from service.event_store.errors import StoreUnavailable, UnknownMatch
from service.streams.broadcast import Broadcast

RETRY_SECONDS = 1.0
"""Pause before a match is read again after its store did not answer."""


class OutsideNews:
    """Reads matches that have grown, or may have. It reads every event, hidden ones too, in a task
    of its own; only the readers who may see an event are woken by it."""

    def __init__(self, sessions: MatchSessions, broadcast: Broadcast) -> None:
        self._sessions = sessions
        self._broadcast = broadcast
        self._reading: dict[UUID, asyncio.Task[None]] = {}
        self._grown_meanwhile: set[UUID] = set()

    @property
    def wanted(self) -> bool:
        """Whether anyone follows any match."""
        return bool(self._broadcast.followed)

    def grown(self, stream: UUID) -> None:
        """A match or a tournament has grown, or a ticket was used, on another instance."""
        self._broadcast.release(stream)
        self._broadcast.recheck((stream,))
        if stream not in self._broadcast.followed:
            return
        if stream in self._reading:
            self._grown_meanwhile.add(stream)
            return
        task = asyncio.create_task(self._read(stream))
        self._reading[stream] = task
        task.add_done_callback(lambda _: self._reading.pop(stream, None))

    def any_may_have_grown(self) -> None:
        """It is unknown which have grown."""
        for match_id in list(self._broadcast.followed):
            self.grown(match_id)

    async def _read(self, match_id: UUID) -> None:
        while match_id in self._broadcast.followed:
            self._grown_meanwhile.discard(match_id)
            try:
                await self._sessions.current(match_id)
            except UnknownMatch:
                return
            except StoreUnavailable:
                await asyncio.sleep(RETRY_SECONDS)
            else:
                if match_id not in self._grown_meanwhile:
                    return
