"""Waiters: wakes the readers in this process when a match has grown."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID


class Waiters:
    """Readers that wait for matches to grow. A wake-up carries no data: readers read the log."""

    def __init__(self) -> None:
        self._listeners: dict[UUID, set[asyncio.Event]] = {}

    @contextmanager
    def listening(self, match: UUID) -> Iterator[asyncio.Event]:
        """Yields an event that is set whenever the match has grown."""
        woken = asyncio.Event()
        self._listeners.setdefault(match, set()).add(woken)
        try:
            yield woken
        finally:
            listeners = self._listeners[match]
            listeners.discard(woken)
            if not listeners:
                del self._listeners[match]

    @property
    def has_listeners(self) -> bool:
        """Whether any reader listens to any match."""
        return bool(self._listeners)

    def wake(self, match: UUID) -> None:
        """Wakes every reader that listens to the match."""
        for woken in self._listeners.get(match, ()):
            woken.set()

    def wake_all(self) -> None:
        """Wakes every reader of every match."""
        for listeners in self._listeners.values():
            for woken in listeners:
                woken.set()
