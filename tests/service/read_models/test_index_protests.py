"""The index of matches with protest windows: when these end, so that they do after a restart, too,
and what waits for that."""

from uuid import UUID

import pytest

from domain.events import Event
from domain.match.events import MatchEnded, MatchStarted
from domain.rulings.events import MatchConfirmed, MatchVoided, RulingProposed
from domain.rulings.kinds import VoidMatch
from projections.audience.results import shown
from service.event_store.stream_ids import time_ordered
from tests.support.instance.index_log import WON, Log
from tests.support.instants import NOON

UNTIL = NOON + 50
PROVISIONAL = MatchEnded(WON, UNTIL)


def ended(log: Log) -> UUID:
    """A match of a tournament whose result is provisional."""
    return log.match(MatchStarted(), PROVISIONAL, tournament=str(time_ordered(NOON // 1000)))


def test_a_provisional_result_is_listed_as_such_and_waits_for_its_window(log: Log) -> None:
    match_id = ended(log)
    log.put(match_id, RulingProposed("a", VoidMatch(), "why", None, None, None, False, NOON + 60))
    log.index.follow()
    (row,) = log.index.page(status="ended").matches
    assert row.result == shown(WON, final=False)
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
    final = shown(WON, final=True)
    assert row.result == (final if isinstance(last, MatchConfirmed) else None)
    assert log.index.deadlines() == []
    assert log.index.unsettled() == log.index.unsigned() == [match_id]
