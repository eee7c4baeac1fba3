"""A running match in words: whom it waits for, what happened, and how it ended."""

from msgspec import UNSET
from msgspec.structs import replace
from rich.text import Text

from domain.games import GAMES
from domain.match_events import ActionReceived, AwaitingChanged
from projections.actor_text import actor
from projections.audience import View
from projections.event_text import listed, sentence
from projections.housekeeping import is_housekeeping
from projections.lines import Line, record_of
from projections.plain_text import Names, person, plain

UNNAMED = ("rules", "clock")
"""Who is left out before what they did."""


def game_title(game: str) -> str:
    """The name of a game, also of one that this release does not know."""
    return GAMES[game].title if game in GAMES else plain(game)


def heading(shown: View) -> Text:
    """Which match it is, who plays, and who looks on."""
    text = Text(game_title(shown.game), style="bold")
    text.append(f"  {numbered(shown.seats)}", style="not bold")
    return text.append(f"  as {_audience(shown)}", style="not bold dim")


def numbered(names: Names) -> str:
    """Each seat with its number, as fields of views and actions have it."""
    return ", ".join(f"{seat} {plain(name)}" for seat, name in enumerate(names))


def waiting(shown: View) -> str:
    """Whom the match waits for, and until when; or why it waits for nobody."""
    match shown.status:
        case "created":
            return "Not started yet."
        case "paused":
            return "Paused."
        case "void":
            return "Void: it does not count."
        case "ended":
            return ending(shown)
    awaited = [person(seat, shown.seats) for seat in shown.awaiting.seats]
    if shown.awaiting.draw is not None:
        awaited.append("a draw")
    said = f"Waiting for {', '.join(awaited) or 'nobody'}."
    deadline = shown.awaiting.deadline
    return said if deadline is None else f"{said} Until {plain(deadline)}."


def ending(shown: View) -> str:
    """How the match ended."""
    result = shown.result
    if result is None:
        return "Ended."
    winners = ", ".join(person(seat, shown.seats) for seat in result.winners) or "nobody"
    said = f"{'Shared by' if result.shared else 'Won by'} {winners}."
    return f"{said} Provisional: there may be a protest." if result.final is False else said


def happening(line: Line, names: Names) -> str | None:
    """An event in words, after who did it; None for what only keeps the books. An event that this
    release does not know is shown by its name and fields."""
    try:
        event = record_of(line, 0).event
    except (KeyError, ValueError, OverflowError, TypeError):
        return f"{plain(line.type)}: {listed(line.data, names)}"
    if is_housekeeping(event) and not isinstance(event, AwaitingChanged):
        return None
    who = actor(event, names)
    if isinstance(event, ActionReceived):
        event = replace(event, key=None, key_id=UNSET)
    said = sentence(event, names)
    return said if who in UNNAMED else f"{who} {said}"


def _audience(shown: View) -> str:
    kind, _, seat = shown.audience.partition(":")
    return person(int(seat), shown.seats) if kind == "seat" else plain(shown.audience)
