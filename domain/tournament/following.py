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
from domain.tournament.fold import fold
from domain.tournament.open_stages import StageFacts, format_of, needs
from domain.tournament.stage_commands import MoveEnds
from domain.tournament.stage_decide import decide_stage, places_of
from domain.tournament.stage_events import CheckInClosed, RoundClosed, StageClosed
from domain.tournament.stages import Named
from domain.tournament.state import Tournament, standing_of


def follow_up(state: Tournament, events: Sequence[Event], naming: Named | None) -> list[Event]:
    """What follows from events; `naming` are the seats that the game of a settled match names."""
    now, further = fold(state, events), list[Event]()
    steps: Iterable[Callable[[Tournament], list[Event]]] = (
        partial(_names, events, naming or Named()),
        _eliminations,
        _closed_rounds,
        _closed_shows,
    )
    for step in steps:
        more = step(now)
        if more:
            now = fold(now, more)
            further += more
    return further


def _names(events: Sequence[Event], naming: Named, now: Tournament) -> list[Event]:
    matches = (event.match for event in events if isinstance(event, MatchSettled))
    return [outcome for match in matches for outcome in show.names(standing_of(now), match, naming)]


def _eliminations(now: Tournament) -> list[Event]:
    """The loser of a death match goes home; the stage says who gets their garnets."""
    events: list[Event] = []
    for event, winner in show.eliminated(standing_of(now)):
        rule = now.competition.stages[event.stage - 1].settings.inherit
        events += [event, *inherited(now, rule, event.player, winner)]
    return events


def _closed_rounds(now: Tournament) -> list[Event]:
    """The rounds that are complete."""
    facts = standing_of(now)
    waiting = {
        (episode.number, episode.round.number)
        for episode in show.open_episodes(facts)
        if not show.is_over(facts, episode)
    }
    return [
        RoundClosed(number, episode.number)
        for number, stage in enumerate(now.competition.stages, 1)
        for episode in stage.rounds
        if episode.status == "published"
        and (number, episode.number) not in waiting
        and _is_played_out(facts, number, episode)
    ]


def _is_played_out(now: StageFacts, number: int, round_: PublishedRound) -> bool:
    return all(
        all(match in now.results for match in table.matches)
        and needs(now, number, round_, table) is None
        for table in round_.tables
    )


def _closed_shows(now: Tournament) -> list[Event]:
    """The shows in which no more players are left than the stage says. Where lots have to separate
    those who are left, someone closes the stage when they are drawn."""
    facts, events = standing_of(now), list[Event]()
    for number, stage in enumerate(now.competition.stages, 1):
        if not format_of(stage).episodes or stage.status != "open":
            continue
        remaining = [player for player in stage.entrants if not now.competition.people[player].out]
        between = stage.standing and all(round_.status != "published" for round_ in stage.rounds)
        if between and len(remaining) <= stage.settings.until:
            history = history_of(now.competition, number, now.results)
            try:
                events.append(StageClosed(number, places_of(facts, number, history)))
            except Refused as refused:
                if refused.code != "lots_not_drawn":
                    raise
    return events


def lapsed(state: Tournament, at: Instant, absences: Sequence[Absence] = ()) -> list[Record[Event]]:
    """What has come to pass up to the instant `at`, each at its own, before anything else: pending
    rulings are given up, and the check-in closes; what had an end in one of these `absences` of the
    service, which are over, ends later by it."""
    rulings, records = lapsed_rulings(state, at), list[Record[Event]]()
    for absence in absences if state.competition.champions is None else ():
        records += _close_check_in(state, records, absence.begun)
        command = MoveEnds(absence, absence.ended)
        events = decide_stage(standing_of(_after(state, records)), command)
        records += (Record(absence.ended, 0, event) for event in events)
    records += _close_check_in(state, records, at)
    return sorted((*rulings, *records), key=lambda record: record.at)


def _close_check_in(
    state: Tournament, records: Sequence[Record[Event]], at: Instant
) -> list[Record[Event]]:
    """The close of the check-in, if it has come by then."""
    check_in = _after(state, records).competition.check_in
    if check_in is None or check_in.closed or check_in.closes > at:
        return []
    return [Record(check_in.closes, 0, CheckInClosed())]


def _after(state: Tournament, records: Sequence[Record[Event]]) -> Tournament:
    return fold(state, [record.event for record in records]) if records else state
