"""The board of any game in the terminal: the fields of its view in the words of the pages."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec
from rich.box import ROUNDED
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from domain.games import GAMES
from projections.audience.view import View
from projections.texts.plain_text import Names, person, plain
from service.web.texts import FALLBACK, languages

WORDS = languages()[FALLBACK]
WIDTH = 80
LATEST = 5
"""Number of entries that are shown of a long list, such as all rounds so far."""

_IDENTIFIER = re.compile(r"[a-z]+(_[a-z]+)+")


def game_title(game: str) -> str:
    """The name of a game, also of one that this release does not know."""
    return GAMES[game].title if game in GAMES else plain(game)


def numbered(names: Names) -> str:
    """Each seat with its number, as fields of views and actions have it."""
    return ", ".join(f"{seat} {plain(name)}" for seat, name in enumerate(names))


def _waiting(shown: View) -> str:
    """Whom the match waits for, and until when; or why it waits for no one."""
    match shown.status:
        case "created":
            return "Not started yet."
        case "paused":
            return "Paused."
        case "void":
            return "Void: it does not count."
        case "ended":
            return _ending(shown)
    awaited = [person(seat, shown.seats) for seat in shown.awaiting.seats]
    if shown.awaiting.draw is not None:
        awaited.append("a draw")
    said = f"Waiting for {', '.join(awaited) or 'nobody'}."
    deadline = shown.awaiting.deadline
    return said if deadline is None else f"{said} Until {plain(deadline)}."


def _ending(shown: View) -> str:
    """How the match ended."""
    result = shown.result
    if result is None:
        return "Ended."
    winners = ", ".join(person(seat, shown.seats) for seat in result.winners) or "nobody"
    said = f"{'Shared by' if result.shared else 'Won by'} {winners}."
    return f"{said} Provisional: there may be a protest." if result.final is False else said


def position(shown: View) -> RenderableType:
    """The board, if the match has started, and whom the match waits for. The view may come from any
    service: what does not print as itself is escaped."""
    said = Text(_waiting(shown))
    return said if shown.view is None else Group(_board(shown), said)


def _board(shown: View) -> Panel:
    """A table with a row for each field. Seats are numbers; lists with one entry per seat are in
    the order of the seats in the heading."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row(WORDS.words("seats"), Text(numbered(shown.seats)))
    view = msgspec.json.decode(msgspec.json.encode(shown.view), type=dict[str, Any])
    for field, value in view.items():
        lines = [*_lines(field, value)]
        if len(lines) > max(LATEST, len(shown.seats)):
            lines = ["…", *lines[-LATEST:]]
        table.add_row(Text(_title(field)), Text("\n".join(lines)))
    return Panel(table, title=Text(game_title(shown.game)), box=ROUNDED, width=WIDTH)


def _lines(field: str, value: Any) -> Iterator[str]:
    """A list of lists or of objects has a line for each, numbered as seats are."""
    if isinstance(value, list) and any(isinstance(one, list | dict) for one in value):
        for number, one in enumerate(value):
            yield f"{number}: {_words(field, one)}"
    else:
        yield _words(field, value)


def _words(field: str, value: Any) -> str:
    if value in (None, [], {}):
        return WORDS.say("nothing")
    match value:
        case bool():
            return WORDS.say("yes" if value else "no")
        case dict():
            return ", ".join(f"{_title(name)} {_part(name, one)}" for name, one in value.items())
        case list():
            return ", ".join(_part(field, one) for one in value)
    said = WORDS.value(field, value)
    return plain(said.replace("_", " ") if _IDENTIFIER.fullmatch(said) else said)


def _part(field: str, value: Any) -> str:
    """A nested value: a list or an object in brackets."""
    said = _words(field, value)
    return f"({said})" if isinstance(value, list | dict) and value else said


def _title(field: str) -> str:
    return plain(WORDS.words(field))
