"""What cases add to the record of their match, until its result is final (/docs/cases)."""

from collections.abc import Collection

from domain.cases.match_events import MatchCaseClosed, MatchCaseOpened, RecordedCase, case_of
from domain.events import Event
from domain.match.commands import CaseCommand, Conflict, OpenCase, check_judge
from domain.match.seat_holders import names_had
from domain.match.state import AnyGame, Match
from domain.rulings.state import PendingRuling


def decide(game: AnyGame, match: Match, command: CaseCommand, at: int) -> list[Event]:
    """The event that a command about a case gives. Raises Conflict; `match_over` says that the case
    concerns only its own stream from now on."""
    if match.over:
        raise Conflict("match_over")
    if isinstance(command, OpenCase):
        return _opened(match, command)
    _closable(match, command.case)
    check_judge(command.actor, names_had(match), closers(match, command.case))
    return [MatchCaseClosed(command.case, None)]


def _opened(match: Match, command: OpenCase) -> list[Event]:
    before = case_of(match.cases, command.case)
    assert before is None or not before.open
    if before is not None and before.appealed:
        raise Conflict("already_appealed")
    return [MatchCaseOpened(command.case, command.actor is None)]


def closed_by(match: Match, ruling: PendingRuling) -> list[Event]:
    """The event of the case that a ruling closes, if it closes one. Raises Conflict unless the
    match has that case, and it is open."""
    if ruling.case is None:
        return []
    _closable(match, ruling.case)
    return [MatchCaseClosed(ruling.case, ruling.id)]


def _closable(match: Match, case: str) -> RecordedCase:
    found = case_of(match.cases, case)
    if found is None:
        raise Conflict("no_such_case")
    if not found.open:
        raise Conflict("case_closed")
    return found


def closers(match: Match, case: str | None) -> Collection[str | None]:
    """Those who have closed the open case before it was appealed."""
    found = None if case is None else case_of(match.cases, case)
    return found.people if found is not None and found.open else ()
