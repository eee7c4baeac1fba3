"""A running match in words: whom it waits for, what happened, and how it ended."""

from rich.text import Text

from domain.events import stored_name
from domain.games import GAMES
from domain.match_events import AwaitingChanged
from projections.actor_text import known_actors
from projections.audience import View
from projections.event_text import told
from projections.lines import Line
from projections.plain_text import Names, person, plain

_UNSAID = known_actors().housekeeping - {stored_name(AwaitingChanged)}


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
    """An event in words; None for what only keeps the books."""
    return None if line.type in _UNSAID else told(line.type, line.data, names)


def _audience(shown: View) -> str:
    kind, _, seat = shown.audience.partition(":")
    return person(int(seat), shown.seats) if kind == "seat" else plain(shown.audience)
