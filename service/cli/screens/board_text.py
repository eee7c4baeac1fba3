"""The board of a position as lines of text, in which what has changed is marked."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import partial
from io import StringIO
from itertools import accumulate
from typing import Any

import msgspec
from rich.console import Console, RenderableType
from rich.text import Text

from projections.audience import View
from projections.plain_text import plain
from service.cli import plain_board
from service.cli.boards import DRAWINGS

FULL = 78
"""Columns in which every board has room: with a margin and a scroll bar 80."""

STEP = 8
"""Columns that a board in which a word is cut off gets at a time."""

MARK = "underline"
"""Style of what has changed; it is also told by a bar at the left of its line."""

_WORD = re.compile(r"\w+")
_PART = re.compile(r"\w+|\s+|[^\w\s]")
"""A word, the space between two, or any other letter."""


def board(shown: View) -> RenderableType:
    """The drawing of a view. What does not print as itself is escaped in it."""
    if shown.view is None:
        return Text("Not started yet.")
    wire = msgspec.json.decode(msgspec.json.encode(shown.view))
    draw = DRAWINGS.get(shown.game, partial(plain_board.draw, plain(shown.game)))
    return draw(_printable(wire), [plain(name) for name in shown.seats])


def board_lines(shown: View, columns: int) -> list[Text]:
    """The board in so many columns; in as many more as it takes until no word is cut off."""
    drawn = board(shown)
    full = _lines(drawn, FULL)
    words = _words(full)
    for width in range(columns, FULL, STEP):
        lines = _lines(drawn, width)
        if not words - _words(lines):
            return lines
    return full


def marked(before: Sequence[Text], after: Sequence[Text]) -> Text:
    """The lines of a board behind a margin, with a bar beside each that was not there before, and
    marks on what is new in it."""
    old, new = [line.plain for line in before], [line.plain for line in after]
    shown: list[Text] = []
    for kind, start, end, first, last in SequenceMatcher(None, old, new, False).get_opcodes():
        if kind == "equal":
            shown += [_with_margin(line, " ") for line in after[first:last]]
            continue
        former = [*old[start:end], *[""] * (last - first)]
        for line, text in zip(after[first:last], former, strict=False):
            shown.append(_with_margin(_marked(text, line), "▌"))
    return Text("\n").join(shown)


def unmarked(lines: Sequence[Text]) -> Text:
    """The lines of a board behind the same margin."""
    return Text("\n").join(_with_margin(line, " ") for line in lines)


def _marked(before: str, line: Text) -> Text:
    """The line with marks on the words that are new."""
    old, new = _PART.findall(before), _PART.findall(line.plain)
    starts = [0, *accumulate(map(len, new))]
    shown = line.copy()
    for kind, _, _, first, last in SequenceMatcher(None, old, new, False).get_opcodes():
        if kind in ("insert", "replace"):
            shown.stylize(MARK, starts[first], starts[last])
    return shown


def _words(lines: Sequence[Text]) -> Counter[str]:
    """The words and numbers of a board, and how often each stands there."""
    return Counter(word for line in lines for word in _WORD.findall(line.plain))


def _with_margin(line: Text, margin: str) -> Text:
    return Text.assemble((margin, "bold yellow"), line)


def _printable(value: Any) -> Any:
    """A view all of whose texts print as themselves: it may come from any service."""
    match value:
        case str():
            return plain(value)
        case list():
            return [_printable(one) for one in value]
        case dict():
            fields: Mapping[str, Any] = value
            return {plain(name): _printable(one) for name, one in fields.items()}
    return value


def _lines(drawn: RenderableType, columns: int) -> list[Text]:
    console = Console(width=columns, file=StringIO(), color_system="truecolor", emoji=False)
    return list(_texts(console, drawn))


def _texts(console: Console, drawn: RenderableType) -> Iterator[Text]:
    for line in console.render_lines(drawn, pad=False):
        yield Text.assemble(*((part.text, part.style or "") for part in line if not part.control))
