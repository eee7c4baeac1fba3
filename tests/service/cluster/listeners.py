"""Listeners to the news of other instances, without any matches."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID


class Listeners:
    """News that set the events of those who listen to a stream."""

    def __init__(self) -> None:
        self._events: dict[UUID, list[asyncio.Event]] = {}

    @contextmanager
    def listening(self, stream: UUID) -> Iterator[asyncio.Event]:
        """An event that is set at every news of the stream while inside."""
        event = asyncio.Event()
        self._events.setdefault(stream, []).append(event)
        try:
            yield event
        finally:
            self._events[stream].remove(event)
            if not self._events[stream]:
                del self._events[stream]

    @property
    def wanted(self) -> bool:
        """Whether anyone listens."""
        return bool(self._events)

    def grown(self, stream: UUID) -> None:
        for event in self._events.get(stream, ()):
            event.set()

    def any_may_have_grown(self) -> None:
        for stream in self._events:
            self.grown(stream)
