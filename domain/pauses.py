"""Pauses: clocks stand still, and what is left of the deadline in force is kept."""

from msgspec.structs import replace

from domain.chance import seeds
from domain.commands import Conflict
from domain.events import Event, later
from domain.match_events import MatchPaused, MatchResumed
from domain.match_state import Match


def paused(match: Match, at: int) -> list[Event]:
    """What a pause at `at` gives. Raises Conflict if the match is not running."""
    if match.status != "running":
        raise Conflict("match_not_running", match.status)
    due = match.awaiting.deadline
    if due is None:
        return [MatchPaused()]
    return [MatchPaused(max(0, due - at)), replace(match.awaiting, deadline=None)]


def resumed(match: Match, at: int) -> list[Event]:
    """What the end of a pause at `at` gives. Raises Conflict if the match is not paused."""
    if match.status != "paused":
        raise Conflict("not_paused")
    events = [MatchResumed(), *sealing(match)]
    if match.left is None:
        return events
    return [*events, replace(match.awaiting, deadline=later(at, match.left))]


def sealing(match: Match) -> list[Event]:
    """Seals the seed of an epoch that begins."""
    if match.epoch is None or match.epoch.transcript is not None:
        return []
    return [seeds.sealed(match.id, match.epoch)]
