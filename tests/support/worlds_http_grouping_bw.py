"""Groupings of two worlds over HTTP: seat 0's submissions, and what the other does meanwhile."""

from tests.support.worlds_http import World
from tests.support.worlds_sealed_http import READERS, Timed, accepted

GROUPS = {"type": "group", "a": [0, 1], "b": [2, 3, 4], "c": [5, 6, 7, 8]}


OTHERS = {"type": "group", "a": [8, 7], "b": [6, 5, 4], "c": [3, 2, 1, 0]}


NO_GROUPS = {"type": "group", "a": [0, 0], "b": [2, 3, 4], "c": [5, 6, 7, 8]}


def grouping(timed: Timed, chance: str = "manual") -> World:
    match = timed.live.create(
        "grouping-bw", options={"variant": "final-match-2"}, chance=chance, clock="rules"
    )
    accepted(match.moderator.start())
    accepted(match.seats[0].act({"type": "name_starter", "seat": 0}))
    return World(match, READERS, GROUPS, "set1/pass1", timed=True)
