"""What is wrong with the events of a tournament's ruling, by what stands before them."""

from collections.abc import Sequence

from domain.cases.match_events import (
    RecordedCases,
    TournamentCaseClosed,
    TournamentCaseOpened,
    case_of,
)
from domain.events import Event
from domain.rulings.kinds import tournament_kind_of
from domain.rulings.state import Rulings, match_of
from domain.tournament.events import (
    TournamentDirected,
    TournamentRuled,
    TournamentRulingLapsed,
    TournamentRulingOrdered,
    TournamentRulingProposed,
    TournamentRulingWithdrawn,
)

BEGUN = (TournamentRuled, TournamentRulingProposed, TournamentRulingWithdrawn)
"""The events of rulings that say who gave them right after."""


def wrong_ruling(
    rulings: Rulings, cases: RecordedCases, last: Sequence[Event], event: Event
) -> list[str]:
    """What is wrong with an event about a ruling, or with one after it, in a tournament with these
    rulings and cases, after the `last` two events, if there were as many."""
    found = []
    before = last[-1] if last else None
    if _is_directed(before) != isinstance(event, TournamentDirected):
        found.append("who ruled is said where no ruling is, or is not said where one is")
    if isinstance(before, TournamentRulingOrdered):
        found += _wrong_closing(rulings, cases, before, event)
    match event:
        case TournamentRuled(n) if n != rulings.n + 1:
            found.append(f"it is ruling {n}, and not the next one")
        case TournamentRulingProposed(ruling) if rulings.knows(ruling):
            found.append(f"ruling {ruling} was known before")
        case TournamentRulingWithdrawn(ruling) | TournamentRulingLapsed(ruling):
            if rulings.waiting(ruling) is None:
                found.append(f"ruling {ruling} was not pending")
        case TournamentCaseClosed(ruling=str()) if not isinstance(before, TournamentRulingOrdered):
            found.append("it closes a case right after no ruling")
        case TournamentRulingOrdered():
            found += _wrong_order(rulings, last, event)
    return found


def _is_directed(event: Event | None) -> bool:
    """Whether the next event says who gave this one."""
    if isinstance(event, TournamentCaseOpened):
        return not event.by_seat
    noted = isinstance(event, TournamentCaseClosed) and event.ruling is None
    return noted or isinstance(event, BEGUN)


def _wrong_closing(
    rulings: Rulings, cases: RecordedCases, ordered: TournamentRulingOrdered, event: Event
) -> list[str]:
    """A ruling closes the case that it names, which was open and not closed by the same people
    before: one of the tournament, or of the match on which it is."""
    closed = (event.case, event.ruling) if isinstance(event, TournamentCaseClosed) else None
    if closed != (None if ordered.case is None else (ordered.case, ordered.id)):
        return [f"ruling {ordered.id} does not close the case that it names"]
    if ordered.case is None:
        return []
    case = case_of(cases, ordered.case)
    if case is None:
        whole = match_of(ordered.ruling) is None
        return [f"case {ordered.case} is not on the record"] if whole else []
    if not case.open or not set(case.people).isdisjoint(rulings.people(ordered.id)):
        return [f"case {ordered.case} cannot be closed by ruling {ordered.id}"]
    return []


def _wrong_order(
    rulings: Rulings, last: Sequence[Event], event: TournamentRulingOrdered
) -> list[str]:
    """An order belongs to the ruling before it, and orders what was proposed."""
    ruled = last[0] if len(last) == 2 else None
    said = (tournament_kind_of(event.ruling), match_of(event.ruling))
    if not isinstance(ruled, TournamentRuled) or (ruled.kind, ruled.match) != said:
        return ["it orders something that was not ruled"]
    waiting, was = rulings.waiting(event.id), rulings.was(event.id)
    if was is not None or (waiting is not None and waiting.ruling != event.ruling):
        return [f"ruling {event.id} orders something else than was proposed"]
    return []
