"""The screen of `arbiter replay --step`: every position of a match, one after another."""

import asyncio
from bisect import bisect_right
from collections.abc import Sequence
from functools import partial
from typing import ClassVar

import rich_click as click
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from projections.audience import View
from projections.disclosure import MODERATOR, PUBLIC_VIEWER, named
from projections.lines import Line
from projections.plain_text import plain
from projections.timestamps import instant
from service.cli.replay_sources import ReplaySource
from service.cli.screens.match_app import MatchApp
from service.cli.screens.match_text import waiting
from service.cli.screens.questions import AudienceQuestion, NumberQuestion
from service.cli.service_connection import reaching

PACE = 1.0
"""Seconds between two positions while it plays."""


class StepApp(MatchApp):
    """Shows the positions of a match as one audience saw them, from the number `at` on."""

    TITLE = "arbiter replay"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "step(-1)", "Back", priority=True),
        Binding("right", "step(1)", "On", priority=True),
        Binding("home", "go(0)", "First", priority=True),
        Binding("end", "go(-1)", "Last", priority=True),
        Binding("space", "play", "Play/pause", priority=True),
        Binding("g", "ask", "Number"),
        Binding("a", "choose", "Audience"),
    ]

    def __init__(self, match: ReplaySource, reader: str, at: int = 0, pace: float = PACE) -> None:
        super().__init__()
        self.at = at
        self.shown: View | None = None
        self.playing = False
        self._match, self.reader = match, reader
        self._lines: Sequence[Line] = ()
        self._pace = pace

    def on_mount(self) -> None:
        """Shows the first position."""
        self._timer = self.set_interval(self._pace, self._advance, pause=True)
        self._begin(self.reader)

    def check_action(
        self,
        action: str,
        parameters: tuple[object, ...],  # noqa: ARG002  as textual calls it
    ) -> bool | None:
        """No position is left while a question is open."""
        asked = isinstance(self.screen, ModalScreen)
        return not (asked and action in ("step", "go", "play", "ask", "choose"))

    def action_step(self, by: int) -> None:
        """Goes on or back by so many positions."""
        self.go(self.at + by)

    def action_go(self, at: int) -> None:
        """Goes to a position; -1 is the last one."""
        self.go(len(self._lines) if at < 0 else at)

    def action_play(self) -> None:
        """Begins to go on by itself, or stops."""
        self._play(not self.playing)

    def action_ask(self) -> None:
        """Asks for the number of a position."""
        self._play(False)
        self.push_screen(NumberQuestion(len(self._lines)), self.go)

    def action_choose(self) -> None:
        """Asks as which audience to look."""
        self._play(False)
        names = () if self.shown is None else self.shown.seats
        audiences = [PUBLIC_VIEWER, MODERATOR, *(named(seat) for seat in range(len(names)))]
        titles = ["everybody", "moderators", *map(plain, names)]
        question = AudienceQuestion(list(zip(audiences, titles, strict=True)))

        def chosen(reader: str | None) -> None:
            if reader is not None:
                self._begin(reader)

        self.push_screen(question, chosen)

    def go(self, at: int | None) -> None:
        """Shows a position, or the first or last one where there is none of this number."""
        if at is None:
            return
        self.at = min(max(0, at), len(self._lines))
        self.work(self._show, group="show")

    def _begin(self, reader: str) -> None:
        self.work(partial(self._switch, reader))

    async def _switch(self, reader: str) -> None:
        """Shows the same moment as another audience saw it, if that may be seen."""
        try:
            lines = await asyncio.to_thread(self._read, reader)
        except click.ClickException as refused:
            self.notify(refused.message, severity="warning", markup=False)
            return
        at = self.at
        if self._lines:
            moment = instant(self._lines[at - 1].at) if at else 0
            at = bisect_right([instant(line.at) for line in lines], moment)
        self.reader, self._lines = reader, lines
        self.go(at)

    async def _show(self) -> None:
        at, reader = self.at, self.reader
        try:
            shown = await asyncio.to_thread(self._view, reader, at)
            before = await asyncio.to_thread(self._view, reader, at - 1) if at else None
        except click.ClickException as failure:
            self.notify(failure.message, severity="warning", markup=False)
            return
        self.shown = shown
        self.show_match(before, shown, self._lines[:at])
        state = "playing" if self.playing else "paused"
        self.show_waiting(f"{at} of {len(self._lines)}, {state}. {waiting(shown, None)}")

    def _read(self, reader: str) -> Sequence[Line]:
        with reaching():
            return [*self._match.lines(reader, self._match.view(reader, None).seq)]

    def _view(self, reader: str, at: int) -> View:
        with reaching():
            return self._match.view(reader, at)

    def _advance(self) -> None:
        if self.at < len(self._lines):
            self.go(self.at + 1)
        else:
            self._play(False)

    def _play(self, playing: bool) -> None:
        self.playing = playing
        if playing:
            self._timer.resume()
        else:
            self._timer.pause()
        self.go(self.at)
