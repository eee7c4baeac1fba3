"""Folding a tournament: each event once, whatever the length, and no state changes afterwards."""

import time
from collections.abc import Callable
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.events import Event
from domain.tournament.events import (
    GarnetsPosted,
    MatchAdded,
    MatchGiven,
    MatchSettled,
    ModeratorNamed,
    PlayerNamed,
    RequestReceived,
    TournamentCreated,
)
from domain.tournament.fold import fold
from domain.tournament.state import NOTHING_YET
from tests.support.tables.correction_tables import WON

BLIND = bytes(16)
SHORT, TIMES = 1_000, 32
"""The number of events folded, and the factor by which the longer record is longer."""

SLACK = 6
"""Factor by which a fold may take longer than in proportion: the long record fits no cache, and
others use the caches, too. With copies at every event it would be more than ten times."""


@st.composite
def histories(draw: st.DrawFn) -> list[Event]:
    """Events of a tournament with one player, as its state would let them happen."""
    events: list[Event] = [TournamentCreated("Cup"), PlayerNamed(0, "Ann", BLIND)]
    matches: list[str] = []
    for n in range(draw(st.integers(0, 20))):
        kinds = ["player", "moderator", "match", "garnets", "request"]
        kind = draw(st.sampled_from([*kinds, "given", "settled"] if matches else kinds))
        if kind == "match":
            matches.append(f"m{n}")
        match = draw(st.sampled_from(matches)) if matches else ""
        happened: dict[str, Event] = {
            "player": PlayerNamed(n, f"P{n}", BLIND),
            "moderator": ModeratorNamed(n, f"M{n}", BLIND),
            "match": MatchAdded(f"m{n}", "a-game", (0,)),
            "garnets": GarnetsPosted(0, "house", "player", n + 1, "a prize"),
            "request": RequestReceived("0f", None, f"key {n}", bytes([n])),
            "given": MatchGiven(match, n),
            "settled": MatchSettled(match, WON),
        }
        events.append(happened[kind])
    return events


@given(histories(), st.data())
def test_returned_states_never_change(events: list[Event], data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(events)), max_size=5)))
    parts = [events[a:b] for a, b in zip([0, *cuts], [*cuts, len(events)], strict=True)]
    handed, copies = [NOTHING_YET], [deepcopy(NOTHING_YET)]
    for part in parts:
        handed.append(fold(handed[-1], part))
        copies.append(deepcopy(handed[-1]))
    assert handed == copies
    assert handed[-1] == fold(NOTHING_YET, events)


MANY: dict[str, Callable[[int], Event]] = {
    "matches": lambda n: MatchAdded(f"m{n}", "a-game", (0,)),
    "requests": lambda n: RequestReceived("0f", None, f"key {n}", b"1"),
    "purses": lambda n: GarnetsPosted(n, "house", "player", 1, "a prize"),
}


@pytest.mark.parametrize("what", MANY)
def test_the_time_of_a_fold_is_linear_in_the_record(what: str) -> None:
    def seconds(length: int) -> float:
        events = [MANY[what](n) for n in range(length)]
        found = []
        for _ in range(10):
            begun = time.thread_time()
            fold(NOTHING_YET, events)
            found.append(time.thread_time() - begun)
        return min(found)

    assert seconds(TIMES * SHORT) < SLACK * TIMES * seconds(SHORT)
