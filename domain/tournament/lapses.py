"""What comes to pass in a tournament by time alone."""

from collections.abc import Sequence

from domain.events import Event, Instant, Record
from domain.match.deadlines import Absence
from domain.rulings.tournament_decide import lapsed as lapsed_rulings
from domain.tournament.stage_commands import MoveEnds
from domain.tournament.stage_decide import decide_stage
from domain.tournament.stage_events import CheckInClosed
from domain.tournament.state import Tournament, fold, standing_of


def lapsed(state: Tournament, at: Instant, absences: Sequence[Absence] = ()) -> list[Record[Event]]:
    """What has come to pass up to the instant `at`, each at its own, before anything else: pending
    rulings are given up, and the check-in closes; what had an end in one of these `absences` of the
    service, which are over, ends later by it."""
    rulings, found = lapsed_rulings(state, at), list[Record[Event]]()
    for absence in absences if state.competition.champions is None else ():
        found += _closed(state, found, absence.begun)
        command = MoveEnds(absence, absence.ended)
        moved = decide_stage(standing_of(_after(state, found)), command)
        found += (Record(absence.ended, 0, event) for event in moved)
    found += _closed(state, found, at)
    return sorted((*rulings, *found), key=lambda record: record.at)


def _closed(state: Tournament, found: Sequence[Record[Event]], at: Instant) -> list[Record[Event]]:
    """The close of the check-in, if it has come by then."""
    check_in = _after(state, found).competition.check_in
    if check_in is None or check_in.closed or check_in.closes > at:
        return []
    return [Record(check_in.closes, 0, CheckInClosed())]


def _after(state: Tournament, found: Sequence[Record[Event]]) -> Tournament:
    return fold(state, [record.event for record in found]) if found else state
