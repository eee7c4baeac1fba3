"""What is on the record of a match, or of a tournament, of its cases: which were opened and closed
(/docs/cases), of a match before its result was final. The tags are the storage format.

What is said in a case stands in a stream of its own, `state`. These events only let the match or
the tournament know that a case is open, and a ruling close it.
"""

from msgspec import Struct
from msgspec.structs import replace

from domain.events import SealedEvent


class MatchCaseOpened(SealedEvent, frozen=True, tag="match.case-opened.1"):
    """The case with this id is open from now on; the second time it was appealed. Unless a seat did
    it, `match.directed.1` says who did."""

    case: str
    by_seat: bool


class MatchCaseClosed(SealedEvent, frozen=True, tag="match.case-closed.1"):
    """The case is closed: by the ruling with this id, whose effect follows, or, if that is null, by
    a note in the case."""

    case: str
    ruling: str | None


CaseEvent = MatchCaseOpened | MatchCaseClosed


class TournamentCaseOpened(MatchCaseOpened, frozen=True, tag="tournament.case-opened.1"):
    """As in a match. Unless a player did it, `tournament.directed.1` says who did."""


class TournamentCaseClosed(MatchCaseClosed, frozen=True, tag="tournament.case-closed.1"):
    """As in a match. A ruling on a match of the tournament may close a case of that match."""


TournamentCaseEvent = TournamentCaseOpened | TournamentCaseClosed


class RecordedCase(Struct, frozen=True, array_like=True):
    """A case on record. `people` are those who have closed it (see `Actor.person`), with None for
    one who is named by the next event."""

    id: str
    open: bool = True
    appealed: bool = False
    people: tuple[str | None, ...] = ()


RecordedCases = tuple[RecordedCase, ...]
"""The cases on record of a match or a tournament, in the order in which they were opened."""


def case_of(cases: RecordedCases, case: str) -> RecordedCase | None:
    """The case with this id."""
    return next((recorded for recorded in cases if recorded.id == case), None)


def any_open(cases: RecordedCases) -> bool:
    """Whether a case waits to be closed: until then the protest window does not end."""
    return any(case.open for case in cases)


def after_case_event(
    cases: RecordedCases, event: CaseEvent, people: tuple[str, ...]
) -> RecordedCases:
    """The cases after an event about one; `people` are those who gave the ruling that closed it."""
    before = case_of(cases, event.case)
    if isinstance(event, MatchCaseOpened):
        if before is None:
            return (*cases, RecordedCase(event.case))
        after = replace(before, open=True, appealed=True)
    elif before is None:
        return cases
    else:
        closers: tuple[str | None, ...] = (None,) if event.ruling is None else people
        after = replace(before, open=False, people=(*before.people, *closers))
    return tuple(after if recorded.id == after.id else recorded for recorded in cases)


def after_directed(cases: RecordedCases, person: str) -> RecordedCases:
    """The cases after `match.directed.1`: of a case just closed by a note it says who closed it."""
    if not any(None in case.people for case in cases):
        return cases
    return tuple(
        replace(case, people=tuple(person if closer is None else closer for closer in case.people))
        for case in cases
    )
