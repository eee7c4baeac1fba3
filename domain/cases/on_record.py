"""What cases add to the record of their match, until its result is final, or of their tournament
(/docs/cases)."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from domain.cases.match_events import (
    MatchCaseClosed,
    MatchCaseOpened,
    RecordedCase,
    RecordedCases,
    TournamentCaseClosed,
    TournamentCaseOpened,
    case_of,
)
from domain.events import Event
from domain.match.commands import CaseCommand, CloseCase, Conflict, check_judge
from domain.match.seat_holders import names_had
from domain.match.state import AnyGame, Match
from domain.rulings.state import PendingRuling


class Kinds(NamedTuple):
    """The events by which cases are opened and closed on a record."""

    opened: type[MatchCaseOpened]
    closed: type[MatchCaseClosed]


OF_MATCH = Kinds(MatchCaseOpened, MatchCaseClosed)
OF_TOURNAMENT = Kinds(TournamentCaseOpened, TournamentCaseClosed)


def decide(game: AnyGame, match: Match, command: CaseCommand, at: int) -> list[Event]:
    """The event that a command about a case of a match gives. Raises Conflict; `match_over` says
    that the case concerns only its own stream from now on."""
    if match.over:
        raise Conflict("match_over")
    return [decide_case_command(OF_MATCH, match.cases, names_had(match), command)]


def decide_case_command(
    kinds: Kinds, cases: RecordedCases, players: Iterable[str], command: CaseCommand
) -> Event:
    """The event that a command about a case gives on a record with these cases, of those who play.
    Raises Conflict."""
    before = case_of(cases, command.case)
    if isinstance(command, CloseCase):
        _closable(before)
        check_judge(command.actor, players, closers(cases, command.case))
        return kinds.closed(command.case, None)
    if before is not None and before.open:
        raise Conflict("case_open")
    if before is not None and before.appealed:
        raise Conflict("already_appealed")
    return kinds.opened(command.case, command.actor is None)


def closed_by(kinds: Kinds, cases: RecordedCases, ruling: PendingRuling) -> list[Event]:
    """The event of the case that a ruling closes, if it closes one. Raises Conflict unless it is
    one of these cases, and open."""
    if ruling.case is None:
        return []
    _closable(case_of(cases, ruling.case))
    return [kinds.closed(ruling.case, ruling.id)]


def _closable(case: RecordedCase | None) -> None:
    if case is None:
        raise Conflict("no_such_case")
    if not case.open:
        raise Conflict("case_closed")


def closers(cases: RecordedCases, case: str | None) -> Collection[str | None]:
    """Those who have closed the open case before it was appealed."""
    recorded = None if case is None else case_of(cases, case)
    return recorded.people if recorded is not None and recorded.open else ()
