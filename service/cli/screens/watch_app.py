"""The screen of `arbiter watch`: a match as it happens."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import ClassVar

import httpx
import rich_click as click
from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Container, VerticalScroll
from textual.widgets import Footer, Static

from projections.audience import View
from projections.lines import Line
from service.cli.live_match import Cut, Ended, Joined, LiveMatch, News, WentBack
from service.cli.screens.board import Board
from service.cli.screens.match_text import happening, heading, listing, timed, waiting
from service.cli.service_connection import reaching

RECENT = 30
"""Number of earlier events that are read at the start."""
KEPT = 200
"""Maximum events in the list of what happened."""

CUT = "Connection lost, trying again."
WENT_BACK = "The operator has gone back to a backup. This is what there is now."


class WatchApp(App[None]):
    """Follows a match to its end, and stays until the user quits. `failure` is the error that ended
    it before that. `now` is the time of this machine in seconds since 1970."""

    TITLE = "arbiter watch"
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (120, "-wide")]  # noqa: RUF012  as textual has it
    BINDINGS: ClassVar[list[BindingType]] = [("q", "quit", "Quit")]
    CSS = """
    Screen { background: $background; }
    #heading, #waiting { height: auto; padding: 0 1; }
    #waiting { text-style: bold; }
    #waiting.-cut { color: $warning; }
    #match { height: 1fr; }
    #happened { height: 1fr; min-height: 3; padding: 0 1; scrollbar-size: 1 1; }
    Screen.-wide #match { layout: horizontal; }
    Screen.-wide Board { width: 84; max-height: 100%; }
    Footer { background: $background; }
    """

    def __init__(self, match: LiveMatch, now: Callable[[], float] = time.time) -> None:
        super().__init__()
        self.match = match
        self.shown: View | None = None
        self._before: View | None = None
        self.over = False
        self.failure: click.ClickException | None = None
        self._now, self._ahead = now, 0.0
        self._connected = True
        self._lines: deque[Line] = deque(maxlen=KEPT)
        self._news = asyncio.Event()

    def compose(self) -> ComposeResult:
        """The board, what happened, whom the match waits for."""
        yield Static(id="heading", markup=False)
        with Container(id="match"):
            yield Board()
            with VerticalScroll(id="happened", can_focus=False):
                yield Static(markup=False)
        yield Static(id="waiting", markup=False)
        yield Footer(show_command_palette=False, compact=True)

    async def on_mount(self) -> None:
        """Begins to follow the match, and the clock."""
        self.query_one("#happened", VerticalScroll).anchor()
        self.set_interval(1, self.show_waiting)
        self.run_worker(self._until_failure(self._work()))

    async def on_unmount(self) -> None:
        """Ends the connection."""
        await self.match.close()

    async def _work(self) -> None:
        await self.look()
        assert self.shown is not None
        self.run_worker(self._until_failure(self._refresh()))
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

    async def _until_failure(self, work: Awaitable[None]) -> None:
        """Ends the screen with whatever ends the work."""
        try:
            with reaching():
                await work
        except click.ClickException as failure:
            self.failure = failure
            self.exit(return_code=1)

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
        self.show_waiting()

    async def look(self) -> None:
        """Reads what the audience sees now, and shows it."""
        shown = await self.match.view()
        if self.shown is not None and self.shown.seq != shown.seq:
            self._before = self.shown
        self.shown = shown
        self.show(shown)

    def show(self, shown: View) -> None:
        """Shows a position, after the one before it."""
        self.query_one("#heading", Static).update(heading(shown))
        self.query_one(Board).show(self._before, shown)
        happened: list[Text] = []
        for line in self._lines:
            said = happening(line, shown.seats)
            if said is not None:
                happened.append(timed(line.at, said))
        self.query_one("#happened Static", Static).update(listing(happened))
        self.show_waiting()

    def show_waiting(self) -> None:
        """Shows whom the match waits for, and the time that is left."""
        if self.shown is None:
            return
        said = waiting(self.shown, self._now() + self._ahead)
        lost = not (self._connected or self.over)
        shown = self.query_one("#waiting", Static)
        shown.set_class(lost, "-cut")
        shown.update(f"{CUT} {said}" if lost else said)
