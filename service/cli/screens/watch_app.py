"""The screen of `arbiter watch`: a match as it happens."""

import asyncio
import time
from collections import deque
from collections.abc import Callable

import httpx

from projections.audience import View
from projections.lines import Line
from service.cli.live_match import Cut, Ended, Joined, LiveMatch, News, WentBack
from service.cli.screens.match_app import KEPT, MatchApp
from service.cli.screens.match_text import waiting

RECENT = 30
"""Number of earlier events that are read at the start."""

CUT = "Connection lost, trying again."
WENT_BACK = "The operator has gone back to a backup. This is what there is now."


class WatchApp(MatchApp):
    """Follows a match to its end, and stays until the user quits. `settled` is the number of the
    audience's events up to which everything is shown. `now` is the time of this machine in seconds
    since 1970."""

    TITLE = "arbiter watch"

    def __init__(self, match: LiveMatch, now: Callable[[], float] = time.time) -> None:
        super().__init__()
        self.match = match
        self.shown: View | None = None
        self.settled = -1
        self.over = False
        self._now, self._ahead = now, 0.0
        self._before: View | None = None
        self._connected = True
        self._lines: deque[Line] = deque(maxlen=KEPT)
        self._news = asyncio.Event()
        self._looking = asyncio.Lock()

    def on_mount(self) -> None:
        """Begins to follow the match, and the clock."""
        self.set_interval(1, self.tick)
        self.work(self._watch)

    async def on_unmount(self) -> None:
        """Ends the connection."""
        await self.match.close()

    async def _watch(self) -> None:
        await self.look()
        assert self.shown is not None
        self.work(self._refresh)
        async for news in self.match.follow(max(0, self.shown.seq - RECENT)):
            self.take(news)

    async def _refresh(self) -> None:
        """Looks again when there is news: once for all that has come meanwhile."""
        while True:
            await self._news.wait()
            self._news.clear()
            try:
                await self.look()
            except httpx.HTTPError:
                self.take(Cut(0))
                self._news.set()

    def take(self, news: News) -> None:
        """Takes up what the stream brings."""
        match news:
            case Line():
                self._lines.append(news)
                self._news.set()
            case Joined(now):
                self._connected, self._ahead = True, now - self._now()
                self._news.set()
            case Cut():
                self._connected = False
            case WentBack():
                self._lines.clear()
                self.notify(WENT_BACK)
                self._news.set()
            case Ended():
                self.over = True
                self._news.set()
        self.tick()

    async def look(self) -> None:
        """Reads what the audience sees now, and shows it. One look waits for the other, so none
        shows what is older than another has shown."""
        async with self._looking:
            shown = await self.match.view()
            if self.shown is not None and self.shown.seq != shown.seq:
                self._before = self.shown
            self.shown = shown
            await self.show_view(shown)
            self.settled = shown.seq

    async def show_view(self, shown: View) -> None:
        """Shows what has been read."""
        self.show_match(self._before, shown, [*self._lines])
        self.tick()

    def tick(self) -> None:
        """Shows whom the match waits for, and the time that is left."""
        if self.shown is None or not self.is_running:
            return
        said = waiting(self.shown, self._now() + self._ahead)
        lost = not (self._connected or self.over)
        self.show_waiting(f"{CUT} {said}" if lost else said, cut=lost)
