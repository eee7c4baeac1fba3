"""The announcer: parts of an instance announce what happens, and others act on it. None of them has
to know another one, nor be made after it."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Generic, ParamSpec
from uuid import UUID

P = ParamSpec("P")


class Announcement(Generic[P]):
    """One kind of news. To call it calls everyone who listens, in the order in which they began
    to."""

    def __init__(self) -> None:
        self._listeners: list[Callable[P, object]] = []

    def listen(self, *listeners: Callable[P, object]) -> None:
        """Adds listeners."""
        self._listeners += listeners

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> None:
        for listener in self._listeners:
            listener(*args, **kwargs)


class ThreadAnnouncement(Announcement[P]):
    """News that any thread may have. Those who listen are called in the event loop, while it
    runs."""

    loop: asyncio.AbstractEventLoop | None = None

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> None:
        if self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(partial(super().__call__, *args, **kwargs))


class Announcer:
    """The news of one instance."""

    def __init__(self) -> None:
        self.grown: Announcement[[UUID]] = Announcement()
        """A match has grown here."""
        self.records_read: Announcement[[UUID]] = Announcement()
        """Records may have been added to a match in memory by reading them."""
        self.unsure: Announcement[[UUID]] = Announcement()
        """A commit failed: the match may have grown."""
        self.due: Announcement[[UUID, int | None]] = Announcement()
        """The deadline of a match may have changed; it falls due at this instant."""
        self.over: Announcement[[bool]] = Announcement()
        """A match has ended; whether it belongs to a tournament."""
        self.changed: Announcement[[UUID]] = Announcement()
        """A tournament has changed: someone's role may have ended."""
        self.revoked: ThreadAnnouncement[[frozenset[bytes]]] = ThreadAnnouncement()
        """The keys with these hashes have been revoked."""
        self.closed: ThreadAnnouncement[[UUID]] = ThreadAnnouncement()
        """The record of a match was found damaged."""

    def run_in(self, loop: asyncio.AbstractEventLoop) -> None:
        """From now on news of other threads is announced in this loop."""
        self.revoked.loop = self.closed.loop = loop
