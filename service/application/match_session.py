"""A match in use: its queue of commands, and the match itself while it is in memory."""

import asyncio
from collections import deque
from uuid import UUID

from projections.audience_projection import AudienceProjection
from projections.disclosure import Viewer
from service.application.command_queue import CreateMatch, QueuedCommand
from service.application.loaded_match import LoadedMatch

MATCH_BYTES = 4_096
"""Approximate memory of a match without its projections."""


class MatchSession:
    """One match in use. `loaded` is None until the match is read, and after it is forgotten.

    `queue` has the commands to be decided; `deciding` is set while some of them are being
    committed. `preparing` is the task that reads the match, `wanted` the audiences whose
    projections it reads, `wants_receipts` whether it reads what receipts bind. `refresh` is the
    task that reads what other instances have recorded since, `next_refresh` the one after it.
    `weighed` is `weight` as last counted by the cache.
    """

    __slots__ = (
        "deciding", "id", "loaded", "name", "next_refresh", "preparing", "queue", "refresh",
        "wanted", "wants_receipts", "weighed",
    )  # fmt: skip

    def __init__(self, match_id: UUID) -> None:
        self.id = match_id
        self.name = str(match_id)
        self.queue: deque[QueuedCommand] = deque()
        self.deciding = False
        self.loaded: LoadedMatch | None = None
        self.preparing: asyncio.Task[None] | None = None
        self.wanted: set[Viewer] = set()
        self.wants_receipts = False
        self.refresh: asyncio.Task[None] | None = None
        self.next_refresh: asyncio.Task[None] | None = None
        self.weighed = 0

    def forget(self) -> None:
        """Drops the loaded match; it is read again from the store."""
        self.loaded = None

    def reader(self, viewer: Viewer) -> AudienceProjection | None:
        """The audience's projection; None while what the audience knows is not in memory."""
        projection = None if self.loaded is None else self.loaded.projections.find(viewer)
        return projection if projection is not None and projection.readable else None

    def shows(self, viewer: Viewer) -> bool:
        """Whether what the audience knows is in memory."""
        return self.reader(viewer) is not None

    @property
    def told(self) -> bool:
        """Whether what receipts bind is in memory."""
        return self.loaded is not None and self.loaded.seen is not None

    @property
    def decidable(self) -> bool:
        """Whether everything needed to decide and answer the next command is in memory."""
        queued = self.queue[0]
        if isinstance(queued.command, CreateMatch):
            return True
        return self.shows(queued.viewer) and (self.told or not queued.acknowledged)

    @property
    def idle(self) -> bool:
        """Whether no command waits for it and no task works on it."""
        return not self.queue and not self.deciding and self.preparing is None

    @property
    def weight(self) -> int:
        """Its approximate memory, in bytes."""
        return MATCH_BYTES + (0 if self.loaded is None else self.loaded.weight)
