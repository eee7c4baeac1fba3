"""What the clock gives a match by itself: its deadline passes, its protest window ends, a pending
ruling lapses."""

from msgspec import Struct

from domain.commands import EndProtests, PassDeadline
from domain.events import Instant
from domain.match_state import Match
from domain.protests import window_end
from domain.ruling_commands import LapseRuling
from domain.rulings import due_lapse


class Due(Struct, frozen=True):
    """A command, and the instant in microseconds at which the clock gives it."""

    at: Instant
    command: PassDeadline | EndProtests | LapseRuling


def next_due(match: Match) -> Due | None:
    """What comes next if nobody does anything; of several at an instant a lapse comes last."""
    deadline, unmoved = match.awaiting.deadline, next_unmoved(match)
    if deadline is None or (unmoved is not None and unmoved.at < deadline):
        return unmoved
    return Due(deadline, PassDeadline())


def due_at(match: Match) -> Instant | None:
    """The instant at which the clock gives the match something."""
    due = next_due(match)
    return None if due is None else due.at


def next_unmoved(match: Match) -> Due | None:
    """The same of what an absence of the service does not move: all but deadlines, which are for
    those who play."""
    end, lapse = window_end(match), due_lapse(match)
    if lapse is None or (end is not None and end <= lapse.at):
        return None if end is None else Due(end, EndProtests())
    return Due(lapse.at, LapseRuling(lapse.id))
