"""Log poller: notices what other instances have recorded.

Notifications by Redis are faster; polling makes them optional.
"""

import asyncio
from collections.abc import Callable
from typing import Protocol
from uuid import UUID

from service.event_store.errors import StoreUnavailable
from service.event_store.store import Store
from service.event_store.store_threads import in_store_thread
from service.observability import logs

POLL_SECONDS = 0.1
NOTIFIED_POLL_SECONDS = 2.0
"""Pause between two polls, without notifications and with them."""


class News(Protocol):
    """Receives the news of other instances. Its methods neither wait nor fail."""

    @property
    def wanted(self) -> bool:
        """Whether anyone here would do anything about news."""

    def grown(self, stream: UUID) -> None:
        """A match or a tournament has grown, or a ticket was used, on another instance."""

    def any_may_have_grown(self) -> None:
        """It is unknown which have grown."""


class LogPoller:
    """Polls the end of the log. `is_notified` says whether notifications come, so that polling
    seldom is enough."""

    def __init__(self, store: Store, news: News, is_notified: Callable[[], bool]) -> None:
        self._store = store
        self._news = news
        self._is_notified = is_notified
        self._position: int | None = None

    async def run(self) -> None:
        """Polls forever."""
        while True:
            await asyncio.sleep(NOTIFIED_POLL_SECONDS if self._is_notified() else POLL_SECONDS)
            try:
                await self._poll()
            except StoreUnavailable:
                continue
            except Exception as error:  # noqa: BLE001  the next poll tries again
                logs.failure("tail_not_read", error)

    async def _poll(self) -> None:
        if not self._news.wanted:
            # A later reader is counted before it reads, so it misses nothing.
            self._position = None
            return
        before = self._position
        self._position, grown = await in_store_thread(self._grown, before)
        if before is None or grown is None:
            self._news.any_may_have_grown()
        else:
            for match in grown:
                self._news.grown(match)

    def _grown(self, before: int | None) -> tuple[int, set[UUID] | None]:
        """The end of the log, and the streams that have grown since; None if they are unknown or
        too many. Blocks."""
        if before is None:
            return self._store.end(), None
        return self._store.grown(before)
