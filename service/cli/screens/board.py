"""The widget of a board."""

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import ScrollableContainer
from textual.widgets import Static

from projections.audience import View
from service.cli.screens.board_text import board_lines, marked, unmarked

MARGIN = 1


class Board(ScrollableContainer, can_focus=False):
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
        self._columns = 0
        self._drawn: list[tuple[View, list[Text]]] = []

    def compose(self) -> ComposeResult:
        """Nothing but the text of the board."""
        yield Static(markup=False)

    def show(self, before: View | None, shown: View) -> None:
        """Draws a position, marked against the one `before` if there was one."""
        self._before, self._shown = before, shown
        self._draw()

    def on_resize(self) -> None:
        """Draws it again in the columns that there are now."""
        columns = self.scrollable_content_region.width - MARGIN
        if columns != self._columns:
            self._columns, self._drawn = columns, []
            self._draw()

    def _draw(self) -> None:
        if self._shown is None or self._columns <= 0:
            return
        positions = [self._shown] if self._before is None else [self._before, self._shown]
        self._drawn = [(one, self._lines(one)) for one in positions]
        *before, (_, lines) = self._drawn
        text = marked(before[0][1], lines) if before else unmarked(lines)
        self.query_one(Static).update(text)

    def _lines(self, position: View) -> list[Text]:
        """The drawing of a position, which may be at hand."""
        kept = (lines for one, lines in self._drawn if one is position)
        return next(kept, None) or board_lines(position, self._columns)
