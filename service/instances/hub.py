"""The hub says "match X has news" to readers in this process, and nothing else."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID


class Hub:
    """Wakes whoever listens to a match. A wake-up carries no fact: readers read the log."""

    def __init__(self) -> None:
        self._listeners: dict[UUID, set[asyncio.Event]] = {}

    @contextmanager
    def listening(self, match: UUID) -> Iterator[asyncio.Event]:
        """An event that is set whenever the match has news."""
        news = asyncio.Event()
        self._listeners.setdefault(match, set()).add(news)
        try:
            yield news
        finally:
            listeners = self._listeners[match]
            listeners.discard(news)
            if not listeners:
                del self._listeners[match]

    @property
    def listens(self) -> bool:
        """Whether anybody does."""
        return bool(self._listeners)

    def wake(self, match: UUID) -> None:
        """Tells every listener of the match that there is news."""
        for news in self._listeners.get(match, ()):
            news.set()

    def wake_all(self) -> None:
        """Tells every listener of every match to look again."""
        for listeners in self._listeners.values():
            for news in listeners:
                news.set()
