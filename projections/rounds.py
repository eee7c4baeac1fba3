"""The rounds of a tournament: nobody plays twice in one.

A match is in the first round behind all earlier matches of its players, in the order in which
matches were added. So where everybody plays once at a time, pairings published together are a
round.
"""

from collections.abc import Iterable

from projections.tournaments import MatchShown


def rounds_of(matches: Iterable[MatchShown]) -> dict[str, int]:
    """The round of each match, by its id, from 1."""
    played: dict[int, int] = {}
    rounds: dict[str, int] = {}
    for match in matches:
        number = 1 + max((played.get(player, 0) for player in match.players), default=0)
        rounds[match.match] = number
        played.update(dict.fromkeys(match.players, number))
    return rounds
