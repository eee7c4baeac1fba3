"""Looks at the end of a shared log.

The poller notices what other instances have recorded. Notifications by Redis are faster; polling
makes them optional. The watch notices that the log has gone back while instances serve it, because
an older dump was restored or a standby server lacks the last commits.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol
from uuid import UUID

from eventsourcing.persistence import IntegrityError, Notification

from service.event_store.errors import StoreUnavailable
from service.event_store.integrity.incarnation import LossNoticed, begin_again, incarnation
from service.event_store.properties import Properties
from service.event_store.recorder import LOG
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


WATCHED = "log-watched"
"""The property that is written to know where commits succeed."""

WATCH_SECONDS = 1.0
"""Pause between two looks. What went back and grew beyond its former end within it is noticed,
too: the last event seen is another one then."""


class LogWentBack(logs.OperatorError):
    """The log has lost events that this instance has seen."""


class LogWatch:
    """Remembers the last event that it has seen in the log. `now` is the time in microseconds since
    1970."""

    def __init__(self, store: Store, properties: Properties, now: Callable[[], int]) -> None:
        self._store = store
        self._properties = properties
        self._now = now
        self._last_seen: Notification | None = None
        self._incarnation = b""

    async def run(self) -> None:
        """Watches forever. Raises LogWentBack if the log has gone back; the store then has another
        incarnation, by which readers notice it, and what instances have in memory is wrong."""
        while True:
            # A store that does not answer is asked again; it was logged.
            with suppress(StoreUnavailable):
                await in_store_thread(self.look)
            await asyncio.sleep(WATCH_SECONDS)

    def look(self) -> None:
        """Compares the log with what was seen of it. Raises LogWentBack. Blocks."""
        if not self._incarnation:
            self._incarnation = incarnation(self._store.keyrings)
        last = self._last_seen
        if last is not None and self._at(last.id) != last:
            if self._is_lost(last):
                self._went_back(last.id)
            return
        end = self._store.end()
        if end and (last is None or end > last.id):
            self._last_seen = self._at(end)

    def _is_lost(self, last: Notification) -> bool:
        """Whether it is missing where commits succeed. A primary that was replaced, and is back,
        can be read for a moment."""
        dialect = self._store.recorder.dialect
        rows = self._properties.select_committed(
            WATCHED,
            f"SELECT originator_id FROM {dialect.table(LOG)}"  # noqa: S608  its name
            f" WHERE {dialect.position} = ? AND originator_version = ?",
            (last.id, last.originator_version),
        )
        return [UUID(str(stream)) for (stream,) in rows] != [last.originator_id]

    def _went_back(self, position: int) -> None:
        end = self._store.end()
        if incarnation(self._store.keyrings) == self._incarnation:
            # Another instance may notice it at the same moment.
            with suppress(IntegrityError):
                begin_again(self._store.keyrings, LossNoticed(self._now(), position, end))
        raise LogWentBack(
            f"event {position:,} of the log is not there any more, or is another one; it ends after"
            f" {end:,}. The store has a new incarnation, and this instance ends"
        )

    def _at(self, position: int) -> Notification | None:
        notifications = self._store.recorder.select_notifications(position, 1, stop=position)
        return notifications[0] if notifications else None
