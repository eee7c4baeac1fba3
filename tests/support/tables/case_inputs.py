"""Cases on a record, and the commands that they were: told by their batches alone."""

from collections.abc import Sequence

from domain.case_events import MatchCaseClosed, MatchCaseOpened
from domain.commands import CaseCommand, CloseCase, OpenCase
from domain.events import Event
from domain.match_events import Directed
from domain.people import Actor


def case_given(batch: Sequence[Event]) -> CaseCommand | None:
    """The command of which these are the events, None if it is about no case."""
    match batch:
        case [MatchCaseOpened(case, False), Directed() as by]:
            return OpenCase(case, Actor.of(by))
        case [MatchCaseOpened(case, True)]:
            return OpenCase(case)
        case [MatchCaseClosed(case, None), Directed() as by]:
            return CloseCase(case, Actor.of(by))
    return None
