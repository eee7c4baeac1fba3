"""What all screens of a match have: its board, what happened, and whom it waits for."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.css.query import NoMatches
from textual.widget import MountError
from textual.widgets import Footer, Static
from textual.worker import Worker

from projections.audience import View
from projections.lines import Line
from service.cli.screens.board import Board
from service.cli.screens.match_text import happening, heading, listing, timed
from service.cli.service_connection import reaching

SCROLLING: list[BindingType] = [
    Binding("up,shift+up", "scroll_board(0, -3)", show=False),
    Binding("down,shift+down", "scroll_board(0, 3)", show=False),
    Binding("left,shift+left", "scroll_board(-8, 0)", show=False),
    Binding("right,shift+right", "scroll_board(8, 0)", show=False),
]
"""The keys that move a board for which there is no room."""

KEPT = 200
"""Maximum events in the list of what happened, the latest ones."""


class MatchApp(App[None]):
    """A screen of a match; in a wide terminal what happened stands beside the board. `failure` is
    the error that ended it before the user did."""

    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (120, "-wide")]  # noqa: RUF012  as textual has it
    BINDINGS: ClassVar[list[BindingType]] = [("q", "quit", "Quit"), *SCROLLING]
    CSS = """
    Screen { background: $background; }
    #heading, #waiting { height: auto; padding: 0 1; }
    #waiting { text-style: bold; }
    #waiting.-cut { color: $warning; }
    #match { height: 1fr; }
    #happened { height: 1fr; min-height: 3; padding: 0 1; scrollbar-size: 1 1; }
    Screen.-wide #match { layout: horizontal; }
    Screen.-wide Board { width: 80; max-height: 100%; }
    Footer { background: $background; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.failure: Exception | None = None

    def compose(self) -> ComposeResult:
        """The board, what happened, whom the match waits for."""
        yield Static(id="heading", markup=False)
        with Container(id="match"):
            yield Board()
            with VerticalScroll(id="happened", can_focus=False):
                yield Static(markup=False)
        yield Static(id="waiting", markup=False)
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        """The latest events stay in sight."""
        self.query_one("#happened", VerticalScroll).anchor()

    def work(self, task: Callable[[], Awaitable[None]], group: str | None = None) -> Worker[None]:
        """Runs a task beside the screen, which ends with what ends the task. A new task of a
        `group` replaces the one before."""
        watched = partial(self._until_failure, task)
        if group is None:
            return self.run_worker(watched)
        return self.run_worker(watched, group=group, exclusive=True)

    async def _until_failure(self, task: Callable[[], Awaitable[None]]) -> None:
        try:
            with reaching():
                await task()
        except (NoMatches, MountError):
            if self.is_running:  # If not, the user has quit while an answer was on its way.
                raise
        except Exception as failure:  # noqa: BLE001  raised again by `show`
            # Here it would be printed with all variables, in which there may be a key.
            self.failure = failure
            self.exit(return_code=1)

    def show(self) -> None:
        """Runs it until the user quits. Raises what has ended it before."""
        self.run()
        if self.failure is not None:
            raise self.failure

    def action_scroll_board(self, columns: int, lines: int) -> None:
        """Shows another part of the board."""
        self.query_one(Board).scroll_relative(columns, lines, animate=False)

    def show_match(self, before: View | None, shown: View, lines: Sequence[Line]) -> None:
        """Shows a position, with marks on what has changed since the one before it."""
        self.query_one("#heading", Static).update(heading(shown))
        self.query_one(Board).show(before, shown)
        happened = [
            timed(line.at, said)
            for line in lines[-KEPT:]
            if (said := happening(line, shown.seats)) is not None
        ]
        self.query_one("#happened Static", Static).update(listing(happened))

    def show_waiting(self, text: str, *, cut: bool = False) -> None:
        """Shows whom the match waits for; `cut` if that may be out of date."""
        shown = self.query_one("#waiting", Static)
        shown.set_class(cut, "-cut")
        shown.update(text)
