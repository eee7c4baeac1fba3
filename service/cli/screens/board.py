"""The widget of a board."""

from textual.app import ComposeResult
from textual.containers import ScrollableContainer
from textual.widgets import Static

from projections.audience import View
from service.cli.screens.board_text import board_lines, marked, unmarked

MARGIN = 1


class Board(ScrollableContainer):
    """A position, with marks on what has changed since the one before; it scrolls where there is
    no room for all of it."""

    DEFAULT_CSS = """
    Board { height: auto; max-height: 1fr; scrollbar-size: 1 1; }
    Board Static { width: auto; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._before: View | None = None
        self._shown: View | None = None

    def compose(self) -> ComposeResult:
        """Nothing but the text of the board."""
        yield Static(markup=False)

    def show(self, before: View | None, shown: View) -> None:
        """Draws a position, marked against the one `before` if there was one."""
        self._before, self._shown = before, shown
        self._draw()

    def on_resize(self) -> None:
        """Draws it again in the columns that there are now."""
        self._draw()

    def _draw(self) -> None:
        columns = self.scrollable_content_region.width - MARGIN
        if self._shown is None or columns <= 0:
            return
        lines = board_lines(self._shown, columns)
        before = self._before
        text = unmarked(lines) if before is None else marked(board_lines(before, columns), lines)
        self.query_one(Static).update(text)
