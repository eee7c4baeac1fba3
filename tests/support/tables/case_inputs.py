"""Cases on a record, and the commands that they were: told by their batches alone."""

from collections.abc import Sequence

from domain.case_commands import CaseCommand, CloseCase, OpenCase
from domain.case_events import MatchCaseClosed, MatchCaseOpened
from domain.events import Event
from domain.match_events import Directed
from domain.people import Actor


def case_given(batch: Sequence[Event]) -> CaseCommand | None:
    """The command of which these are the events, None if it is about no case."""
    match batch:
        case [MatchCaseOpened(case, False), Directed(by, key)]:
            return OpenCase(case, Actor(by, key))
        case [MatchCaseOpened(case, True)]:
            return OpenCase(case)
        case [MatchCaseClosed(case, None), Directed(by, key)]:
            return CloseCase(case, Actor(by, key))
    return None
