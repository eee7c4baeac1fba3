"""What the clock gives a match by itself: its deadline passes, a pending ruling lapses."""

from msgspec import Struct

from domain.commands import PassDeadline
from domain.events import Instant
from domain.match_state import Match
from domain.ruling_commands import LapseRuling
from domain.rulings import due_lapse


class Due(Struct, frozen=True):
    """A command, and the instant in microseconds at which the clock gives it."""

    at: Instant
    command: PassDeadline | LapseRuling


def next_due(match: Match) -> Due | None:
    """What comes next if nobody does anything; a deadline comes before a lapse at its instant."""
    deadline, lapse = match.awaiting.deadline, next_lapse(match)
    if deadline is None or (lapse is not None and lapse.at < deadline):
        return lapse
    return Due(deadline, PassDeadline())


def due_at(match: Match) -> Instant | None:
    """The instant at which the clock gives the match something."""
    due = next_due(match)
    return None if due is None else due.at


def next_lapse(match: Match) -> Due | None:
    """The next ruling to lapse. An absence of the service does not move it."""
    lapse = due_lapse(match)
    return None if lapse is None else Due(lapse.at, LapseRuling(lapse.id))
