"""The index of matches with rulings: void ones, new names, and when pending rulings lapse, so that
they do so after a restart, too."""

from uuid import UUID

import pytest

from domain.events import Event
from domain.match.events import AwaitingChanged, MatchEnded, MatchStarted, SeatNamed
from domain.rulings.events import (
    MatchConfirmed,
    MatchVoided,
    RulingLapsed,
    RulingOrdered,
    RulingProposed,
    RulingWithdrawn,
    SeatReplaced,
)
from domain.rulings.kinds import VoidMatch
from projections.audience.results import show_result
from service.event_store.stream_ids import time_ordered
from service.read_models.index import MatchFilters
from tests.support.instance.index_log import WON, Log, ids
from tests.support.instants import NOON


def proposed(ruling: str, lapses: int) -> RulingProposed:
    return RulingProposed(ruling, VoidMatch(), "why", None, None, None, False, lapses)


def waiting(deadline: int) -> AwaitingChanged:
    return AwaitingChanged((0,), phase="a", deadline=deadline)


def test_a_match_is_due_at_its_deadline_or_when_its_first_ruling_lapses(log: Log) -> None:
    one = log.match(MatchStarted(), waiting(NOON + 5), proposed("a", NOON + 3))
    two = log.match(MatchStarted(), waiting(NOON + 1), proposed("a", NOON + 3))
    three = log.match(proposed("a", NOON + 7), proposed("b", NOON + 8))
    log.index.follow()
    assert sorted(log.index.deadlines()) == [(one, NOON + 3), (two, NOON + 1), (three, NOON + 7)]
    assert log.index.deadlines(NOON + 2) == [(two, NOON + 1)]


@pytest.mark.parametrize(
    "event",
    [
        RulingWithdrawn("a"),
        RulingLapsed("a"),
        RulingOrdered("a", VoidMatch(), None),
        MatchVoided(None),
        MatchEnded(WON),
    ],
    ids=lambda event: type(event).__name__,
)
@pytest.mark.parametrize("at_once", [True, False])
def test_what_is_not_pending_any_more_does_not_lapse(log: Log, event: Event, at_once: bool) -> None:
    match_id = log.match(proposed("a", NOON + 3))
    other = log.match(proposed("a", NOON + 4))
    if not at_once:
        log.index.follow()
    log.put(match_id, event)
    log.index.follow()
    assert log.index.deadlines() == [(other, NOON + 4)]


def test_a_void_match_is_listed_as_such_and_waits_to_be_signed(log: Log) -> None:
    match_id = log.match(MatchStarted(), waiting(NOON + 1), MatchVoided(None))
    log.index.follow()
    (row,) = log.index.page(MatchFilters(status="void")).matches
    assert (row.id, row.result, row.ended) == (str(match_id), None, "2026-01-01T12:00:03Z")
    assert log.index.deadlines() == []
    assert log.index.unsigned() == [match_id]


def test_a_match_is_found_by_the_names_that_its_seats_have_and_had(log: Log) -> None:
    match_id = log.match(SeatReplaced(1), SeatNamed(1, "Zoe", bytes(16)))
    log.index.follow()
    (row,) = log.index.page().matches
    assert row.seats == ("Ann", "Zoe")
    for name in ("Ben", "zoe", "Ann"):
        assert log.listed(player=name) == ids(match_id)


# The index of matches with protest windows: when these end, so that they do after a restart, too,
# and what waits for that.

UNTIL = NOON + 50
PROVISIONAL = MatchEnded(WON, UNTIL)


def ended(log: Log) -> UUID:
    """A match of a tournament whose result is provisional."""
    return log.match(MatchStarted(), PROVISIONAL, tournament=str(time_ordered(NOON // 1000)))


def test_a_provisional_result_is_listed_as_such_and_waits_for_its_window(log: Log) -> None:
    match_id = ended(log)
    log.put(match_id, RulingProposed("a", VoidMatch(), "why", None, None, None, False, NOON + 60))
    log.index.follow()
    (row,) = log.index.page(MatchFilters(status="ended")).matches
    assert row.result == show_result(WON, final=False)
    assert log.index.deadlines() == [(match_id, UNTIL)]
    assert log.index.deadlines(UNTIL) == []
    assert log.index.unsettled() == log.index.unsigned() == []


@pytest.mark.parametrize("last", [MatchConfirmed(), MatchVoided(None)])
@pytest.mark.parametrize("at_once", [True, False])
def test_when_it_is_final_it_waits_to_be_settled_and_signed(
    log: Log, last: Event, at_once: bool
) -> None:
    match_id = ended(log)
    if not at_once:
        log.index.follow()
    log.put(match_id, PROVISIONAL, last)
    log.index.follow()
    (row,) = log.index.page().matches
    final = show_result(WON, final=True)
    assert row.result == (final if isinstance(last, MatchConfirmed) else None)
    assert log.index.deadlines() == []
    assert log.index.unsettled() == log.index.unsigned() == [match_id]
