"""Absences: who has done nothing in a match by the end of its round
(/docs/tournaments#absences)."""

from collections.abc import Collection

from domain.game import Result
from domain.match.state import Match

BY_ITSELF = "absent: forfeit"
"""The setting of a stage that is named as the rule of a forfeit that the service rules."""


def idle(match: Match, ready: Collection[int]) -> tuple[int, ...]:
    """The seats that have done nothing: no action and no seed for chance is on record, and they are
    not among those who are `ready`."""
    sizes = enumerate(match.recorded.sizes)
    return tuple(seat for seat, size in sizes if size == 0 and seat not in ready)


def forfeited(seats: int, absent: Collection[int]) -> Result:
    """The result of a match in which some seats have done nothing: they lose, with a lower score,
    and all others win; if nobody has done anything, all lose."""
    here = tuple(seat for seat in range(seats) if seat not in absent)
    scores = tuple(int(seat in here) for seat in range(seats))
    return Result(here, tuple(sorted(absent)), False, scores)
