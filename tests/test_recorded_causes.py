"""Every record of every recorded match names its input, as it used to be inferred from what stands
beside it."""

from collections.abc import Iterator, Sequence

import pytest

from domain.case_events import MatchCaseClosed, MatchCaseOpened
from domain.events import Event, Record
from domain.key_events import ENDED, ISSUED
from domain.match_events import (
    ActionReceived,
    ClientSeedGiven,
    DeadlinePassed,
    DeadlineSet,
    Directed,
    DrawRefused,
    DrawSettled,
    MatchCreated,
    MatchPaused,
    MatchResumed,
    MatchStarted,
    PhaseClosed,
    SealedDrawSettled,
)
from domain.rewind_events import MatchRewound, RewindOrdered
from domain.ruling_events import (
    MatchConfirmed,
    MatchRuled,
    RulingConsented,
    RulingLapsed,
    RulingOrdered,
    RulingProposed,
    RulingWithdrawn,
    SealedRuled,
    SeatRuled,
)
from tests.recorded.files import recorded, records

EVERY_MATCH = pytest.mark.parametrize("name", recorded())

INPUTS = (
    *(MatchCreated, ClientSeedGiven, MatchStarted, ActionReceived, DrawRefused, DeadlinePassed),
    *(PhaseClosed, MatchCaseOpened, RulingProposed, RulingWithdrawn, RulingLapsed),
    *(RulingConsented, *ISSUED, *ENDED),
)
BY_A_RULING = (MatchPaused, MatchResumed, MatchConfirmed)
BEFORE_AN_EFFECT = (MatchRuled, RulingOrdered, MatchCaseClosed, MatchRewound, RewindOrdered)
BEFORE_A_SEAT_IS_TOLD = (RulingOrdered, MatchCaseClosed, SeatRuled)


def is_input(event: Event, before: Event | None, behind: Event | None) -> bool:
    """Whether an event comes from outside, by what it says and what stands beside it."""
    match event:
        case DrawSettled() | SealedDrawSettled():
            return event.by == "manual"
        case DeadlineSet():
            return event.because == "absence"
        case MatchCaseClosed():
            return event.ruling is None
        case MatchRuled() | SealedRuled():
            return isinstance(behind, Directed) or not isinstance(before, RulingConsented)
        case SeatRuled():
            return not isinstance(before, BEFORE_A_SEAT_IS_TOLD)
    if isinstance(event, BY_A_RULING):
        return not isinstance(before, BEFORE_AN_EFFECT)
    return isinstance(event, INPUTS)


def inferred(played: Sequence[Record[Event]]) -> Iterator[int]:
    """The index of the input of each record, in order."""
    begun = 0
    for index, record in enumerate(played):
        before = played[index - 1].event if index else None
        behind = played[index + 1].event if index + 1 < len(played) else None
        if is_input(record.event, before, behind):
            begun = index
        yield begun


@EVERY_MATCH
def test_every_record_names_its_input(name: str) -> None:
    played = records(name)
    assert [index - one.back for index, one in enumerate(played)] == list(inferred(played))


@EVERY_MATCH
def test_an_input_and_all_that_follows_from_it_are_of_one_instant(name: str) -> None:
    """What a ruling gives again, too: it is recorded with the ruling."""
    played = records(name)
    assert all(played[index - one.back].at == one.at for index, one in enumerate(played))


@EVERY_MATCH
def test_who_directed_an_input_stands_right_behind_it_and_names_it(name: str) -> None:
    played = records(name)
    for index, one in enumerate(played):
        if isinstance(one.event, Directed):
            assert (one.back, played[index - 1].back) == (1, 0)
