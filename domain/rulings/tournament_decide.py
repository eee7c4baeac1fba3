"""Rulings on a tournament: by whom they are made, and what is recorded next to their effect
(/docs/tournaments#rule-on-a-tournament). Their life is that of all rulings (`life`); what each kind
gives is in `tournament_effects`. Cases of a tournament, which they close, are decided here, too.
"""

from msgspec import Struct

from domain.cases.on_record import OF_TOURNAMENT, closed_by, closers, decided
from domain.events import Event, Instant, Record
from domain.match.commands import CaseCommand, judges
from domain.rulings.commands import DirectedRuling, Rule
from domain.rulings.kinds import tournament_kind_of
from domain.rulings.life import Subject
from domain.rulings.life import decide as decide_on
from domain.rulings.state import PendingRuling, match_of
from domain.rulings.tournament_effects import MatchFacts, effect, people_needed, settled_match
from domain.tournament.events import (
    TournamentDirected,
    TournamentRuled,
    TournamentRulingLapsed,
    TournamentRulingOrdered,
    TournamentRulingProposed,
    TournamentRulingWithdrawn,
)
from domain.tournament.state import Tournament


class RuleTournament(Struct, frozen=True):
    """Someone rules at the instant `at`, or seconds or withdraws a ruling; `facts` are those of the
    match that it is about, None for one on the whole tournament. If a ruling has the id of a `Rule`
    already this is a repeat, and gives nothing."""

    command: DirectedRuling
    facts: MatchFacts | None
    at: Instant


class LapseRulings(Struct, frozen=True):
    """Nothing but what has lapsed is to be recorded."""


TournamentRulingCommand = RuleTournament | LapseRulings


def lapsed(state: Tournament, at: Instant) -> list[Record[Event]]:
    """The lapses up to the instant `at`, each at its own, which come before anything else."""
    due = [one for one in state.rulings.pending if one.lapses <= at]
    return [Record(one.lapses, 0, TournamentRulingLapsed(one.id)) for one in due]


def decide(state: Tournament, command: TournamentRulingCommand) -> list[Event]:
    """The events of a command about a ruling: who gave it stands after the first. Raises Refused
    with a code of `UNSETTLED` or of `tournament.CODES`, and Conflict with one of
    `ruling_commands`."""
    if isinstance(command, LapseRulings):
        return []
    given = command.command
    if isinstance(given, Rule):
        if state.rulings.knows(given.id):
            return []
        match = match_of(given.ruling)
        if match is not None:
            settled_match(state, match)
    first, *rest = decide_on(_subject(state, command), given)
    return [first, _directed(given), *rest]


def decide_case(state: Tournament, command: CaseCommand) -> list[Event]:
    """The events of a command about a case of the tournament. Raises Conflict."""
    event = decided(OF_TOURNAMENT, state.cases, state.players, command)
    return [event] if command.actor is None else [event, _directed(command)]


def _directed(command: DirectedRuling | CaseCommand) -> Event:
    """Who gave it, of a command that someone of the staff gave."""
    assert command.actor is not None, "a player opens a case without it"
    return TournamentDirected(**command.actor.said(judges=judges(command)))


def foreseen(state: Tournament, command: RuleTournament) -> list[Event]:
    """What the ruling of a command would give if it were carried out now. Raises Refused and
    Conflict."""
    given = command.command
    if isinstance(given, Rule):
        return effect(state, command.facts, given.ruling, given.reason, given.actor)
    pending = state.rulings.waiting(given.id)
    assert pending is not None, "it could be decided"
    return effect(state, command.facts, pending.ruling, pending.reason, given.actor)


def _subject(state: Tournament, command: RuleTournament) -> Subject:
    """A tournament, and the match in it that is ruled on, whose own rulings can be appealed, too.
    No one rules on the whole tournament who plays in it."""
    facts = command.facts
    cases = (*state.cases, *(() if facts is None else facts.cases))
    return Subject(
        at=command.at,
        rulings=state.rulings,
        players=state.players if facts is None else facts.names,
        past=(*state.rulings.past, *(() if facts is None else facts.rulings)),
        people_needed=lambda ruling: people_needed(state, facts, ruling),
        effect=lambda pending, actor: effect(state, facts, pending.ruling, pending.reason, actor),
        ruled=lambda pending: _ruled(state, pending),
        proposed=_proposed,
        ordered=TournamentRulingOrdered,
        withdrawn=TournamentRulingWithdrawn,
        lapsed=TournamentRulingLapsed,
        closers=lambda case: closers(cases, case),
        around=lambda pending, _: closed_by(OF_TOURNAMENT, cases, pending),
    )


def _ruled(state: Tournament, pending: PendingRuling) -> Event:
    kind, match = tournament_kind_of(pending.ruling), match_of(pending.ruling)
    said = (pending.reason, pending.rule, pending.appeals)
    return TournamentRuled(state.rulings.n + 1, kind, match, *said)


def _proposed(pending: PendingRuling) -> list[Event]:
    given = (getattr(pending, name) for name in TournamentRulingProposed.__struct_fields__)
    return [TournamentRulingProposed(*given)]
