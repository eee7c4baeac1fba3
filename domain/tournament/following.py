"""What follows by itself in a tournament: when a match is settled, lots are drawn or someone
leaves, names and eliminations of a show, rounds that are complete and shows that are over; and what
comes to pass by time alone."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from domain.events import Event, Instant, Record
from domain.game import Refused
from domain.match.deadlines import Absence
from domain.rulings.tournament_decide import lapsed as lapsed_rulings
from domain.tournament import show
from domain.tournament.accounting import inherited
from domain.tournament.competition import PublishedRound, history_of
from domain.tournament.events import MatchSettled
from domain.tournament.open_stages import StageFacts, format_of, needs
from domain.tournament.stage_commands import MoveEnds
from domain.tournament.stage_decide import decide_stage, places_of
from domain.tournament.stage_events import CheckInClosed, RoundClosed, StageClosed
from domain.tournament.stages import Named
from domain.tournament.state import Tournament, fold, standing_of


def follow_up(state: Tournament, events: Sequence[Event], named: Named | None) -> list[Event]:
    """What follows from events; `named` are the seats that the game of a settled match names."""
    now, found = fold(state, events), list[Event]()
    steps: Iterable[Callable[[Tournament], list[Event]]] = (
        partial(_names, events, named or Named()),
        _eliminations,
        _closed_rounds,
        _closed_shows,
    )
    for step in steps:
        more = step(now)
        if more:
            now = fold(now, more)
            found += more
    return found


def _names(events: Sequence[Event], named: Named, now: Tournament) -> list[Event]:
    settled = (event.match for event in events if isinstance(event, MatchSettled))
    return [one for match in settled for one in show.names(standing_of(now), match, named)]


def _eliminations(now: Tournament) -> list[Event]:
    """The loser of a death match goes home; the stage says who gets their garnets."""
    found: list[Event] = []
    for event, winner in show.eliminated(standing_of(now)):
        rule = now.competition.stages[event.stage - 1].settings.inherit
        found += [event, *inherited(now, rule, event.player, winner)]
    return found


def _closed_rounds(now: Tournament) -> list[Event]:
    """The rounds that are complete."""
    facts = standing_of(now)
    waiting = {
        (one.number, one.round.number)
        for one in show.open_episodes(facts)
        if not show.is_over(facts, one)
    }
    return [
        RoundClosed(number, one.number)
        for number, stage in enumerate(now.competition.stages, 1)
        for one in stage.rounds
        if one.status == "published"
        and (number, one.number) not in waiting
        and _played(facts, number, one)
    ]


def _played(now: StageFacts, number: int, published: PublishedRound) -> bool:
    return all(
        all(match in now.results for match in table.matches)
        and needs(now, number, published, table) is None
        for table in published.tables
    )


def _closed_shows(now: Tournament) -> list[Event]:
    """The shows in which no more players are left than the stage says. Where lots have to separate
    those who are left, someone closes the stage when they are drawn."""
    facts, found = standing_of(now), list[Event]()
    for number, stage in enumerate(now.competition.stages, 1):
        if not format_of(stage).episodes or stage.status != "open":
            continue
        left = [player for player in stage.entrants if not now.competition.people[player].out]
        between = stage.standing and all(one.status != "published" for one in stage.rounds)
        if between and len(left) <= stage.settings.until:
            history = history_of(now.competition, number, now.results)
            try:
                found.append(StageClosed(number, places_of(facts, number, history)))
            except Refused as refused:
                if refused.code != "lots_not_drawn":
                    raise
    return found


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
