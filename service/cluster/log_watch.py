"""Log watch: notices that a shared log has gone back while instances serve it, because an older
dump was restored or a standby server lacks the last commits."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from eventsourcing.persistence import IntegrityError, Notification

from service.event_store.errors import StoreUnavailable
from service.event_store.integrity.incarnation import LossNoticed, begin_again, incarnation
from service.event_store.store import Store
from service.event_store.store_threads import in_store_thread
from service.observability import logs

WATCH_SECONDS = 1.0
"""Pause between two looks. What went back and grew beyond its former end within it is noticed,
too: the last event seen is another one then."""


class LogWentBack(logs.OperatorError):
    """The log has lost events that this instance has seen."""


class LogWatch:
    """Remembers the last event that it has seen in the log. `now` is the time in microseconds since
    1970."""

    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store = store
        self._now = now
        self._seen: Notification | None = None
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
        if self._seen is not None and self._at(self._seen.id) != self._seen:
            self._went_back(self._seen.id)
        end = self._store.end()
        if end and (self._seen is None or end > self._seen.id):
            self._seen = self._at(end)

    def _went_back(self, seen: int) -> None:
        found = self._store.end()
        if incarnation(self._store.keyrings) == self._incarnation:
            # Another instance may notice it at the same moment.
            with suppress(IntegrityError):
                begin_again(self._store.keyrings, LossNoticed(self._now(), seen, found))
        raise LogWentBack(
            f"event {seen:,} of the log is not there any more, or is another one; it ends after"
            f" {found:,}. The store has a new incarnation, and this instance ends"
        )

    def _at(self, position: int) -> Notification | None:
        found = self._store.recorder.select_notifications(position, 1, stop=position)
        return found[0] if found else None
