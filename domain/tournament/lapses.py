"""What comes to pass in a tournament by time alone."""

from domain.events import Event, Instant, Record
from domain.rulings.tournament_decide import lapsed as lapsed_rulings
from domain.tournament.stage_events import CheckInClosed
from domain.tournament.state import Tournament


def lapsed(state: Tournament, at: Instant) -> list[Record[Event]]:
    """What has come to pass up to the instant `at`, each at its own, before anything else: pending
    rulings are given up, and the check-in closes."""
    check_in = state.competition.check_in
    records = lapsed_rulings(state, at)
    if check_in is not None and not check_in.closed and check_in.closes <= at:
        records.append(Record(check_in.closes, 0, CheckInClosed()))
    return sorted(records, key=lambda record: record.at)
