"""The board of any game in the terminal: its fields and their values, in words."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.box import ROUNDED
from rich.console import RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

NOTHING = "-"


def draw(title: str, view: Mapping[str, Any], names: Sequence[str]) -> RenderableType:
    """The view as a table with a row for each field. Lists with one entry per seat are in the order
    of the seats in the heading."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("seats", Text(", ".join(f"{seat} {name}" for seat, name in enumerate(names))))
    for field, value in (view or {}).items():
        table.add_row(field.replace("_", " "), Text("\n".join(_lines(value))))
    return Panel(table, title=Text(title), box=ROUNDED, width=80)


def _lines(value: Any) -> Iterator[str]:
    """A list of lists or of objects has a line for each."""
    if isinstance(value, list) and any(isinstance(one, list | dict) for one in value):
        yield from map(_words, value)
    else:
        yield _words(value)


def _words(value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case dict():
            said = (f"{field.replace('_', ' ')} {_part(one)}" for field, one in value.items())
            return ", ".join(said) or NOTHING
        case list():
            return ", ".join(map(_part, value)) or NOTHING
    return NOTHING if value is None else str(value)


def _part(value: Any) -> str:
    """A nested value: a list or an object in brackets."""
    said = _words(value)
    return f"({said})" if isinstance(value, list | dict) and value else said
