"""Starts, ends and deadlines of a match, folded from its public events."""

import pytest

from domain.events import Event, Record
from domain.game import Result
from domain.match.events import (
    AwaitingChanged,
    MatchCreated,
    MatchEnded,
    MatchPaused,
    MatchResumed,
    MatchStarted,
    SeatNamed,
)
from domain.rulings.events import MatchRewound, MatchVoided, SeatReplaced
from domain.tournament.state import Added
from projections.audience.matches import ScheduledMatch, schedule_match
from projections.tournaments.tournaments import rounds_of
from tests.support.instants import NOON, SECOND

CREATED = MatchCreated("dollar-prize", 1, {}, 2)
NAMED = [SeatNamed(seat, name, bytes(16)) for seat, name in enumerate(("Ann", "Ben"))]
WON = Result((0,), (1,), False, (100, 50))
WAITS = AwaitingChanged((0, 1), phase="bid", deadline=NOON + 10 * SECOND)


def scheduled(*events: Event) -> ScheduledMatch:
    """The match after these events, one each second."""
    match: ScheduledMatch | None = None
    for number, event in enumerate((CREATED, *NAMED, *events), -len(NAMED)):
        match = schedule_match("m", match, Record(NOON + number * SECOND, 0, event))
    assert match is not None
    return match


def test_a_deadline_in_force_names_whom_it_is_for() -> None:
    assert scheduled(MatchStarted(), WAITS).in_force == WAITS


@pytest.mark.parametrize(
    "later", [AwaitingChanged((0,)), MatchPaused(3), MatchEnded(WON), MatchVoided(None)]
)
def test_a_deadline_that_is_over_early_is_lifted(later: Event) -> None:
    match = scheduled(MatchStarted(), WAITS, later)
    assert match.in_force is None
    assert match.deadline is not None and match.deadline.state == "lifted"


def test_a_deadline_that_was_reached_has_passed_and_stays_so() -> None:
    waits = AwaitingChanged((0,), phase="bid", deadline=NOON + 3 * SECOND)
    match = scheduled(MatchStarted(), waits, AwaitingChanged(), MatchEnded(WON))
    assert match.deadline is not None and match.deadline.state == "passed"


def test_each_change_is_a_revision_and_nothing_else_is() -> None:
    quiet = scheduled(MatchStarted(), AwaitingChanged((0,)), AwaitingChanged((1,)))
    assert (quiet.revision, quiet.revised) == (1, NOON + SECOND)
    again = scheduled(MatchStarted(), WAITS, WAITS)
    assert (again.revision, again.revised) == (2, NOON + 2 * SECOND)
    moved = AwaitingChanged((0, 1), phase="bid", deadline=NOON + 20 * SECOND)
    assert scheduled(MatchStarted(), WAITS, moved).revision == 3
    assert (scheduled().revision, scheduled().row.seats) == (0, ("Ann", "Ben"))
    named = scheduled(MatchStarted(), SeatReplaced(1), SeatNamed(1, "Cy", bytes(16)))
    assert (named.revision, named.row.seats) == (2, ("Ann", "Cy"))


def test_a_rewind_takes_the_end_back_and_the_deadline_counts_from_resume() -> None:
    rewound = (MatchStarted(), WAITS, MatchEnded(WON), MatchRewound(1, 3), MatchPaused(5))
    assert scheduled(*rewound).row.ended is None
    assert scheduled(*rewound).in_force is None
    assert scheduled(*rewound, MatchResumed(), WAITS).in_force == WAITS


def test_nobody_plays_twice_in_a_round() -> None:
    pairs = [(0, 1), (2, 3), (0, 2), (1, 3), (4, 5), (0, 3)]
    matches = {str(n): Added(pair) for n, pair in enumerate(pairs)}
    assert list(rounds_of(matches).values()) == [1, 1, 2, 2, 1, 3]
