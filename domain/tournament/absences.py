"""Absences: who has done nothing in a match by the end of its round
(/docs/tournaments#absences)."""

from collections.abc import Collection

from domain.game import Result


def forfeited(seats: int, absent: Collection[int]) -> Result:
    """The result of a match in which some seats have done nothing: they lose, with a lower score,
    and all others win; if nobody has done anything, all lose."""
    here = tuple(seat for seat in range(seats) if seat not in absent)
    scores = tuple(int(seat in here) for seat in range(seats))
    return Result(here, tuple(sorted(absent)), False, scores)
