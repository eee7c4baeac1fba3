"""The protest window: until it ends, or the result is confirmed, a result is provisional
(/docs/rulings#provisional-results)."""

from msgspec import UNSET

from domain.case_events import any_open
from domain.deadlines import HOUR
from domain.events import Instant, later
from domain.game import Result
from domain.match_events import MatchEnded
from domain.match_state import Match


def ended(match: Match, result: Result, at: Instant) -> MatchEnded:
    """The end of a match at `at`. A result that replaces a provisional one does not move the end of
    the window: it counts from when the match was played out."""
    hours, until = match.created.protest_hours, match.protests_until
    if hours is UNSET:
        return MatchEnded(result)
    return MatchEnded(result, later(at, hours * HOUR) if until is None else until)


def window_end(match: Match) -> Instant | None:
    """The instant at which the clock makes the result final; None if it never does so by itself, or
    not while a case is open."""
    until = match.protests_until
    return None if until is None or any_open(match.cases) else until
