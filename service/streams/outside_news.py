"""What other instances have recorded, and what is on record though its commit failed here: it is
read for the matches and tournaments that someone follows here, and then broadcast as if it had been
recorded here."""

import asyncio
from collections.abc import Awaitable, Callable
from uuid import UUID

from service.event_store.errors import StoreUnavailable, UnknownMatch, UnknownTournament
from service.streams.broadcast import Broadcast

RETRY_SECONDS = 1.0
"""Pause before a record is read again after its store did not answer."""


class OutsideNews:
    """Reads what has grown, or may have, by `read`. It reads every event, hidden ones too, in a
    task of its own; only the readers who may see an event are woken by it. `is_shown` says of a
    match that the stream of a tournament that someone follows here speaks of it."""

    def __init__(
        self,
        read: Callable[[UUID], Awaitable[object]],
        broadcast: Broadcast,
        is_shown: Callable[[UUID], bool],
    ) -> None:
        self._read_record = read
        self._broadcast = broadcast
        self._is_shown = is_shown
        self._reading: dict[UUID, asyncio.Task[None]] = {}
        self._grown_meanwhile: set[UUID] = set()

    @property
    def wanted(self) -> bool:
        """Whether anyone follows anything."""
        return bool(self._broadcast.followed)

    def grown(self, stream: UUID) -> None:
        """A match or a tournament has grown, or a ticket was used, on another instance."""
        self._broadcast.release(stream)
        self._broadcast.recheck((stream,))
        if not self._is_wanted(stream):
            return
        if stream in self._reading:
            self._grown_meanwhile.add(stream)
            return
        task = asyncio.create_task(self._read(stream))
        self._reading[stream] = task
        task.add_done_callback(lambda _: self._reading.pop(stream, None))

    def any_may_have_grown(self) -> None:
        """It is unknown which have grown."""
        for stream in list(self._broadcast.followed):
            self.grown(stream)

    def _is_wanted(self, stream: UUID) -> bool:
        return stream in self._broadcast.followed or self._is_shown(stream)

    async def _read(self, stream: UUID) -> None:
        while self._is_wanted(stream):
            self._grown_meanwhile.discard(stream)
            try:
                await self._read_record(stream)
            except (UnknownMatch, UnknownTournament):
                return
            except StoreUnavailable:
                await asyncio.sleep(RETRY_SECONDS)
            else:
                if stream not in self._grown_meanwhile:
                    return
